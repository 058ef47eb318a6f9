#include "starope/auto/diagonal.hpp"

#include "starope/stats/moments.hpp"

namespace starope {
namespace {

void leave_out(std::vector<double>& scores, double members, double plain_sum) {
  if (members < 2.0) return;
  const double by = (moments(scores).mean() - plain_sum / members) / (members - 1.0);
  for (double& score : scores) score += by;
}

}  // namespace

CoalitionScores without_diagonal(CoalitionScores scores, const Bag& bag, std::span<const double> plain) {
  const Coalitions coalitions = scores.by_seed.empty() ? Coalitions::whole_bag : Coalitions::nested_and_seeds;
  const std::size_t nested = scores.nested.size();
  std::vector<double> members(nested + scores.by_seed.size()), sums(members.size());
  sum_over_coalitions(
      bag, coalitions, [](std::size_t) { return 1.0; }, members);
  sum_over_coalitions(
      bag, coalitions, [&](std::size_t m) { return plain[m]; }, sums);
  for (std::size_t q = 0; q < members.size(); ++q) {
    leave_out(q < nested ? scores.nested[q] : scores.by_seed[q - nested], members[q], sums[q]);
  }
  return scores;
}

}  // namespace starope
