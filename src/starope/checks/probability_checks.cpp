#include "starope/checks/probability_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "starope/checks/mistakes.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t step_bins = 24;  // 0, 1, 2-3, 4-7, ...
constexpr std::int64_t most_cells = 64;
constexpr std::int64_t probability_bins = 10;
constexpr std::int64_t fewest_episodes = 10;  // that a test is made of
constexpr double false_alarms = 1e-4;         // of all tests together
constexpr double digits_allowed = 6.0;        // of how much likelier the actions are under the target policy
constexpr double rounding = 1e-5;             // probabilities are written with few digits
constexpr double much = 0.02;                 // below it the answer is hardly wrong

std::int64_t step_bin(std::int64_t t) {
  return std::min(static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(t))), step_bins - 1);
}

std::string step_name(std::int64_t bin) {
  if (bin <= 1) return fmt::format("step {}", bin);
  const std::int64_t first = std::int64_t{1} << (bin - 1);
  return fmt::format("steps {} to {}", first, 2 * first - 1);
}

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

}  // namespace

std::string ActionGroups::name(std::int32_t group) const {
  const std::int32_t many = size(group);
  if (many == 1) return fmt::format("action {}", group);
  if (many == 2) return fmt::format("actions {} and {}", group, group + most);
  return fmt::format("actions {}, {}, ...", group, group + most);
}

ProbabilityChecks::Statistic& ProbabilityChecks::Statistic::operator+=(const Statistic& other) {
  means += other.means;
  add_each(step_rows, other.step_rows);
  add_each(cell_rows, other.cell_rows);
  add_each(expected, other.expected);
  add_each(bin_rows, other.bin_rows);
  rows += other.rows;
  above_one += other.above_one;
  equal += other.equal;
  log_ratios += other.log_ratios;
  return *this;
}

ProbabilityChecks::ProbabilityChecks(const Dataset& sample) : cells_(StateCells::fit(sample, most_cells)) {
  behavior_ = sample.behavior().has_value();
  const auto* actions = std::get_if<DiscreteActions>(&sample.actions());
  if (actions != nullptr && behavior_) groups_.actions = actions->count;
  full_ = groups_.actions > 0 && sample.behavior_distribution().has_value();
  const Moments rewards = moments(sample.rewards());
  reward_mean_ = rewards.mean();
  reward_deviation_ = std::sqrt(rewards.variance());
  const auto groups = static_cast<std::size_t>(groups_.count());
  const auto cells = static_cast<std::size_t>(cells_.count());
  constexpr auto steps = static_cast<std::size_t>(step_bins);
  ratio_step_ = 1;
  ratio_cell_ = ratio_step_ + steps;
  action_all_ = ratio_cell_ + cells;
  action_step_ = action_all_ + groups;
  action_cell_ = action_step_ + steps * groups;
  action_reward_ = action_cell_ + cells * groups;
  bins_ = action_reward_ + 2 * groups;
  end_ = bins_ + static_cast<std::size_t>(probability_bins);
}

ProbabilityChecks::Statistic ProbabilityChecks::identity() const {
  return {.means = ZeroMeans(end_),
          .step_rows = std::vector<std::int64_t>(step_bins),
          .cell_rows = std::vector<std::int64_t>(cells_.count()),
          .expected = std::vector<double>(probability_bins),
          .bin_rows = std::vector<std::int64_t>(probability_bins)};
}

void ProbabilityChecks::add(Statistic& total, const CheckedLogs& logs, std::int64_t episode) const {
  if (!behavior_) return;
  const std::int64_t first = logs.data.first_step(episode);
  for (std::int64_t t = 0; t < logs.data.length(episode); ++t) add_step(total, logs, first + t, t);
  total.means.close_episode();
}

