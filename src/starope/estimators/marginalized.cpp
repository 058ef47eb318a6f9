#include "starope/estimators/marginalized.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "starope/arp/arp_statistic.hpp"
#include "starope/error.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/star.hpp"
#include "starope/estimators/step_terms.hpp"
#include "starope/fold/fold.hpp"
#include "starope/q/fit_q.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

// The process of the target policy with weights of one ratio, divided by the number of visits instead of by the sum of
// their weights:  P(z,z') = sum g^t rho 1{z,z'} / Np(z),  R(z) = sum g^t rho r / N(z),  N = sum g^t 1{z}, Np the same
// over steps whose outcome is known.
struct StateFlow {
  SparseRows move{};  // P
  std::vector<double> reward{}, visits{}, seen{}, start{};
  std::vector<std::uint8_t> weighted{};  // whether the target policy takes one of the actions that were logged there
  double gamma = 1.0;
  std::optional<std::int64_t> steps{};  // of the process; none: until it ends

  std::size_t cells() const { return reward.size(); }
};

// Calls visit(cell, t, weight, outcome, next cell) for every step of an episode. The weight is that of a ratio of one
// in the sums of the process: g^t, or 1 where every cell has a time of its own.
template <class Visit>
void for_each_visit(const ArpFold& recipe, const LoggedEpisode& episode, const Visit& visit) {
  const double gamma = recipe.weights().gamma;
  double discount = 1.0;
  for (std::int64_t t = 0; t < episode.length(); ++t, discount *= gamma) {
    const bool last = t + 1 == episode.length();
    const Outcome::Kind outcome = last ? recipe.outcome_of_last_step(episode) : Outcome::Kind::next;
    std::optional<Label> next;
    if (outcome == Outcome::Kind::next) next = last ? recipe.final_cell(episode) : recipe.cell(episode, t + 1);
    visit(recipe.cell(episode, t), t, discount, outcome, next);
  }
}

StateFlow make_flow(const ArpFold& recipe, const ArpStatistic& statistic, const Problem& problem,
                    std::optional<std::int64_t> steps) {
  if (!statistic.unit) {
    throw DegenerateModel(
        "the target policy never takes any of the logged actions: all importance weights are zero. "
        "Check the target probabilities, or collect logs that cover the target policy");
  }
  const auto cells = static_cast<std::size_t>(statistic.recipe.cells);
  StateFlow flow{
      .move = statistic.move.rows(), .reward = statistic.reward, .gamma = problem.discount().gamma(), .steps = steps};
  // Weights are divided by visits, so their unit matters.
  const double unit = Scaled{1.0, *statistic.unit}.to_double();
  for (double& sum : flow.reward) sum *= unit;
  for (double& sum : flow.move.value) sum *= unit;
  flow.visits.assign(cells, 0.0);
  flow.seen.assign(cells, 0.0);
  flow.weighted.assign(cells, 0);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    for_each_visit(recipe, problem.episode(i),
                   [&](Label z, std::int64_t t, double weight, Outcome::Kind outcome, std::optional<Label>) {
                     flow.visits[z] += weight;
                     if (outcome != Outcome::Kind::unknown) flow.seen[z] += weight;
                     if (problem.episode(i).ratios[t] > 0.0) flow.weighted[z] = 1;
                   });
  }
  for (std::size_t z = 0; z < cells; ++z) {
    flow.start.push_back(statistic.start[z] / statistic.episodes);
    if (flow.visits[z] > 0.0) flow.reward[z] /= flow.visits[z];
    for (auto e = static_cast<std::size_t>(flow.move.offsets[z]);
         e < static_cast<std::size_t>(flow.move.offsets[z + 1]) && flow.seen[z] > 0.0; ++e)
      flow.move.value[e] /= flow.seen[z];
  }
  return flow;
}

