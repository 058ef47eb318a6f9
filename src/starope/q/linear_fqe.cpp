#include "starope/q/linear_fqe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/base/text.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_iterations = 20000;
constexpr double tolerance = 1e-14;  // of the largest coefficient: nothing that a double could show changes any more

std::vector<LoggedStep> with_known_outcome(const std::vector<LoggedStep>& steps) {
  std::vector<LoggedStep> known;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(known),
               [](const LoggedStep& step) { return step.outcome != Outcome::Kind::unknown; });
  return known;
}

double largest(const Coefficients& x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

double largest_change(const Coefficients& a, const Coefficients& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

std::vector<double> rewards_of(const std::vector<LoggedStep>& steps) {
  std::vector<double> rewards;
  rewards.reserve(steps.size());
  for (const LoggedStep& step : steps) rewards.push_back(step.reward);
  return rewards;
}

void add_to(Coefficients& sum, const Coefficients& x) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

}  // namespace

QInfluence& QInfluence::operator+=(const QInfluence& other) {
  if (of_episode.empty()) of_episode.assign(other.of_episode.size(), 0.0);
  for (std::size_t i = 0; i < of_episode.size(); ++i) of_episode[i] += other.of_episode[i];
  unseen += other.unseen;
  unseen_pairs += other.unseen_pairs;
  return *this;
}

std::vector<double> start_slope(const QLogs& logs) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  const std::int64_t n = logs.problem().episodes();
  std::vector<double> slope(static_cast<std::size_t>(logs.problem().data().steps()) * actions, 0.0);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t row = logs.problem().episode(i).first_row;
    const auto pi = logs.target(row);
    for (std::size_t a = 0; a < actions; ++a)
      slope[static_cast<std::size_t>(row) * actions + a] = pi[a] / static_cast<double>(n);
  }
  return slope;
}

LinearBackup::LinearBackup(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes,
                           double ridge)
    : logs_(&logs),
      features_(&features),
      gamma_(logs.gamma()),
      steps_(logs.steps(episodes)),
      known_(with_known_outcome(steps_)),
      on_rewards_(features, steps_, {}, logs.actions(), ridge),
      on_outcomes_(features, known_, {}, logs.actions(), ridge),
      moves_(make_moves()),
      reward_(on_rewards_.fit(rewards_of(steps_))),
      reward_residual_(taken_values(features, reward_, TakenRows(steps_))) {
  for (std::size_t i = 0; i < steps_.size(); ++i) reward_residual_[i] = steps_[i].reward - reward_residual_[i];
}

LinearBackup::Moves LinearBackup::make_moves() const {
  if (features_->indicator()) return CellMoves(*logs_, *features_, known_);
  std::optional<std::int64_t> passes;
  if (logs_->horizon()) passes = 2 * logs_->horizon()->steps();  // backwards for the fit, forwards for its influence
  if (PooledMoves::pay(*logs_, *features_, passes)) return PooledMoves(*logs_, *features_, known_);
  return StepMoves(*logs_, *features_, known_);
}

Coefficients LinearBackup::outcome(const Coefficients& q) const {
  return on_outcomes_.solve(std::visit([&](const auto& moves) { return moves.backward(q); }, moves_));
}

Coefficients LinearBackup::total(const Coefficients& outcome) const {
  Coefficients sum = reward_;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += gamma_ * outcome[i];
  return sum;
}

StepBudget LinearBackup::budget_of(std::int64_t iterations) const {
  const auto times = static_cast<double>(iterations), width = static_cast<double>(reward_.size());
  return {{.what = fmt::format("fitted Q evaluation over {}", counted(iterations, "step")),
           .operations = times * (width + static_cast<double>(known_.size())),  // at least
           .bytes = logs_->horizon() ? 8.0 * times * width : 0.0,
           .remedy = "Give a smaller horizon"},
          iterations};
}

QLayers LinearBackup::fit() const {
  QLayers layers{.reward = reward_, .outcome = {Coefficients(reward_.size(), 0.0)}};
  const bool finite = logs_->horizon().has_value();
  const std::int64_t most = finite ? logs_->horizon()->steps() : most_iterations;
  layers.iterations = 1;
  layers.converged = finite;
  const StepBudget budget = budget_of(most);
  while (layers.iterations < most) {
    budget.expect_possible(layers.iterations);
    Coefficients next = outcome(total(layers.outcome.back()));
    ++layers.iterations;
    const bool still = !(largest_change(next, layers.outcome.back()) > tolerance * largest(next));
    if (still) {
      layers.converged = true;
      break;
    }
    if (!finite) layers.outcome.clear();
    layers.outcome.push_back(std::move(next));
    if (!std::isfinite(largest(layers.outcome.back()))) {
      layers.converged = false;
      break;
    }
  }
  return layers;
}

