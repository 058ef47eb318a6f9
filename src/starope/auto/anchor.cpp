#include "starope/auto/anchor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr double no_weight = -std::numeric_limits<double>::infinity();

// What one episode brings: per step the residual of the values, and the logarithm of the running product of ratios. It
// keeps its last product after it ended; a cut episode is lost from there on.
struct Residuals {
  double start = 0.0;
  std::vector<double> residual{};
  std::vector<double> log2_weight{};
  bool lost_afterwards = false;

  bool has(std::size_t t) const noexcept { return t < residual.size() || !lost_afterwards; }
  double residual_at(std::size_t t) const noexcept { return t < residual.size() ? residual[t] : 0.0; }
  double log2_weight_at(std::size_t t) const noexcept { return log2_weight[std::min(t, log2_weight.size() - 1)]; }
};

class EpisodeResiduals {
 public:
  EpisodeResiduals(const Eigen::MatrixXd& basis, const StateSide& values, double gamma)
      : basis_(basis), values_(values), gamma_(gamma) {}

  Residuals operator()(const LoggedEpisode& episode) {
    const std::int64_t horizon = basis_.rows() - 1;
    look(episode);
    Residuals result{.start = value(0, 0)};
    double product = 0.0;
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const Outcome outcome = outcome_within(episode, t, horizon);
      if (!outcome.seen()) {
        result.lost_afterwards = true;
        break;
      }
      const double ratio = episode.ratios[static_cast<std::size_t>(t)];
      product = ratio > 0.0 ? product + std::log2(ratio) : no_weight;
      const double later = outcome.next_row ? gamma_ * value(t + 1, t + 1) : 0.0;
      result.residual.push_back(episode.rewards[static_cast<std::size_t>(t)] + later - value(t, t));
      result.log2_weight.push_back(product);
    }
    if (episode.end == EpisodeEnd::truncated && episode.length() < horizon) result.lost_afterwards = true;
    return result;
  }

 private:
  void look(const LoggedEpisode& episode) {
    rows_.clear();
    for (std::int64_t t = 0; t < episode.length(); ++t) rows_.push_back(episode.first_row + t);
    const Outcome last = outcome_of(episode, episode.length() - 1);
    if (last.next_row) rows_.push_back(*last.next_row);
    values_.evaluate(rows_, evaluated_);
  }

  // V_k of the t-th state of the episode.
  double value(Eigen::Index t, Eigen::Index k) const {
    double sum = 0.0;
    for (const RowMatrix& draw : evaluated_) sum += draw.row(t).head(basis_.cols()).dot(basis_.row(k));
    return sum / static_cast<double>(evaluated_.size());
  }

  const Eigen::MatrixXd& basis_;
  const StateSide& values_;
  double gamma_;
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> evaluated_{};
};

// The sums over episodes at one step, weights in units of 2^unit.
struct StepSums {
  double unit = 0.0, weights = 0.0, squares = 0.0, residuals = 0.0, sizes = 0.0, count = 0.0;
};

double weight_of(const Residuals& episode, std::size_t t, const StepSums& sums) {
  return std::exp2(episode.log2_weight_at(t) - sums.unit);
}

StepSums sum_step(const std::vector<Residuals>& all, std::size_t t) {
  StepSums sums{.unit = no_weight};
  for (const Residuals& episode : all) {
    if (!episode.has(t) || episode.log2_weight.empty()) continue;
    sums.count += 1.0;
    sums.unit = std::max(sums.unit, episode.log2_weight_at(t));
  }
  if (sums.unit == no_weight) return sums;
  for (const Residuals& episode : all) {
    if (!episode.has(t) || episode.log2_weight.empty()) continue;
    const double p = weight_of(episode, t, sums), residual = episode.residual_at(t);
    sums.weights += p;
    sums.squares += p * p;
    sums.residuals += p * residual;
    sums.sizes += p * std::abs(residual);
  }
  return sums;
}

}  // namespace

AnchorScores anchor_scores(const Eigen::MatrixXd& basis, const StateSide& values, const Problem& problem,
                           std::span<const std::int64_t> episodes, Threads threads) {
  constexpr std::int64_t episodes_per_job = 64;
  const auto count = static_cast<std::int64_t>(episodes.size());
  std::vector<Residuals> all(episodes.size());
  parallel_for((count + episodes_per_job - 1) / episodes_per_job, threads, [&](std::int64_t job) {
    EpisodeResiduals residuals(basis, values, problem.discount().gamma());
    for (std::int64_t i = job * episodes_per_job; i < std::min(count, (job + 1) * episodes_per_job); ++i) {
      all[static_cast<std::size_t>(i)] = residuals(problem.episode(episodes[static_cast<std::size_t>(i)]));
    }
  });

  AnchorScores result;
  for (const Residuals& episode : all) result.scores.push_back(episode.start);
  const auto horizon = static_cast<std::size_t>(basis.rows() - 1);
  double discount = 1.0, importance = 0.0, per_size = 0.0;
  for (std::size_t t = 0; t < horizon; ++t, discount *= problem.discount().gamma()) {
    const StepSums sums = sum_step(all, t);
    const bool watched = (t + 1) * 8 / horizon != t * 8 / horizon;
    if (!(sums.weights > 0.0)) {
      if (watched) result.least_weight = 0.0;
      continue;
    }
    const double ess = sums.weights * sums.weights / sums.squares;
    const double matters = discount * sums.sizes / sums.weights;
    importance += matters;
    per_size += matters / ess;
    if (watched) {
      const double mean = std::exp2(std::min(sums.unit, 1000.0)) * (sums.weights / sums.count);
      result.least_weight = std::min(result.least_weight, mean);
      result.greatest_weight = std::max(result.greatest_weight, mean);
    }
    const double mean = sums.residuals / sums.weights;
    for (std::size_t i = 0; i < all.size(); ++i) {
      result.scores[i] += discount * mean;
      if (!all[i].has(t) || all[i].log2_weight.empty()) continue;
      result.scores[i] +=
          discount * sums.count * weight_of(all[i], t, sums) / sums.weights * (all[i].residual_at(t) - mean);
    }
  }
  result.ess = per_size > 0.0 ? importance / per_size : static_cast<double>(episodes.size());
  std::vector<double> centered = result.scores;
  const double mean = moments(centered).mean();
  for (double& s : centered) s -= mean;
  result.effective = effective_scores(centered);
  return result;
}

}  // namespace starope