// The value, the discounted visits of the target policy, and the derivative of the value in P.
struct FlowSolution {
  double value = 0.0;
  std::vector<double> values{}, visits{};
  std::vector<double> slope{}, mean_slope{};
};

template <class Use>
void for_each_move(const StateFlow& flow, const Use& use) {
  for (std::size_t z = 0; z < flow.cells(); ++z) {
    for (auto e = static_cast<std::size_t>(flow.move.offsets[z]);
         e < static_cast<std::size_t>(flow.move.offsets[z + 1]); ++e)
      use(z, e, static_cast<std::size_t>(flow.move.column[e]), flow.move.value[e]);
  }
}

FlowSolution solve_steps(const StateFlow& flow, std::int64_t steps) {
  const std::size_t cells = flow.cells();
  // values[k * cells + z]: with `steps - k` steps to go.
  std::vector<double> values((static_cast<std::size_t>(steps) + 1) * cells, 0.0);
  for (auto k = static_cast<std::size_t>(steps); k-- > 0;) {
    double* const here = values.data() + k * cells;
    std::copy(flow.reward.begin(), flow.reward.end(), here);
    for_each_move(flow, [&](std::size_t z, std::size_t, std::size_t next, double p) {
      here[z] += flow.gamma * p * here[cells + next];
    });
  }
  FlowSolution solution;
  solution.values.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(cells));
  solution.visits.assign(cells, 0.0);
  solution.slope.assign(flow.move.value.size(), 0.0);
  std::vector<double> d = flow.start, following(cells, 0.0);
  for (std::size_t k = 0; k < static_cast<std::size_t>(steps); ++k) {
    const double* const after = values.data() + (k + 1) * cells;
    for (std::size_t z = 0; z < cells; ++z) solution.visits[z] += d[z];
    std::fill(following.begin(), following.end(), 0.0);
    for_each_move(flow, [&](std::size_t z, std::size_t e, std::size_t next, double p) {
      solution.slope[e] += flow.gamma * d[z] * after[next];
      following[next] += flow.gamma * p * d[z];
    });
    std::swap(d, following);
  }
  return solution;
}

FlowSolution solve_for_ever(const StateFlow& flow) {
  constexpr std::size_t most_cells = 2000;
  const std::size_t cells = flow.cells();
  if (cells > most_cells) {
    throw InvalidArgument(fmt::format(
        "mis over {} cells without a horizon is too much work. Use fewer cells, or give --horizon H", cells));
  }
  Eigen::MatrixXd system =
      Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(cells), static_cast<Eigen::Index>(cells));
  for_each_move(flow, [&](std::size_t z, std::size_t, std::size_t next, double p) {
    system(static_cast<Eigen::Index>(z), static_cast<Eigen::Index>(next)) -= flow.gamma * p;
  });
  const Eigen::FullPivLU<Eigen::MatrixXd> solver(system);
  const auto vector = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  const Eigen::VectorXd v = solver.solve(vector(flow.reward)),
                        d = system.transpose().fullPivLu().solve(vector(flow.start));
  // Visits are a sum of products of non-negative numbers; where that sum does not exist the equations may still have a
  // solution, which then is negative somewhere.
  if (!solver.isInvertible() || !d.allFinite() || d.minCoeff() < -1e-9 * d.cwiseAbs().maxCoeff()) {
    throw DegenerateModel(
        "the weighted moves between the cells grow instead of ending: divided by visits they sum to more than one. "
        "Give "
        "--horizon H, a discount below 1 or fewer cells, or use star, whose weights sum to one");
  }
  FlowSolution solution{.values = {v.data(), v.data() + v.size()}, .visits = {d.data(), d.data() + d.size()}};
  solution.slope.assign(flow.move.value.size(), 0.0);
  for_each_move(flow, [&](std::size_t z, std::size_t e, std::size_t next, double) {
    solution.slope[e] = flow.gamma * solution.visits[z] * solution.values[next];
  });
  return solution;
}

