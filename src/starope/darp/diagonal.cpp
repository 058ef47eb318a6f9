#include "starope/darp/diagonal.hpp"

#include <cmath>

#include "starope/stats/moments.hpp"

namespace starope {
namespace {

void move(std::vector<double>& scores, double mean_plain, double share) {
  const double members = std::round(1.0 / share);
  if (members < 2.0) return;
  const double by = (moments(scores).mean() - mean_plain) / (members - 1.0);
  for (double& score : scores) score += by;
}

}  // namespace

CoalitionScores without_diagonal(CoalitionScores scores, const Bag& bag, std::span<const double> plain) {
  const Coalitions coalitions = scores.by_seed.empty() ? Coalitions::whole_bag : Coalitions::nested_and_seeds;
  const std::vector<double> shares = coalition_shares(bag, coalitions);
  std::vector<double> sums(shares.size());
  sum_over_coalitions(
      bag, coalitions, [&](std::size_t m) { return plain[m]; }, sums);
  for (std::size_t q = 0; q < shares.size(); ++q) {
    const std::size_t nested = scores.nested.size();
    move(q < nested ? scores.nested[q] : scores.by_seed[q - nested], shares[q] * sums[q], shares[q]);
  }
  return scores;
}

}  // namespace starope
