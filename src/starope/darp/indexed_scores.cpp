#include "starope/darp/indexed_scores.hpp"

#include <algorithm>
#include <utility>

#include "starope/darp/outcome.hpp"

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
        cells_(bag.members.size()) {
    for (auto* sums : {&here_, &next_, &reward_, &per_visit_, &per_seen_}) sums->resize(shares_.size());
  }

  void score(const LoggedEpisode& episode, std::span<double> scores) {
    look_at(episode.first_row);
    sum(tables_.values, 0, here_);
    for (std::size_t q = 0; q < scores.size(); ++q) scores[q] = shares_[q] * here_[q];
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const auto step = static_cast<std::size_t>(t);
      sum(tables_.reward, step, reward_);
      sum(tables_.per_visit, step, per_visit_);
      sum(tables_.per_seen, step, per_seen_);
      const StepOutcome outcome = outcome_within(episode, t, static_cast<std::int64_t>(tables_.horizon));
      std::fill(next_.begin(), next_.end(), 0.0);
      if (outcome.next_row) {
        look_at(*outcome.next_row);
        sum(tables_.values, step + 1, next_);
      }
      correct(episode.ratios[step], episode.rewards[step], outcome.seen, scores);
      std::swap(here_, next_);
    }
  }

 private:
  void look_at(std::int64_t row) { cells_of_row(bag_, tables_.first_cell, row, cells_); }

  void sum(const std::vector<double>& table, std::size_t t, std::vector<double>& out) const {
    sum_over_coalitions(
        bag_, coalitions_, [&](std::size_t m) { return table[cells_[m] * tables_.stride + t]; }, out);
  }

  void correct(double rho, double reward, bool seen, std::span<double> scores) const {
    if (rho == 0.0) return;
    for (std::size_t q = 0; q < scores.size(); ++q) {
      const double share = shares_[q];
      double correction = share * per_visit_[q] * (reward - share * reward_[q]);
      if (seen) correction += share * share * per_seen_[q] * (gamma_ * next_[q] - (here_[q] - reward_[q]));
      scores[q] += rho * correction;
    }
  }

  const Bag& bag_;
  const IndexedTables& tables_;
  Coalitions coalitions_;
  double gamma_;
  std::vector<double> shares_;
  std::vector<std::uint32_t> cells_;
  std::vector<double> here_, next_, reward_, per_visit_, per_seen_;  // sums over the members of each coalition
};

}  // namespace

CoalitionScores indexed_scores(const Bag& bag, const IndexedTables& tables, const Problem& problem,
                               std::span<const std::int64_t> episodes, Coalitions coalitions, Threads threads) {
  return score_episodes(bag, problem, episodes, coalitions, threads,
                        [&] { return EpisodeScorer(bag, tables, problem, coalitions); });
}

}  // namespace starope
