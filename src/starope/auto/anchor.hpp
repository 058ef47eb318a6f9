#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "starope/auto/cross_scores.hpp"
#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {

// The weighted doubly robust estimator with cumulative ratios, on the values of smooth functions (docs/auto-math.md
// 4.3): it needs no model to be right, only weights that are healthy. Where it is admitted, it contradicts families
// that keep a bias. Its weights are normalized at every step, so it takes two passes: sums, then scores.

// What one episode brings: per step the residual of the values and the running product of ratios. It keeps its last
// product after it ended; a cut episode is lost from there on.
struct AnchorEpisode {
  double start = 0.0;  // V_0(s_0)
  std::vector<double> residual{};
  std::vector<Scaled> weight{};
  bool lost_afterwards = false;
};

// `basis` and `values` as in CrossSides and CrossScorer: V_k(s) = basis_k' v(s), the mean over the variants.
AnchorEpisode anchor_episode(const RowMatrix& basis, std::span<const RowMatrix> values, const LoggedEpisode& episode,
                             double gamma, std::int64_t horizon);
// With values of actions: the residual is r_t + g V_{t+1}(s_{t+1}) - Q_t(s_t, a_t), without the luck of the action.
// `draws`: of the first so many, if there are more.
AnchorEpisode anchor_episode(const RowMatrix& basis, const ActionSide::Numbers& values, const LoggedEpisode& episode,
                             double gamma, std::int64_t horizon,
                             std::size_t draws = std::numeric_limits<std::size_t>::max());

// The sums over episodes at one step.
struct AnchorStep {
  ScaledSum weights{}, squares{}, residuals{}, sizes{};
  double count = 0.0;

  AnchorStep& operator+=(const AnchorStep& other);
  friend bool operator==(const AnchorStep&, const AnchorStep&) = default;
};

struct AnchorSums {
  std::vector<AnchorStep> inside{};  // steps that episodes reach
  std::vector<AnchorStep> ended{};   // first steps after their ends: they stay from there on
  double starts = 0.0;               // sum of V_0(s_0)
  double episodes = 0.0;

  AnchorSums() = default;
  explicit AnchorSums(std::int64_t steps)
      : inside(static_cast<std::size_t>(steps)), ended(static_cast<std::size_t>(steps)) {}
  void add(const AnchorEpisode& episode);
  AnchorSums& operator+=(const AnchorSums& other);  // of the same number of steps

  void write(ByteWriter& to) const;
  static AnchorSums read(ByteReader& from);
  friend bool operator==(const AnchorSums&, const AnchorSums&) = default;
};

// The finished sums: the mean, what a single episode scores, and how healthy the weights are.
class AnchorScorer {
 public:
  AnchorScorer(const AnchorSums& sums, double gamma);

  double mean() const noexcept { return mean_; }
  double score(const AnchorEpisode& episode) const;

  // Harmonic mean of the effective sample sizes of the steps, each counted by how much it matters.
  double ess() const noexcept { return ess_; }
  double least_weight() const noexcept { return least_weight_; }
  double greatest_weight() const noexcept { return greatest_weight_; }

 private:
  struct Step {
    double mean = 0.0;   // g^t e_t
    ScaledSum factor{};  // g^t times the number of episodes / sum of the weights
    double error = 0.0;  // e_t
    double later = 0.0;  // sum over this and later steps of g^t e_t
    ScaledSum pulled{};  // sum over this and later steps of factor e_t
  };
  std::vector<Step> steps_{};
  double mean_ = 0.0, ess_ = 0.0, least_weight_ = 1.0, greatest_weight_ = 1.0;
};

struct AnchorScores {
  std::vector<double> scores{};  // one per given episode
  double ess = 0.0;
  double effective = 0.0;        // how many episodes the spread of the scores rests on
  double least_weight = 1.0;     // mean cumulative ratio, which should be 1, at eight steps: the smallest ...
  double greatest_weight = 1.0;  // ... and the greatest

  // `by_actions`: residuals of actions are small, so fewer episodes tell their mean.
  bool healthy(bool by_actions) const noexcept {
    return ess >= (by_actions ? 8.0 : 15.0) && effective >= (by_actions ? 3.0 : 10.0) && least_weight >= 1.0 / 3.0 &&
           greatest_weight <= 3.0;
  }
};

// Of episodes that were looked at.
AnchorScores anchor_scores(const std::vector<AnchorEpisode>& episodes, double gamma, std::int64_t horizon);
// Looks at them first.
AnchorScores anchor_scores(const RowMatrix& basis, const StateSide& values, const Problem& problem,
                           std::span<const std::int64_t> episodes, Threads threads = Threads::all());

}  // namespace starope
