#include "starope/auto/pooled_scores.hpp"

#include <vector>

#include "starope/auto/cross_scores.hpp"
#include "starope/auto/row_sums.hpp"
#include "starope/auto/state_sums.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

class PooledScorer {
 public:
  // `parts`: members of the bag / members of the coalition. The sums have the mean over the bag.
  PooledScorer(const StateSums& sums, const StepTables& tables, const Problem& problem,
               const std::vector<double>& parts)
      : sums_(sums),
        look_(sums),
        rank_(static_cast<std::size_t>(tables.basis.cols())),
        start_(tables.basis.row(0)),
        gamma_(problem.discount().gamma()),
        parts_(parts) {}

  // One score per coalition.
  void score(const LoggedEpisode& episode, std::span<double> scores) {
    const double* here = look_.values(episode.first_row, 0);
    for (std::size_t q = 0; q < scores.size(); ++q)
      scores[q] = parts_[q] * dot(start_.data(), here + q * sums_.value_stride(), rank_);
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const auto step = static_cast<std::size_t>(t);
      const Outcome outcome = outcome_of(episode, t);
      const double* next = outcome.next_row ? look_.values(*outcome.next_row, (step + 1) % 2) : nullptr;
      const double weight = discount * episode.ratios[step];
      if (weight != 0.0) {
        const double* mass = look_.mass(episode.first_row + t);
        for (std::size_t q = 0; q < scores.size(); ++q) {
          const std::size_t at = q * sums_.value_stride();
          scores[q] += weight * correction(parts_[q], episode.rewards[step], outcome.seen(),
                                           mass + q * sums_.mass_stride(), here + at, next ? next + at : nullptr);
        }
      }
      here = next;
      discount *= gamma_;
    }
  }

 private:
  // Numbers of one coalition: mass is [o | Omega | W | o1], here and next are [v | r].
  double correction(double part, double reward, bool seen, const double* mass, const double* here,
                    const double* next) const {
    const double mean = part * here[rank_];
    double sum = mass[rank_] * (reward - mean);
    if (seen) {
      sum += mass[rank_ + 1] * mean - part * dot(here, mass, rank_);
      if (next != nullptr) sum += gamma_ * part * dot(next, mass + rank_ + 2, rank_);
    }
    return part * sum;
  }

  const StateSums& sums_;
  StateSums::Look look_;
  std::size_t rank_;
  Eigen::VectorXd start_;
  double gamma_;
  const std::vector<double>& parts_;
};

}  // namespace

CoalitionScores pooled_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                              std::span<const std::int64_t> episodes, Coalitions coalitions, Threads threads,
                              double tolerance) {
  const StepTables steps = step_tables(bag, tables, {}, CellValues::yes, tolerance);
  const StateSums sums(bag, steps, coalitions, threads);
  std::vector<double> parts = coalition_shares(bag, coalitions);
  for (double& part : parts) part *= static_cast<double>(bag.members.size());
  return score_episodes(bag, problem, episodes, coalitions, threads,
                        [&] { return PooledScorer(sums, steps, problem, parts); });
}

}  // namespace starope
