#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/problem.hpp"

namespace starope {

// Which columns of the state matter (docs/auto-math.md 1)? Those that say something about what is asked: the reward,
// the end, the probabilities of the action; and those that say something about the next value of a column that matters.
// Nothing is lost without the others: the rest is a process of its own, whatever they do. Columns of noise, constants
// of an episode and copies of other columns are found this way.
//
// One column after the other joins, the most telling first, as long as a test finds that it adds to what the columns so
// far say by regression on [1, action, x, x^2, x by action]. The test is of the sum of the residuals times what is new
// in the column, with the variance of that sum between episodes, since steps of an episode are not independent.
//
// `values`: state rows x dimension, standardized. Returns the columns that matter, ascending; all of them if none seems
// to matter, or if there is too little data to say.
std::vector<std::int64_t> relevant_columns(const Problem& problem, std::span<const double> values,
                                           std::int64_t dimension);

}  // namespace starope
