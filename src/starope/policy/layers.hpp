#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starope/policy.hpp"

namespace starope {

// Rows that go through the layers side by side: enough to fill vector registers, few enough to stay in the cache.
inline constexpr std::size_t rows_together = 64;

// The outputs of a layer for `rows_together` rows at once: x and y are stored feature by feature, the rows of a feature
// beside each other. Each row is summed up in the order of its features, so its bits do not depend on the others.
void apply(const PolicyLayer& layer, std::span<const float> x, std::span<float> y);

double activated(Activation activation, double x);

// The outputs of the last layer as probabilities, in double precision: they sum to 1 up to rounding. A single output
// is the score of the second of two actions, as that of a logistic regression is.
void to_probabilities(const LayeredRule& rule, std::span<const double> scores, std::span<double> probabilities);

}  // namespace starope