void ProbabilityChecks::add_step(Statistic& total, const CheckedLogs& logs, std::int64_t row, std::int64_t t) const {
  const std::int64_t bin = step_bin(t), cell = cells_.cell(logs.data, row);
  const LoggedProbabilities& behavior = *logs.data.behavior();
  const double probability = linear(behavior, row);
  ++total.rows;
  ++total.step_rows[bin];
  ++total.cell_rows[cell];
  const auto above_one = [&](const LoggedProbabilities& logged) {
    const double most = logged.scale == LoggedProbabilities::Scale::linear ? 1.0 : 0.0;
    return !logged.density && logged.values[row] > most;
  };
  total.above_one += above_one(behavior) ? 1 : 0;
  if (const auto& target = logs.data.target()) total.above_one += above_one(*target) ? 1 : 0;
  if (!logs.ratios.empty()) {
    const double ratio = logs.ratios[row];
    total.equal += ratio == 1.0 ? 1 : 0;
    total.log_ratios += std::log(ratio);
    // A ratio of 0 may be possible and rare, so that a mean slightly above 1 says nothing without it.
    for (const std::size_t test :
         {std::size_t{0}, ratio_step_ + static_cast<std::size_t>(bin), ratio_cell_ + static_cast<std::size_t>(cell)})
      total.means.add(test, ratio - 1.0, 0.0, 1.0);
  }
  if (groups_.actions == 0) return;
  const std::int32_t action = std::get<DiscreteActions>(logs.data.actions()).id[row];
  std::array<double, ActionGroups::most> expected{};
  if (full_) {
    const ActionProbabilities& all = *logs.data.behavior_distribution();
    for (std::int32_t a = 0; a < all.actions; ++a) expected[groups_.of(a)] += all.values[row * all.actions + a];
    add_bins(total, all, row, action);
  }
  const double reward = t > 0 && reward_deviation_ > 0.0 ? logs.data.rewards()[row - 1] : 0.0;
  const double seen = std::clamp((reward - reward_mean_) / reward_deviation_, -3.0, 3.0);
  for (std::int32_t g = 0; g < groups_.count(); ++g) {
    const bool taken = groups_.of(action) == g;
    const double p = expected[g];
    const double term = full_ ? (taken ? 1.0 : 0.0) - p : (taken ? 1.0 / probability : 0.0) - groups_.size(g);
    const double variance = full_ ? p * (1.0 - p) : 0.0;
    const double largest = full_ ? 1.0 : groups_.size(g);
    total.means.add(action_test(action_all_, 0, g), term, variance, largest);
    total.means.add(action_test(action_step_, bin, g), term, variance, largest);
    total.means.add(action_test(action_cell_, cell, g), term, variance, largest);
    if (t == 0 || !(reward_deviation_ > 0.0)) continue;
    // High and low rewards apart: with factors of one sign, a rare action makes only sums that are too small.
    const double size = std::abs(seen);
    total.means.add(action_test(action_reward_, seen > 0.0 ? 0 : 1, g), size * term, size * size * variance,
                    size * largest);
  }
}

void ProbabilityChecks::add_bins(Statistic& total, const ActionProbabilities& probabilities, std::int64_t row,
                                 std::int32_t action) const {
  const auto bin_of = [](double p) {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(p * probability_bins), 0, probability_bins - 1));
  };
  std::array<double, static_cast<std::size_t>(probability_bins)> expected{};
  for (std::int32_t a = 0; a < probabilities.actions; ++a) {
    const double p = probabilities.values[row * probabilities.actions + a];
    expected[bin_of(p)] += p;
  }
  const std::size_t taken = bin_of(probabilities.values[row * probabilities.actions + action]);
  for (std::size_t b = 0; b < expected.size(); ++b) {
    if (expected[b] == 0.0) continue;
    ++total.bin_rows[b];
    total.expected[b] += expected[b];
    total.means.add(bins_ + b, (b == taken ? 1.0 : 0.0) - expected[b], expected[b] * (1.0 - expected[b]), 1.0);
  }
}

ProbabilityChecks::Worst ProbabilityChecks::worst_of(const Statistic& statistic, std::size_t first, std::size_t last,
                                                     Side side) const {
  Worst worst;
  for (std::size_t i = first; i < last; ++i) {
    const ZeroMean& mean = statistic.means[i];
    if (mean.episodes < fewest_episodes || std::abs(mean.mean()) < rounding) continue;
    if ((side == Side::above && mean.sum < 0.0) || (side == Side::below && mean.sum > 0.0)) continue;
    if (mean.errors() > worst.errors) worst = {.test = i, .errors = mean.errors()};
  }
  return worst;
}

double ProbabilityChecks::allowed(const Statistic& statistic) const {
  std::int64_t tests = 0;
  for (std::size_t i = 0; i < end_; ++i) tests += statistic.means[i].episodes >= fewest_episodes ? 1 : 0;
  return errors_allowed(tests, false_alarms);
}

