#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/problem.hpp"

namespace starope {

// The doubly robust score with a window of c ratios (docs/auto-math.md 2.3), of all episodes, on a bag's pooled tables.
// Where abstract states hide something that lasts, one ratio per step corrects the wrong process; c ratios let c-1
// steps of true history into the weights. c = 1 is pooled_scores where every outcome was seen.
//
// W_u = rho_u .. rho_{min(u+c-1, end)};  usable: u with a seen outcome of step u+c-1, or an episode that terminated.
// D(z) = sum over usable u in z of g^u W_u;  omega_k = n d_k / D.
//
//   s = Vbar_0(s_0) + first c-1 steps, with the running products as self-normalized weights
//     + sum over usable u with u+c-1 inside the episode, t = u+c-1, of
//         g^t W_u sum_{k <= H-c} omegabar_k(s_u) [r_t + g Vbar_{k+c}(s_{t+1}) - Vbar_{k+c-1}(s_t)]
//
// A window as long as the horizon leaves only the first part: the weighted doubly robust estimator.
// One list of scores for each of the lengths. `tolerance`: of the basis of functions of the step (step_basis.hpp).
std::vector<std::vector<double>> windowed_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                                                 std::span<const std::int64_t> lengths, double tolerance,
                                                 Threads threads = Threads::all());
inline std::vector<double> windowed_scores(const Bag& bag, const PooledTables& tables, const Problem& problem,
                                           std::int64_t length, double tolerance, Threads threads = Threads::all()) {
  return windowed_scores(bag, tables, problem, std::span(&length, 1), tolerance, threads).front();
}

// How many first steps a window leaves to cumulative weights: all of them if it is as long as the horizon.
inline std::int64_t opening_steps(std::int64_t window, std::int64_t horizon) noexcept {
  return window >= horizon ? horizon : window - 1;
}

// The same as a value, for episodes that the fit has not seen: tables whose occupancies are those of windows, o = sum_k
// omega_k basis_{k+c-1}, o1 = sum_k omega_k basis_{k+c}. The tables come from all episodes of the problem.
StepTables window_tables(const Bag& bag, const PooledTables& tables, const Problem& problem, std::int64_t length,
                         double tolerance, Threads threads = Threads::all());

// The same with values from another class of functions, told in a basis of functions of the step like those of
// CrossSides (cross_scores.hpp): sides whose numbers are [o | sum_k omega_k | 0 | o1].
StateSide window_mass(const Bag& bag, const PooledTables& tables, const Problem& problem, std::int64_t length,
                      const RowMatrix& basis, Threads threads = Threads::all());

// What one episode brings: its score without the first steps, and what these need, whose weights are normalized over
// all episodes.
struct WindowedEpisode {
  double score = 0.0;
  std::vector<double> residual{}, weight{};  // of the first steps; weight < 0: not seen
};
// Values at the states of the episode and at its steps (the same, but for values of actions), and the mass of windows.
struct WindowedValues {
  const RowMatrix& basis;
  RowView states, taken, mass;
  bool of_actions = false;
};
WindowedEpisode windowed_episode(const WindowedValues& values, const LoggedEpisode& episode, std::int64_t length,
                                 std::int64_t horizon, double gamma);
std::vector<double> finished_scores(const std::vector<WindowedEpisode>& parts, double gamma);

// Scores episodes with such tables, for one thread: what comes after the first opening_steps.
class WindowScorer {
 public:
  WindowScorer(const CrossSides& sides, std::int64_t window, std::int64_t horizon, double gamma)
      : sides_(&sides), window_(window), horizon_(horizon), gamma_(gamma) {}

  void look(const LoggedEpisode& episode);  // first
  double score(const LoggedEpisode& episode) const;
  const std::vector<RowMatrix>& values() const noexcept { return values_; }  // at the states of the episode
  std::int64_t opening() const noexcept { return opening_steps(window_, horizon_); }

 private:
  const CrossSides* sides_;
  std::int64_t window_, horizon_;
  double gamma_;
  WaveLook unused_{};
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> values_{}, mass_{};
};

}  // namespace starope
