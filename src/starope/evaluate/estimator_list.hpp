#pragma once

#include <string>
#include <vector>

#include "starope/data/dataset.hpp"
#include "starope/data/problem.hpp"
#include "starope/evaluate/estimator_text.hpp"

namespace starope {

// The estimators of several lists. A slip (unknown name or option) is an InvalidArgument; a file that cannot be used is
// the failure of the estimator that names it.
std::vector<RequestedEstimator> request_estimators(const std::vector<std::string>& lists, const EstimatorFiles& files,
                                                   Seed seed);

// What is evaluated if nothing is asked for: fits the kind of states that the logs have.
std::string default_estimators(const Dataset& data);

// Everything that these logs have the columns for, group by group: the uncorrected mean, importance sampling, models
// and Q-functions, their doubly robust blends, abstract reward processes. Estimators of real-valued states are left out
// where the states are ids, and so on.
std::string all_estimators(const Problem& problem);

// The lists with the word `all` replaced by all_estimators. Without a problem `all` stands for nothing: enough to check
// the rest before the data are read.
std::vector<std::string> expand_all(const std::vector<std::string>& lists, const Problem* problem);
bool asks_for_all(const std::vector<std::string>& lists);

}  // namespace starope
