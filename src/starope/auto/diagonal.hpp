#pragma once

#include <span>

#include "starope/auto/bag.hpp"
#include "starope/auto/coalitions.hpp"

namespace starope {

// Takes the pairs of a member with itself out of the scores. A mean score is the mean over all M^2 pairs of members;
// the bias of a pair of different members is a product of two errors, but that of a member with itself is the error of
// its plain value, and a share 1/M of it stays. Without those pairs
//
//     J' = (M^2 J - sum of the plain values) / (M (M - 1)) = J + (J - mean plain value) / (M - 1).
//
// Every score of a coalition moves by the same amount: its spread is that of the whole, up to 1/M of the difference.
// A coalition of one member stays as it is.
CoalitionScores without_diagonal(CoalitionScores scores, const Bag& bag, std::span<const double> plain);

}  // namespace starope
