#include "starope/auto/pooled_scores.hpp"

#include "starope/auto/row_sums.hpp"
#include "starope/auto/state_sums.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

class PooledScorer {
 public:
  PooledScorer(const StateSums& sums, const PooledTables& tables, const Problem& problem,
               const std::vector<double>& shares)
      : look_(sums), tables_(tables), gamma_(problem.discount().gamma()), shares_(shares) {}

  // One score per coalition.
  void score(const LoggedEpisode& episode, std::span<double> scores) {
    ValueSums here = look_.values(episode.first_row, 0);
    for (std::size_t q = 0; q < scores.size(); ++q) scores[q] = shares_[q] * here.values[q * tables_.value_stride];
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const auto step = static_cast<std::size_t>(t);
      const Outcome outcome = outcome_of(episode, t);
      const ValueSums next = outcome.next_row ? look_.values(*outcome.next_row, (step + 1) % 2) : ValueSums{};
      const double weight = discount * episode.ratios[step];
      if (weight != 0.0) {
        const MassSums mass = look_.mass(episode.first_row + t);
        for (std::size_t q = 0; q < scores.size(); ++q) {
          scores[q] += weight * correction(q, episode.rewards[step], outcome.seen(), mass, here, next);
        }
      }
      here = next;
      discount *= gamma_;
    }
  }

 private:
  double correction(std::size_t q, double reward, bool seen, const MassSums& mass, const ValueSums& here,
                    const ValueSums& next) const {
    const double share = shares_[q];
    const double of_reward = share * mass.total[q] * (reward - share * here.reward[q]);
    if (!seen) return of_reward;
    const std::size_t row = q * tables_.value_stride;
    return of_reward + share * share *
                           bracket_sum(mass.omega + q * tables_.mass_stride,
                                       next.values != nullptr ? next.values + row : nullptr, here.values + row,
                                       here.reward[q], gamma_, tables_.horizon);
  }

  StateSums::Look look_;
  const PooledTables& tables_;
  double gamma_;
  const std::vector<double>& shares_;
};

}  // namespace

CoalitionScores pooled_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                              std::span<const std::int64_t> episodes, Coalitions coalitions, Threads threads) {
  const StateSums sums(bag, tables, coalitions, tables.per_seen, threads);
  const std::vector<double> shares = coalition_shares(bag, coalitions);
  return score_episodes(bag, problem, episodes, coalitions, threads,
                        [&] { return PooledScorer(sums, tables, problem, shares); });
}

}  // namespace starope