ProbabilityChecks::Place ProbabilityChecks::place_of(const Statistic& statistic, std::size_t test) const {
  Place place{.name = "all steps", .rows = static_cast<double>(statistic.rows)};
  std::size_t part = 0;  // 0: all, then the bins of steps, then the cells
  if (test >= action_all_) {
    const auto groups = static_cast<std::size_t>(groups_.count());
    place.group = static_cast<std::int32_t>((test - action_all_) % groups);
    part = (test - action_all_) / groups;
  } else {
    part = test;
  }
  constexpr auto steps = static_cast<std::size_t>(step_bins);
  if (part > steps) {
    place.name = "a region of the states";
    place.rows = static_cast<double>(statistic.cell_rows[part - steps - 1]);
  } else if (part > 0) {
    place.name = step_name(static_cast<std::int64_t>(part) - 1);
    place.rows = static_cast<double>(statistic.step_rows[part - 1]);
  }
  return place;
}

std::vector<Finding> ProbabilityChecks::findings(const Statistic& statistic, const Dataset& sample,
                                                 double shrink) const {
  std::vector<Finding> found;
  if (statistic.rows == 0) return found;
  const double limit = allowed(statistic) * shrink;
  const bool wrong = full_ ? check_calibration(statistic, limit, found)
                           : groups_.actions > 0 && check_counts(statistic, limit, sample, found);
  if (!wrong) check_ratios(statistic, limit, sample, found);
  if (found.empty()) check_likelihood(statistic, sample, shrink, found);
  if (!wrong) check_rewards(statistic, limit, found);
  if (statistic.equal == statistic.rows) found.push_back({Severity::info, "same_policy"});
  if (statistic.above_one > 0)
    found.push_back({Severity::info, "rounded_probabilities", {{"probabilities", statistic.above_one}}});
  return found;
}

std::vector<CalibrationRow> ProbabilityChecks::calibration(const Statistic& statistic) const {
  std::vector<CalibrationRow> table;
  for (std::size_t b = 0; full_ && b < statistic.bin_rows.size(); ++b) {
    if (statistic.bin_rows[b] == 0) continue;
    const ZeroMean& mean = statistic.means[bins_ + b];
    const auto rows = static_cast<double>(statistic.bin_rows[b]);
    table.push_back({.least = static_cast<double>(b) / probability_bins,
                     .most = static_cast<double>(b + 1) / probability_bins,
                     .expected = statistic.expected[b] / rows,
                     .observed = (statistic.expected[b] + mean.sum) / rows,
                     .errors = std::abs(mean.mean()) < rounding ? 0.0 : mean.errors(),
                     .steps = statistic.bin_rows[b]});
  }
  return table;
}

// Are actions with probability 0.3 taken in 30 % of the steps?
bool ProbabilityChecks::check_calibration(const Statistic& statistic, double limit, std::vector<Finding>& to) const {
  if (const Worst worst = worst_of(statistic, bins_, end_, Side::either); worst.errors > limit) {
    const std::size_t b = worst.test - bins_;
    const auto rows = static_cast<double>(statistic.bin_rows[b]);
    const bool wrong = std::abs(statistic.means[worst.test].mean()) > much;
    to.push_back({wrong ? Severity::critical : Severity::warning,
                  "behavior_calibration",
                  {{"least", 0.1 * static_cast<double>(b)},
                   {"most", 0.1 * static_cast<double>(b + 1)},
                   {"expected", statistic.expected[b] / rows},
                   {"observed", (statistic.expected[b] + statistic.means[worst.test].sum) / rows},
                   {"errors", worst.errors}}});
    return true;
  }
  const Worst worst = worst_of(statistic, action_all_, action_reward_, Side::either);
  if (!(worst.errors > limit)) return false;
  const Place place = place_of(statistic, worst.test);
  const double difference = statistic.means[worst.test].sum / place.rows;
  to.push_back({std::abs(difference) > much ? Severity::critical : Severity::warning,
                "behavior_frequency",
                {{"where", place.name},
                 {"action", groups_.name(place.group)},
                 {"difference", std::abs(difference)},
                 {"direction", difference > 0.0 ? "more" : "fewer"},
                 {"errors", worst.errors}}});
  return true;
}