std::vector<Coefficients> LinearBackup::directions(std::span<const double> slope,
                                                   std::span<const std::int64_t> episodes) const {
  const auto actions = static_cast<std::size_t>(logs_->actions());
  std::vector<Coefficients> result;
  for (const auto& rows : rows_by_time(*logs_, episodes)) {
    std::vector<double> weights;
    weights.reserve(rows.size() * actions);
    for (const std::int64_t row : rows) {
      const auto part = slope.subspan(static_cast<std::size_t>(row) * actions, actions);
      weights.insert(weights.end(), part.begin(), part.end());
    }
    result.emplace_back(reward_.size(), 0.0);
    add_features(*features_, rows, weights, logs_->actions(), result.back());
  }
  return result;
}

void LinearBackup::add_reward_part(const Coefficients& sum, std::vector<double>& of_episode) const {
  const std::vector<double> leverage = on_rewards_.leverage(sum);
  for (std::size_t i = 0; i < steps_.size(); ++i) of_episode[steps_[i].episode] += leverage[i] * reward_residual_[i];
}

// Pairs that are visited without data about rewards, or left without data about outcomes.
void LinearBackup::find_unseen(const Coefficients& visited, const Coefficients& left, QInfluence& result) const {
  const std::vector<double>& rewarded = on_rewards_.weight_of_cells();
  const std::vector<double>& followed = on_outcomes_.weight_of_cells();
  for (std::size_t i = 0; i < visited.size(); ++i) {
    const double lost = rewarded[i] == 0.0 ? visited[i] : (followed[i] == 0.0 ? left[i] : 0.0);
    if (lost <= 0.0) continue;
    result.unseen += lost;
    ++result.unseen_pairs;
  }
}

QInfluence LinearBackup::influence(const QLayers& layers, std::span<const double> slope,
                                   std::span<const std::int64_t> episodes) const {
  const std::optional<Horizon> horizon = logs_->horizon();
  QInfluence result;
  result.of_episode.assign(logs_->problem().episodes(), 0.0);
  // Without horizon only the sum of the nu_k matters; with one every k has its own values.
  const std::int64_t most = horizon ? horizon->steps() : most_iterations;
  const StepBudget budget = budget_of(most);
  const std::vector<Coefficients> own = directions(slope, episodes);
  Coefficients nu(reward_.size(), 0.0), sum = nu, left = nu;
  std::visit(
      [&](const auto& moves) {
        MoveScores scores = moves.no_scores();
        const auto add_outcome = [&](const Coefficients& n, std::int64_t steps_to_go) {
          const std::int64_t after = horizon ? steps_to_go - 1 : steps_to_go;
          moves.add_scores(n, total(layers.outcome_at(after)), layers.outcome_at(steps_to_go), scores);
        };
        for (std::int64_t k = 0; k < most; ++k) {
          budget.expect_possible(k);
          if (static_cast<std::size_t>(k) < own.size()) add_to(nu, own[k]);
          if (static_cast<std::size_t>(k) >= own.size() && !(largest(nu) > 1e-13 * largest(sum))) break;
          add_to(sum, nu);
          if (horizon && k + 1 == most) break;
          add_to(left, nu);
          const Coefficients n = on_outcomes_.solve(nu);
          if (horizon) add_outcome(n, horizon->steps() - k);
          nu = moves.forward(n);
          for (double& x : nu) x *= gamma_;
        }
        if (!horizon) add_outcome(on_outcomes_.solve(sum), 1);
        for (double& x : scores) x *= gamma_;
        moves.add_to_episodes(scores, result.of_episode);
      },
      moves_);
  add_reward_part(sum, result.of_episode);
  if (features_->indicator()) find_unseen(sum, left, result);
  return result;
}

void write_values(const QLayers& layers, const QLogs& logs, const StateFeatures& features,
                  std::span<const std::int64_t> episodes, QValues& values) {
  const std::vector<std::vector<std::int64_t>> rows_at = rows_by_time(logs, episodes);
  const auto actions = static_cast<std::size_t>(logs.actions());
  for (std::size_t t = 0; t < rows_at.size(); ++t) {
    const std::int64_t to_go = logs.horizon() ? logs.horizon()->steps() - static_cast<std::int64_t>(t) : 1;
    Coefficients q = layers.reward;
    const Coefficients& outcome = layers.outcome_at(to_go);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += logs.gamma() * outcome[i];
    const std::vector<double> found = linear_values(features, q, logs.actions(), rows_at[t]);
    for (std::size_t j = 0; j < rows_at[t].size(); ++j)
      std::copy_n(found.begin() + static_cast<std::ptrdiff_t>(j * actions), actions, values.at(rows_at[t][j]).begin());
  }
}

}  // namespace starope
