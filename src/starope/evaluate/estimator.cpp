#include "starope/estimators.hpp"

// The overload of every estimator; without one its estimate would be the function below again.
#include "starope/auto/automatic.hpp"
#include "starope/auto/value_star.hpp"
#include "starope/estimators/dice.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/doubly_robust.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/estimators/magic.hpp"
#include "starope/estimators/marginalized.hpp"
#include "starope/estimators/star.hpp"

namespace starope {

Estimate estimate(const Estimator& estimator, const Problem& problem, const EstimateOptions& options) {
  return finite(std::visit([&](const auto& which) { return estimate(which, problem, options); }, estimator));
}

}  // namespace starope
