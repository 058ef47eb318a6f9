#include "starope/darp/pooled_scores.hpp"

#include <utility>

#include "starope/darp/outcome.hpp"
#include "starope/darp/row_sums.hpp"

namespace starope {
namespace {

// Sums over the members of every coalition, at one state.
struct StateSums {
  std::vector<double> values{};  // [coalition][k]
  std::vector<double> reward{};  // [coalition]
};

class EpisodeScorer {
 public:
  EpisodeScorer(const Bag& bag, const PooledTables& tables, const Problem& problem, Coalitions coalitions)
      : bag_(bag),
        tables_(tables),
        coalitions_(coalitions),
        gamma_(problem.discount().gamma()),
        shares_(coalition_shares(bag, coalitions)),
        cells_(bag.members.size()),
        factors_(bag.members.size()),
        omega_(shares_.size() * tables.mass_stride),
        omega_sum_(shares_.size()) {
    for (StateSums* sums : {&here_, &next_}) {
      sums->values.resize(shares_.size() * tables.value_stride + row_lanes);  // see bracket_sum
      sums->reward.resize(shares_.size());
    }
  }

  // One score per coalition.
  void score(const LoggedEpisode& episode, std::span<double> scores) {
    look_at(episode.first_row, here_);
    for (std::size_t q = 0; q < scores.size(); ++q) scores[q] = shares_[q] * values(here_, q)[0];
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const auto step = static_cast<std::size_t>(t);
      const double weight = discount * episode.ratios[step];
      const StepOutcome outcome = outcome_of(episode, t);
      if (weight != 0.0) weigh_cells(episode.first_row + t);  // before cells_ moves on
      if (outcome.next_row) look_at(*outcome.next_row, next_);
      if (weight != 0.0) correct(weight, episode.rewards[step], outcome, scores);
      std::swap(here_, next_);
      discount *= gamma_;
    }
  }

 private:
  const double* values(const StateSums& sums, std::size_t q) const {
    return sums.values.data() + q * tables_.value_stride;
  }

  void sum_rows_of(const std::vector<double>& table, std::size_t stride, const double* factors, double* out) const {
    const RowSums sums{.table = table.data(),
                       .stride = stride,
                       .width = stride,
                       .rows = cells_.data(),
                       .factors = factors,
                       .levels = bag_.levels(),
                       .seeds = bag_.seeds};
    if (coalitions_ == Coalitions::whole_bag) {
      sum_rows(sums, out);
    } else {
      sum_rows_nested(sums, out, out + bag_.levels() * stride);
    }
  }

  void look_at(std::int64_t row, StateSums& sums) {
    cells_of_row(bag_, tables_.first_cell, row, cells_);
    sum_rows_of(tables_.values, tables_.value_stride, nullptr, sums.values.data());
    sum_over_coalitions(
        bag_, coalitions_, [&](std::size_t m) { return tables_.reward[cells_[m]]; }, sums.reward);
  }

  void weigh_cells(std::int64_t row) {
    cells_of_row(bag_, tables_.first_cell, row, cells_);
    for (std::size_t m = 0; m < cells_.size(); ++m) factors_[m] = tables_.per_seen[cells_[m]];
    sum_rows_of(tables_.mass, tables_.mass_stride, factors_.data(), omega_.data());
    sum_over_coalitions(
        bag_, coalitions_, [&](std::size_t m) { return tables_.per_visit[cells_[m]] * tables_.total_mass[cells_[m]]; },
        omega_sum_);
  }

  void correct(double weight, double reward, const StepOutcome& outcome, std::span<double> scores) const {
    for (std::size_t q = 0; q < scores.size(); ++q) {
      const double share = shares_[q];
      double correction = share * omega_sum_[q] * (reward - share * here_.reward[q]);
      if (outcome.seen) {
        correction +=
            share * share *
            bracket_sum(omega_.data() + q * tables_.mass_stride, outcome.next_row ? values(next_, q) : nullptr,
                        values(here_, q), here_.reward[q], gamma_, tables_.horizon);
      }
      scores[q] += weight * correction;
    }
  }

  const Bag& bag_;
  const PooledTables& tables_;
  Coalitions coalitions_;
  double gamma_;
  std::vector<double> shares_;
  std::vector<std::uint32_t> cells_;
  std::vector<double> factors_, omega_, omega_sum_;
  StateSums here_, next_;
};

}  // namespace

CoalitionScores pooled_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                              std::span<const std::int64_t> episodes, Coalitions coalitions, Threads threads) {
  return score_episodes(bag, problem, episodes, coalitions, threads,
                        [&] { return EpisodeScorer(bag, tables, problem, coalitions); });
}

}  // namespace starope
