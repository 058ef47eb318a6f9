#include "starope/estimators/estimate.hpp"

#include <cmath>

#include "starope/error.hpp"

namespace starope {

Estimate finite(Estimate estimate) {
  if (!std::isfinite(estimate.value)) {
    throw DegenerateModel(
        "the answer is too large for a number (above 1.8e308): the rewards add up to more, or the ratios of an episode "
        "multiply to more. Divide all rewards by a constant, and check the probabilities of the logged actions");
  }
  // The square of a score beyond 1e154 is no number any more, although the score is.
  if (estimate.std_error && !std::isfinite(*estimate.std_error)) estimate.std_error.reset();
  return estimate;
}

}  // namespace starope