FlowSolution solve_flow(const StateFlow& flow) {
  FlowSolution solution = flow.steps ? solve_steps(flow, *flow.steps) : solve_for_ever(flow);
  for (std::size_t z = 0; z < flow.cells(); ++z) solution.value += flow.start[z] * solution.values[z];
  solution.mean_slope.assign(flow.cells(), 0.0);
  for_each_move(flow, [&](std::size_t z, std::size_t e, std::size_t, double p) {
    solution.mean_slope[z] += p * solution.slope[e];
  });
  return solution;
}

// n dJ of an episode: V(z_0) - J + n sum_t g^t { d (rho r - R) / N + (rho slope(z,z') - mean_slope(z)) / Np }.
std::vector<double> influence_of(const ArpFold& recipe, const StateFlow& flow, const FlowSolution& solution,
                                 const Problem& problem, Threads threads) {
  const auto n = static_cast<double>(problem.episodes());
  std::vector<double> influence(problem.episodes());
  for_each_episode(problem, {.threads = threads}, [&](const LoggedEpisode& episode) {
    double sum = solution.values[recipe.cell(episode, 0)] - solution.value;
    for_each_visit(recipe, episode,
                   [&](Label z, std::int64_t t, double weight, Outcome::Kind outcome, std::optional<Label> next) {
                     const double ratio = episode.ratios[t];
                     const double reward = episode.rewards[t];
                     sum += n * weight * solution.visits[z] * (ratio * reward - flow.reward[z]) / flow.visits[z];
                     if (outcome == Outcome::Kind::unknown) return;
                     const std::size_t at = next ? flow.move.find(z, *next) : solution.slope.size();
                     const double slope = at < solution.slope.size() ? solution.slope[at] : 0.0;
                     sum += n * weight * (ratio * slope - solution.mean_slope[z]) / flow.seen[z];
                   });
    influence[episode.index] = sum;
  });
  return influence;
}

// V(s_0) + sum_t g^t omega(z_t) rho_t (r_t + g V(s_{t+1}) - Q(s_t, a_t)), omega = n d / N: what a Q-function expects,
// corrected where the target policy goes. The first part alone if the ratios are wrong in expectation zero, the second
// if Q is.
std::vector<double> corrected_scores(const ArpFold& recipe, const StateFlow& flow, const FlowSolution& solution,
                                     const StepTerms& terms, const Problem& problem) {
  const auto n = static_cast<double>(problem.episodes());
  std::vector<double> scores;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    double sum = terms.value[episode.first_row];
    for_each_visit(recipe, episode,
                   [&](Label z, std::int64_t t, double weight, Outcome::Kind outcome, std::optional<Label>) {
                     const auto row = static_cast<std::size_t>(episode.first_row + t);
                     // What follows a last step that was cut is not in the logs: neither is the surprise of it.
                     const bool inside = t + 1 < episode.length();
                     if (!inside && outcome != Outcome::Kind::ended) return;
                     const double surprise = terms.residual[row] + (inside ? flow.gamma * terms.value[row + 1] : 0.0);
                     sum += n * weight * solution.visits[z] / flow.visits[z] * episode.ratios[t] * surprise;
                   });
    scores.push_back(sum);
  }
  return scores;
}

void correct(const QRecipe& q, const ArpFold& recipe, const StateFlow& flow, const FlowSolution& solution,
             const Problem& problem, Threads threads, Estimate& result) {
  const QLogs logs(problem, "mis(dr=...)");
  QFit fit = fit_q(q, logs, {.threads = threads});
  result.influence = corrected_scores(recipe, flow, solution, step_terms(fit.values, logs), problem);
  result.value = moments(result.influence).mean();
  for (double& x : result.influence) x -= result.value;
  add_fit(fit, logs, result);
}

