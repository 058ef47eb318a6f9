#include "starope/estimators.hpp"

#include <fmt/format.h>

#include <utility>

#include "starope/error.hpp"
#include "starope/evaluate/registry.hpp"

namespace starope {

NamedEstimator parse_estimator(std::string_view text, const EstimatorFiles& files, Seed seed) {
  const EstimatorCall call(text);
  const EstimatorSpec& spec = find_estimator(call.name());
  call.check(spec.options);
  Estimator estimator = spec.make({.call = call, .files = files, .seed = seed});
  return {.text = call.text(), .estimator = std::move(estimator)};
}

std::vector<NamedEstimator> parse_estimators(std::string_view list, const EstimatorFiles& files, Seed seed) {
  std::vector<NamedEstimator> estimators;
  for (const std::string_view part : split_estimators(list)) {
    if (part.empty()) throw InvalidArgument(fmt::format("the estimator list '{}' has an empty entry", list));
    estimators.push_back(parse_estimator(part, files, seed));
  }
  return estimators;
}

}  // namespace starope
