#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/evaluate/estimator.hpp"
#include "starope/evaluate/spec.hpp"

namespace starope {

struct NamedEstimator {
  std::string text;  // as given
  Estimator estimator;
};

// An estimator to evaluate, or why there is none to begin with: its file cannot be read. Then it fails, and the others
// still answer.
struct RequestedEstimator {
  std::string text{};  // what the answer calls it
  std::variant<Estimator, Failure> estimator{};
};

// "naive,star(clusters=32,clip=2)" -> two estimators: split at commas outside parentheses.
// Unknown names and options throw InvalidArgument with the nearest valid name. `seed`: for estimators that draw random
// numbers and name no seed of their own.
std::vector<NamedEstimator> parse_estimators(std::string_view list, const EstimatorFiles& files = {}, Seed seed = {});
NamedEstimator parse_estimator(std::string_view text, const EstimatorFiles& files = {}, Seed seed = {});

}  // namespace starope