// The mean of 1{action in g} / behavior_prob is the share of the steps in which it is possible: at most 1.
bool ProbabilityChecks::check_counts(const Statistic& statistic, double limit, const Dataset& sample,
                                     std::vector<Finding>& to) const {
  Worst worst = worst_of(statistic, action_all_, action_step_, Side::above);
  if (!(worst.errors > limit)) worst = worst_of(statistic, action_step_, action_reward_, Side::above);
  if (!(worst.errors > limit)) return false;
  const Place place = place_of(statistic, worst.test);
  const std::string mistake = likely_mistake(sample);
  const double count = 1.0 + statistic.means[worst.test].mean() / groups_.size(place.group);
  to.push_back({count > 1.0 + much ? Severity::critical : Severity::warning,
                "behavior_prob_wrong",
                {{"where", place.name},
                 {"action", groups_.name(place.group)},
                 {"count", count},
                 {"errors", worst.errors},
                 {"mistake", mistake}}});
  return true;
}

// How much of the target policy's probability may lie on actions that the logs do not show: an action that is possible
// in every step, and seen, has a mean count of 1.
double ProbabilityChecks::missing_support(const Statistic& statistic, double limit) const {
  if (groups_.actions == 0) return 1.0;
  double missing = 0.0;
  for (std::int32_t g = 0; g < groups_.count(); ++g) {
    const ZeroMean& mean = statistic.means[action_test(action_all_, 0, g)];
    if (full_) return 1.0;
    missing += std::max(0.0, (limit * mean.spread() - mean.sum) / static_cast<double>(statistic.rows));
  }
  return missing;
}

void ProbabilityChecks::check_ratios(const Statistic& statistic, double limit, const Dataset& sample,
                                     std::vector<Finding>& to) const {
  Worst worst = worst_of(statistic, 0, 1, Side::either);
  if (!(worst.errors > limit)) worst = worst_of(statistic, ratio_step_, action_all_, Side::above);
  if (!(worst.errors > limit)) worst = worst_of(statistic, ratio_step_, action_all_, Side::below);
  if (!(worst.errors > limit)) return;
  const Place place = place_of(statistic, worst.test);
  const ZeroMean& mean = statistic.means[worst.test];
  const double excess = mean.sum / place.rows;
  const std::string mistake = likely_mistake(sample);
  // A mean above 1 has no innocent explanation. One below 1 has: actions that the behavior policy never takes. Unless
  // all of them are seen to be possible, or a mistake explains everything.
  const double noise = limit * mean.spread() / place.rows;
  const bool supported = worst.test == 0 && -excess - noise > missing_support(statistic, limit);
  const bool sure = excess > 0.0 || supported || (worst.test == 0 && mistake != "unknown");
  to.push_back({sure && std::abs(excess) > much ? Severity::critical : Severity::warning,
                "ratio_mean",
                {{"where", place.name},
                 {"mean", 1.0 + excess},
                 {"errors", worst.errors},
                 {"sure", sure ? "yes" : "no"},
                 {"mistake", mistake}}});
}

// Given all that came before, a ratio has a mean of at most 1 over the actions that could have been taken, so the
// product over all rows has it too, whatever the policies and the process are (Ville's inequality). A log of few
// episodes whose ratios are all alike is proof here, where a mean is none.
void ProbabilityChecks::check_likelihood(const Statistic& statistic, const Dataset& sample, double shrink,
                                         std::vector<Finding>& to) {
  // Copies multiply the logarithm as they multiply the rows.
  const double digits = statistic.log_ratios / (shrink * shrink) / std::log(10.0);
  if (!(digits > digits_allowed)) return;
  to.push_back({Severity::critical, "target_likelier", {{"digits", digits}, {"mistake", likely_mistake(sample)}}});
}

void ProbabilityChecks::check_rewards(const Statistic& statistic, double limit, std::vector<Finding>& to) const {
  if (groups_.actions == 0) return;
  const Worst worst = worst_of(statistic, action_reward_, bins_, full_ ? Side::either : Side::above);
  if (!(worst.errors > limit)) return;
  const auto group = (worst.test - action_reward_) % static_cast<std::size_t>(groups_.count());
  to.push_back({Severity::critical,
                "rewards_early",
                {{"action", groups_.name(static_cast<std::int32_t>(group))}, {"errors", worst.errors}}});
}

}  // namespace starope
