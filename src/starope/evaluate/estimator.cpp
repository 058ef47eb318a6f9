#include "starope/evaluate/estimator.hpp"

namespace starope {

Estimate estimate(const Estimator& estimator, const Problem& problem, const EstimateOptions& options) {
  return std::visit([&](const auto& which) { return estimate(which, problem, options); }, estimator);
}

}  // namespace starope
