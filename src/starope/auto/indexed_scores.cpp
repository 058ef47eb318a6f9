#include "starope/auto/indexed_scores.hpp"

#include <algorithm>
#include <utility>

#include "starope/problem.hpp"

namespace starope {
namespace {

class EpisodeScorer {
 public:
  EpisodeScorer(const Bag& bag, const IndexedTables& tables, const Problem& problem, Coalitions coalitions)
      : bag_(bag),
        tables_(tables),
        coalitions_(coalitions),
        gamma_(problem.discount().gamma()),
        shares_(coalition_shares(bag, coalitions)),
        cells_(bag.members.size()),
        here_(shares_.size()),
        next_(shares_.size()) {}

  void score(const LoggedEpisode& episode, std::span<double> scores) {
    look_at(episode.first_row, 0, here_);
    for (std::size_t q = 0; q < scores.size(); ++q) scores[q] = shares_[q] * here_[q].value;
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const auto step = static_cast<std::size_t>(t);
      const Outcome outcome = outcome_within(episode, t, static_cast<std::int64_t>(tables_.horizon));
      if (outcome.next_row) {
        look_at(*outcome.next_row, step + 1, next_);
      } else {
        std::fill(next_.begin(), next_.end(), IndexedCell{});
      }
      correct(episode.ratios[step], episode.rewards[step], outcome.seen(), scores);
      std::swap(here_, next_);
    }
  }

 private:
  // Sums over the members of each coalition, for the state of a row at step t.
  void look_at(std::int64_t row, std::size_t t, std::vector<IndexedCell>& sums) {
    cells_of_row(bag_, tables_.first_cell, row, cells_);
    const std::span<const IndexedCell> at_step = tables_.at_step(t);
    sum_over_coalitions(
        bag_, coalitions_, [&](std::size_t m) -> const IndexedCell& { return at_step[cells_[m]]; }, sums);
  }

  void correct(double rho, double reward, bool seen, std::span<double> scores) const {
    if (rho == 0.0) return;
    for (std::size_t q = 0; q < scores.size(); ++q) {
      const double share = shares_[q];
      const IndexedCell& here = here_[q];
      double correction = share * here.per_visit * (reward - share * here.reward);
      if (seen) correction += share * share * here.per_seen * (gamma_ * next_[q].value - (here.value - here.reward));
      scores[q] += rho * correction;
    }
  }

  const Bag& bag_;
  const IndexedTables& tables_;
  Coalitions coalitions_;
  double gamma_;
  std::vector<double> shares_;
  std::vector<std::uint32_t> cells_;
  std::vector<IndexedCell> here_, next_;
};

}  // namespace

CoalitionScores indexed_scores(const Bag& bag, const IndexedTables& tables, const Problem& problem,
                               std::span<const std::int64_t> episodes, Coalitions coalitions, Threads threads) {
  return score_episodes(bag, problem, episodes, coalitions, threads,
                        [&] { return EpisodeScorer(bag, tables, problem, coalitions); });
}

}  // namespace starope
