#include "starope/checks/probability_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

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

struct ProbabilityChecks::StepColumns {
  explicit StepColumns(const CheckedLogs& logs)
      : behavior(logs.data.behavior()->values.data()),
        behavior_scale(logs.data.behavior()->scale),
        most_behavior(most(*logs.data.behavior())),
        ratios(logs.ratios.empty() ? nullptr : logs.ratios.data()),
        rewards(logs.data.rewards().data()) {
    if (const auto& logged = logs.data.target()) {
      target = logged->values.data();
      most_target = most(*logged);
    }
    if (const auto* discrete = std::get_if<DiscreteActions>(&logs.data.actions())) actions = discrete->id.data();
    if (const auto& all = logs.data.behavior_distribution()) {
      probabilities = all->values.data();
      columns = all->actions;
    }
  }

  const double* behavior;
  LoggedProbabilities::Scale behavior_scale;
  double most_behavior;  // above it rounding took a probability above 1
  const double* target = nullptr;
  double most_target = 0.0;
  const double* ratios;
  const double* rewards;
  const std::int32_t* actions = nullptr;
  const double* probabilities = nullptr;  // of the behavior policy
  std::int32_t columns = 0;               // of them

 private:
  static double most(const LoggedProbabilities& logged) {
    if (logged.density) return std::numeric_limits<double>::infinity();
    return logged.scale == LoggedProbabilities::Scale::linear ? 1.0 : 0.0;
  }
};

void ProbabilityChecks::add(Statistic& total, const CheckedLogs& logs, std::int64_t episode) const {
  if (!behavior_) return;
  const StepColumns columns(logs);
  const std::int64_t first = logs.data.first_step(episode), length = logs.data.length(episode);
  if (columns.ratios != nullptr) {
    LogProduct ratios;
    for (std::int64_t row = first; row < first + length; ++row) ratios.multiply(columns.ratios[row]);
    total.log_ratios += ratios.log();
  }
  std::array<std::int64_t, 256> cells;
  for (std::int64_t begin = 0; begin < length; begin += cells.size()) {
    const auto size = std::min(length - begin, static_cast<std::int64_t>(cells.size()));
    cells_.cells(logs.data, first + begin, std::span(cells).first(size));
    for (std::int64_t i = 0; i < size; ++i)
      add_step(total, columns, {.row = first + begin + i, .t = begin + i, .cell = cells[i]});
  }
  total.means.close_episode();
}

void ProbabilityChecks::add_step(Statistic& total, const StepColumns& columns, const Step& step) const {
  const std::int64_t bin = step_bin(step.t);
  ++total.rows;
  ++total.step_rows[bin];
  ++total.cell_rows[step.cell];
  total.above_one += columns.behavior[step.row] > columns.most_behavior ? 1 : 0;
  if (columns.target != nullptr) total.above_one += columns.target[step.row] > columns.most_target ? 1 : 0;
  if (columns.ratios != nullptr) {
    const double ratio = columns.ratios[step.row];
    total.equal += ratio == 1.0 ? 1 : 0;
    // A ratio of 0 may be possible and rare, so that a mean slightly above 1 says nothing without it.
    total.means.add(0, ratio - 1.0, 0.0, 1.0);
    total.means.add(ratio_step_ + static_cast<std::size_t>(bin), ratio - 1.0, 0.0, 1.0);
    total.means.add(ratio_cell_ + static_cast<std::size_t>(step.cell), ratio - 1.0, 0.0, 1.0);
  }
  if (groups_.actions > 0) add_actions(total, columns, step);
}

void ProbabilityChecks::add_actions(Statistic& total, const StepColumns& columns, const Step& step) const {
  const std::int64_t bin = step_bin(step.t);
  const std::int32_t action = columns.actions[step.row];
  const bool after_reward = step.t > 0 && reward_deviation_ > 0.0;
  const double reward = after_reward ? columns.rewards[step.row - 1] : 0.0;
  const double seen = std::clamp((reward - reward_mean_) / reward_deviation_, -3.0, 3.0);
  const auto add_group = [&](std::int32_t g, double term, double variance, double largest) {
    total.means.add(action_test(action_all_, 0, g), term, variance, largest);
    total.means.add(action_test(action_step_, bin, g), term, variance, largest);
    total.means.add(action_test(action_cell_, step.cell, g), term, variance, largest);
    if (!after_reward) return;
    // High and low rewards apart: with factors of one sign, a rare action makes only sums that are too small.
    const double size = std::abs(seen);
    total.means.add(action_test(action_reward_, seen > 0.0 ? 0 : 1, g), size * term, size * size * variance,
                    size * largest);
  };
  const std::int32_t group = groups_.of(action);
  if (full_) {
    const double* const probabilities = columns.probabilities + step.row * columns.columns;
    std::array<double, ActionGroups::most> expected{};
    for (std::int32_t a = 0; a < columns.columns; ++a) expected[groups_.of(a)] += probabilities[a];
    add_bins(total, {probabilities, static_cast<std::size_t>(columns.columns)}, action);
    for (std::int32_t g = 0; g < groups_.count(); ++g)
      add_group(g, (g == group ? 1.0 : 0.0) - expected[g], expected[g] * (1.0 - expected[g]), 1.0);
    return;
  }
  const double logged = columns.behavior[step.row];
  const double probability = columns.behavior_scale == LoggedProbabilities::Scale::linear ? logged : std::exp(logged);
  for (std::int32_t g = 0; g < groups_.count(); ++g)
    add_group(g, (g == group ? 1.0 / probability : 0.0) - groups_.size(g), 0.0, groups_.size(g));
}

void ProbabilityChecks::add_bins(Statistic& total, std::span<const double> probabilities, std::int32_t action) const {
  const auto bin_of = [](double p) {
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(p * probability_bins), 0, probability_bins - 1));
  };
  std::array<double, static_cast<std::size_t>(probability_bins)> expected{};
  std::uint32_t some = 0;  // bins, as bits
  for (const double p : probabilities) {
    const std::size_t bin = bin_of(p);
    expected[bin] += p;
    some |= 1U << bin;
  }
  const std::size_t taken = bin_of(probabilities[action]);
  for (; some != 0; some &= some - 1) {
    const auto b = static_cast<std::size_t>(std::countr_zero(some));
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