// How many episodes carry the weights omega(z_t) rho_t of all steps: n (sum w)^2 / (steps sum w^2).
double effective_size(const ArpFold& recipe, const StateFlow& flow, const FlowSolution& solution,
                      const Problem& problem) {
  double sum = 0.0, squares = 0.0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const Label z = recipe.cell(episode, t);
      const double w = solution.visits[z] / flow.visits[z] * episode.ratios[t];
      sum += w;
      squares += w * w;
    }
  }
  if (squares == 0.0) return 0.0;
  return static_cast<double>(problem.episodes()) * (sum / static_cast<double>(problem.steps())) * (sum / squares);
}

// Cells that the target policy enters and from which no logged step tells how it goes on.
std::optional<Finding> unsupported_cells(const StateFlow& flow, const FlowSolution& solution) {
  double probability = 0.0;
  std::int64_t cells = 0;
  for (std::size_t z = 0; z < flow.cells(); ++z) {
    if (flow.weighted[z] != 0 || !(solution.visits[z] > 0.0)) continue;
    probability += solution.visits[z];
    ++cells;
  }
  if (cells == 0) return std::nullopt;
  return Finding{probability > 0.05 ? Severity::critical : Severity::warning,
                 "unsupported_state",
                 {{"probability", std::min(1.0, probability)}, {"cells", cells}}};
}

void describe(const StateFlow& flow, const FlowSolution& solution, double episodes, Estimate& result) {
  constexpr std::size_t most_shown = 64;
  double largest = 0.0;
  std::vector<double> ratios;
  for (std::size_t z = 0; z < flow.cells(); ++z) {
    ratios.push_back(flow.visits[z] > 0.0 ? episodes * solution.visits[z] / flow.visits[z] : 0.0);
    largest = std::max(largest, ratios.back());
  }
  result.details.push_back({.name = "largest_occupancy_ratio",
                            .value = largest,
                            .meaning = "how much more often than the logs the target policy is in a cell, at most"});
  if (flow.cells() > most_shown) return;
  result.details.push_back({.name = "occupancy",
                            .value = solution.visits,
                            .meaning = "by cell: discounted visits of the target policy, per episode"});
  result.details.push_back({.name = "occupancy_ratio", .value = ratios, .meaning = "the same over those of the logs"});
}

}  // namespace

Estimate estimate(const Marginalized& estimator, const Problem& whole, const EstimateOptions& options) {
  Star star = estimator.star;
  star.clip = Clip::last(1);
  const std::optional<Horizon> horizon = horizon_of(star, whole);
  const Problem problem = horizon ? whole.with_horizon(horizon) : whole;
  FittedAbstraction fitted = fit_abstraction(star.phi, problem, options.threads);
  const ArpFold recipe(fitted.labels, problem, {.clip = star.clip, .truncation = star.truncation, .time = star.time});
  const ArpStatistic statistic = fold(recipe, problem, {.threads = options.threads});
  // Cells of one time each come to an end with the longest episode.
  std::optional<std::int64_t> steps;
  if (horizon) steps = horizon->steps();
  if (star.time == TimeModel::indexed) steps = problem.longest();
  const StateFlow flow = make_flow(recipe, statistic, problem, steps);
  const FlowSolution solution = solve_flow(flow);
  Estimate result;
  result.value = solution.value;
  result.influence = influence_of(recipe, flow, solution, problem, options.threads);
  result.findings = std::move(fitted.findings);
  if (estimator.q) correct(*estimator.q, recipe, flow, solution, problem, options.threads, result);
  if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  describe(flow, solution, static_cast<double>(problem.episodes()), result);
  if (const auto finding = unsupported_cells(flow, solution)) result.findings.push_back(*finding);
  if (const auto finding = cuts_as_ends(star, seen_logs(problem))) result.findings.push_back(*finding);
  result.ess = effective_size(recipe, flow, solution, problem);
  if (const auto finding = low_ess(*result.ess, problem.episodes())) result.findings.push_back(*finding);
  return result;
}

}  // namespace starope
