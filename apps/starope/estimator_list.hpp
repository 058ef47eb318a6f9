#pragma once

#include <map>
#include <string>
#include <vector>

#include "starope/data/dataset.hpp"
#include "starope/data/problem.hpp"
#include "starope/evaluate/estimator_text.hpp"
#include "starope/evaluate/evaluation.hpp"

namespace starope::cli {

// The estimators of a command line, and those of them whose files cannot be used: they fail, the others still answer.
struct EstimatorList {
  std::vector<NamedEstimator> estimators{};
  std::map<std::string, Failure> broken_files{};  // by path
};

// Every text is a list; unknown names and options are UsageErrors.
EstimatorList parse_estimator_lists(const std::vector<std::string>& lists, const EstimatorFiles& files, Seed seed);

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

// The failure of the file that this estimator needs, if it is a broken one.
const Failure* broken_file(const EstimatorList& list, const NamedEstimator& named);

}  // namespace starope::cli
