#pragma once

#include <map>
#include <string>
#include <vector>

#include "evaluation.hpp"
#include "starope/data/dataset.hpp"
#include "starope/selection/estimator_text.hpp"

namespace starope::cli {

// The estimators of a command line, and those of them whose files cannot be used: they fail, the others still answer.
struct EstimatorList {
  std::vector<NamedEstimator> estimators{};
  std::map<std::string, EstimatorFailure> broken_files{};  // by path
};

// Every text is a list; unknown names and options are UsageErrors.
EstimatorList parse_estimator_lists(const std::vector<std::string>& lists, const EstimatorFiles& files, Seed seed);

// What is evaluated if nothing is asked for: fits the kind of states that the logs have.
std::string default_estimators(const Dataset& data);

// The failure of the file that this estimator needs, if it is a broken one.
const EstimatorFailure* broken_file(const EstimatorList& list, const NamedEstimator& named);

}  // namespace starope::cli
