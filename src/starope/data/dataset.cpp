#include "starope/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "starope/base/offences.hpp"
#include "starope/data/take_rows.hpp"

namespace starope {
namespace {

[[noreturn]] void fail_shape(const std::string& what) {
  throw InvalidArgument("data set columns do not fit together: " + what);
}

void check_size(std::int64_t actual, std::int64_t expected, const char* column) {
  if (actual != expected) fail_shape(fmt::format("{} has {} entries, expected {}", column, actual, expected));
}

// A text such as 1e400 is read as infinite.
std::string not_finite(double x) {
  return std::isinf(x) ? "is not a finite number, or beyond 1.8e308, the largest that can be computed with"
                       : "is not a finite number";
}

std::string name_of(const EpisodeIds& ids, std::int64_t episode) {
  if (const auto* numbers = std::get_if<Column<std::int64_t>>(&ids)) {
    return fmt::format("{}", numbers->empty() ? episode : (*numbers)[episode]);
  }
  const auto& names = std::get<Column<std::string>>(ids);
  return names.empty() ? fmt::format("{}", episode) : names[episode];
}

constexpr double single_precision = 1e-6;

// The rules on single values, one function per column.
class Checker {
 public:
  Checker(const Columns& columns, const Dataset::Locate& locate) : columns_(columns), locate_(locate) {}

  void check_shape(std::int64_t final_states) const {
    const std::int64_t n = columns_.offsets.size() - 1;
    const std::int64_t steps = columns_.offsets.back();
    check_size(columns_.rewards.size(), steps, "rewards");
    check_size(columns_.ends.size(), n, "ends");
    const std::int64_t ids = std::visit([](const auto& v) { return v.size(); }, columns_.episode_ids);
    if (ids != 0) check_size(ids, n, "episode_ids");
    if (const auto* s = std::get_if<DiscreteStates>(&columns_.states)) {
      check_size(s->code.size(), steps + final_states, "states");
      const auto is_code = [s](std::int32_t code) { return code >= 0 && code < s->ids.size(); };
      if (!std::all_of(s->code.begin(), s->code.end(), is_code)) fail_shape("a state has a code without an id");
    }
    if (const auto* s = std::get_if<DenseStates>(&columns_.states)) {
      if (s->dimension < 1) fail_shape(fmt::format("state dimension is {}", s->dimension));
      check_size(s->values.size(), (steps + final_states) * s->dimension, "states");
    }
    if (const auto* s = std::get_if<BinaryStates>(&columns_.states)) {
      if (s->dimension < 1) fail_shape(fmt::format("state dimension is {}", s->dimension));
      check_size(s->words.size(), (steps + final_states) * static_cast<std::int64_t>(s->words_per_row()), "states");
      // Everybody counts on it: a stray bit would be a feature that does not exist.
      const std::int64_t used = s->dimension % 64, width = static_cast<std::int64_t>(s->words_per_row());
      for (std::int64_t last = width - 1; used != 0 && last < s->words.size(); last += width) {
        if (s->words[last] >> used != 0) fail_shape("bits beyond the state dimension are set");
      }
    }
    if (const auto* a = std::get_if<DiscreteActions>(&columns_.actions)) check_size(a->id.size(), steps, "actions");
    if (const auto* a = std::get_if<ContinuousActions>(&columns_.actions)) {
      check_size(a->values.size(), steps * a->dimension, "actions");
    }
    if (columns_.behavior) check_size(columns_.behavior->values.size(), steps, "behavior");
    if (columns_.behavior_with_gaps) check_size(columns_.behavior_with_gaps->values.size(), steps, "behavior");
    if (columns_.target) check_size(columns_.target->values.size(), steps, "target");
    for (const auto* p : {&columns_.behavior_distribution, &columns_.target_distribution}) {
      if (*p) check_size((*p)->values.size(), steps * (*p)->actions, "action distribution");
    }
  }

  void raise() const { offences_.raise(); }

  void check_rewards() const {
    for (std::int64_t i = 0; i < columns_.rewards.size(); ++i) {
      if (!std::isfinite(columns_.rewards[i])) {
        fail(i, "bad_reward", "reward", columns_.rewards[i], not_finite(columns_.rewards[i]) + "; every reward must be",
             "Replace it by the reward that was received, or drop the whole episode");
      }
    }
  }

  void check_states() const {
    const auto* dense = std::get_if<DenseStates>(&columns_.states);
    if (dense == nullptr) return;
    dense->values.visit([&](const auto& values) {
      for (std::int64_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) continue;
        const std::int64_t k = i % dense->dimension;
        fail(i / dense->dimension, "bad_state", dense->names.empty() ? fmt::format("state_{}", k) : dense->names[k],
             values[i], not_finite(static_cast<double>(values[i])) + "; every state feature must be",
             "Impute missing measurements before the evaluation, or drop the column");
      }
    });
  }

  void check_actions() const {
    const auto* discrete = std::get_if<DiscreteActions>(&columns_.actions);
    if (discrete == nullptr) return;
    for (std::int64_t i = 0; i < discrete->id.size(); ++i) {
      if (discrete->id[i] >= 0 && discrete->id[i] < discrete->count) continue;
      fail(i, "bad_action", "action", discrete->id[i],
           fmt::format("is not one of the {} actions 0..{}", discrete->count, discrete->count - 1),
           "Number the actions from 0 and give every action its own probability column");
    }
  }

  // Ratios of finite, positive probabilities can still leave the range of double precision.
  void check_ratios() const {
    using Scale = LoggedProbabilities::Scale;
    if (!columns_.behavior || !columns_.target) return;
    const LoggedProbabilities &behavior = *columns_.behavior, &target = *columns_.target;
    const bool linear = behavior.scale == Scale::linear && target.scale == Scale::linear;
    const auto log_of = [](const LoggedProbabilities& logged, std::int64_t i) {
      return logged.scale == Scale::linear ? std::log(logged.values[i]) : logged.values[i];
    };
    for (std::int64_t i = 0; i < behavior.values.size(); ++i) {
      const double ratio =
          linear ? target.values[i] / behavior.values[i] : std::exp(log_of(target, i) - log_of(behavior, i));
      if (std::isfinite(ratio)) continue;
      fail(i, "ratio_overflow", behavior.scale == Scale::linear ? "behavior_prob" : "behavior_logp", behavior.values[i],
           fmt::format("is so small beside the target's {} that their ratio leaves the range of double precision",
                       target.values[i]),
           "Check both probabilities of this row");
    }
  }

  // `zero_allowed`: the target policy may never take a logged action, the behavior policy must have been able to.
  void check_probabilities(const std::optional<LoggedProbabilities>& logged, const char* who, bool zero_allowed,
                           bool gaps_allowed = false) const {
    if (!logged) return;
    const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
    const std::string column = fmt::format("{}_{}", who, log ? "logp" : "prob");
    // Probabilities that were rounded to single precision may exceed 1 in the seventh digit.
    const double most = logged->density ? HUGE_VAL : (log ? 0.0 : 1.0) + single_precision;
    const double least = log ? -HUGE_VAL : 0.0;
    for (std::int64_t i = 0; i < logged->values.size(); ++i) {
      const double p = logged->values[i];
      if (p > least && p <= most && p < HUGE_VAL) continue;
      if (p == least && zero_allowed) continue;
      if (std::isnan(p) && gaps_allowed) continue;
      if (p == least) {
        fail(i, "bad_probability", column, p, "says that the behavior policy could not take the action it took",
             "Log the probability with which the action was chosen; it is never zero");
        continue;
      }
      if (std::isnan(p) && !zero_allowed) {
        fail(i, "bad_probability", column, p, "is missing",
             "Log it in every row, or have the missing ones estimated: evaluate --behavior fill");
        continue;
      }
      std::string rule = log ? "is not a logarithm of a probability: it must be finite and at most 0"
                             : fmt::format("is not a probability: it must be in {}0, 1]", zero_allowed ? "[" : "(");
      if (logged->density)
        rule = log ? "is not the logarithm of a density" : "is not a density: it must be positive and finite";
      fail(i, "bad_probability", column, p, rule,
           log ? "If these are probabilities, name the column " + fmt::format("{}_prob", who)
               : "If these are log-probabilities, name the column " + fmt::format("{}_logp", who));
    }
  }

  void check_distribution(const std::optional<ActionProbabilities>& distribution,
                          const std::optional<LoggedProbabilities>& logged, const char* who) const {
    if (!distribution) return;
    const std::int64_t width = distribution->actions, steps = columns_.rewards.size();
    constexpr double tolerance = 1e-6;  // probabilities written with seven digits still pass
    if (all_distributions(*distribution, logged, steps, tolerance)) return;
    for (std::int64_t i = 0; i < steps; ++i) {
      double sum = 0.0;
      for (std::int64_t a = 0; a < width; ++a) {
        const double p = distribution->values[i * width + a];
        if (!(p >= 0.0 && p <= 1.0 + tolerance)) {
          fail(i, "bad_probability", fmt::format("{}_probs_{}", who, a), p,
               "is not a probability: it must be in [0, 1]", "Write one probability per action and row");
        }
        sum += p;
      }
      if (std::abs(sum - 1.0) > tolerance * static_cast<double>(width)) {
        fail(i, "bad_distribution", fmt::format("{}_probs_0..{}", who, width - 1), sum,
             "is the sum of the action probabilities of this row; it must be 1",
             "Normalize the distribution, or leave these columns out");
      }
      check_agreement(*distribution, logged, who, i, tolerance);
    }
  }

 private:
  // Whether check_distribution has nothing to say, in the fewest steps; of logarithms it is not known.
  bool all_distributions(const ActionProbabilities& distribution, const std::optional<LoggedProbabilities>& logged,
                         std::int64_t steps, double tolerance) const {
    const auto* actions = std::get_if<DiscreteActions>(&columns_.actions);
    const bool agree = actions != nullptr && logged;
    if (agree && logged->scale == LoggedProbabilities::Scale::logarithm) return false;
    const std::int64_t width = distribution.actions;
    const double* row = distribution.values.data();
    const double* const chosen = agree ? logged->values.data() : nullptr;
    const std::int32_t* const action = agree ? actions->id.data() : nullptr;
    const double off = tolerance * static_cast<double>(width);
    bool fine = true;
    for (std::int64_t i = 0; i < steps; ++i, row += width) {
      double sum = 0.0;
      for (std::int64_t a = 0; a < width; ++a) {
        fine &= row[a] >= 0.0 && row[a] <= 1.0 + tolerance;
        sum += row[a];
      }
      fine &= std::abs(sum - 1.0) <= off;
      if (!agree) continue;
      if (action[i] < 0 || action[i] >= width) return false;
      fine &= std::abs(row[action[i]] - chosen[i]) <= tolerance * std::max(1.0, chosen[i]);
    }
    return fine;
  }

  void check_agreement(const ActionProbabilities& distribution, const std::optional<LoggedProbabilities>& logged,
                       const char* who, std::int64_t i, double tolerance) const {
    const auto* actions = std::get_if<DiscreteActions>(&columns_.actions);
    if (actions == nullptr || !logged) return;
    if (actions->id[i] < 0 || actions->id[i] >= distribution.actions) return;  // was noted before
    const double listed = distribution.values[i * distribution.actions + actions->id[i]];
    const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
    const double chosen = log ? std::exp(logged->values[i]) : logged->values[i];
    if (std::abs(listed - chosen) <= tolerance * std::max(1.0, chosen)) return;
    fail(i, "contradicting_probabilities", fmt::format("{}_{}", who, log ? "logp" : "prob"), logged->values[i],
         fmt::format("contradicts {}_probs_{} = {}, the probability of the logged action {}", who, actions->id[i],
                     listed, actions->id[i]),
         "Leave one of the two out, or correct it");
  }

  // What is wrong with a row is noted, and the others are looked at.
  template <class Value>
  void fail(std::int64_t row, const char* code, const std::string& column, Value value, const std::string& rule,
            const std::string& remedy) const {
    offences_.add(row, [&] {
      DataLocation at = locate(row);
      at.column = column;
      DataError::Problem problem;
      problem.code = code;
      problem.at = std::move(at);
      problem.value = fmt::format("{}", value);
      problem.rule = rule;
      problem.remedy = remedy;
      return problem;
    });
  }

  DataLocation locate(std::int64_t row) const {
    if (locate_) return locate_(row);
    const auto& offsets = columns_.offsets;
    if (row >= offsets.back()) return {};  // a final state
    const auto after = std::upper_bound(offsets.begin(), offsets.end(), row);
    const auto episode = after - offsets.begin() - 1;
    return {.file = {},
            .row = {},
            .episode = name_of(columns_.episode_ids, episode),
            .step = row - *(after - 1),
            .column = {}};
  }

  const Columns& columns_;
  const Dataset::Locate& locate_;
  mutable Offences offences_{};
};

void check_offsets(const Column<std::int64_t>& offsets) {
  if (offsets.size() < 2) {
    throw DataError({.code = "no_episodes",
                     .at = {},
                     .value = {},
                     .rule = "the data hold no episode",
                     .remedy = "Log at least one episode of one step"});
  }
  if (offsets.front() != 0) fail_shape("offsets must start at 0");
  for (std::int64_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] <= offsets[i - 1]) fail_shape(fmt::format("episode {} has no steps", i - 1));
  }
}

void check_episode(std::int64_t episode, std::int64_t episodes) {
  if (episode >= 0 && episode < episodes) return;
  throw InvalidArgument(fmt::format("there is no episode {}: these logs have episodes 0..{}", episode, episodes - 1));
}

Columns checked(Columns columns, const Dataset::Locate& locate) {
  check_offsets(columns.offsets);
  const auto& has_final = columns.has_final_state;
  if (!has_final.empty()) check_size(has_final.size(), columns.offsets.size() - 1, "has_final_state");
  const Checker check(columns, locate);
  check.check_shape(std::count_if(has_final.begin(), has_final.end(), [](std::uint8_t has) { return has != 0; }));
  check.check_rewards();
  check.check_states();
  check.check_actions();
  check.check_probabilities(columns.behavior, "behavior", false);
  check.check_probabilities(columns.behavior_with_gaps, "behavior", false, true);
  check.check_probabilities(columns.target, "target", true);
  check.check_ratios();
  check.check_distribution(columns.behavior_distribution, columns.behavior, "behavior");
  check.check_distribution(columns.target_distribution, columns.target, "target");
  check.raise();
  return columns;
}

// Ids within a range that is not much wider than the rows are many: a table over the range, in time linear in the rows.
DiscreteStates encode_by_table(std::span<const std::int64_t> ids, std::int64_t lowest, std::uint64_t range) {
  const auto place = [lowest](std::int64_t id) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(lowest));
  };
  std::vector<std::int32_t> code(static_cast<std::size_t>(range) + 1, -1);
  for (const std::int64_t id : ids) code[place(id)] = 0;
  std::vector<std::int64_t> distinct;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code[k] < 0) continue;
    code[k] = static_cast<std::int32_t>(distinct.size());
    distinct.push_back(lowest + static_cast<std::int64_t>(k));
  }
  std::vector<std::int32_t> codes;
  codes.reserve(ids.size());
  for (const std::int64_t id : ids) codes.push_back(code[place(id)]);
  return {.code = std::move(codes), .ids = std::move(distinct)};
}

}  // namespace

DiscreteStates make_discrete_states(std::span<const std::int64_t> ids) {
  if (ids.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(ids.begin(), ids.end());
  // Unsigned: the difference of two ids may exceed the largest one.
  const std::uint64_t range = static_cast<std::uint64_t>(*highest) - static_cast<std::uint64_t>(*lowest);
  if (range <= 4 * static_cast<std::uint64_t>(ids.size())) return encode_by_table(ids, *lowest, range);
  std::vector<std::int64_t> distinct(ids.begin(), ids.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::unordered_map<std::int64_t, std::int32_t> code;
  code.reserve(distinct.size());
  for (std::size_t i = 0; i < distinct.size(); ++i) code.emplace(distinct[i], static_cast<std::int32_t>(i));
  std::vector<std::int32_t> codes;
  codes.reserve(ids.size());
  for (const std::int64_t id : ids) codes.push_back(code.at(id));
  return {.code = std::move(codes), .ids = std::move(distinct)};
}

Dataset::Dataset(Columns columns, Checked) {
  const std::int64_t n = columns.offsets.size() - 1;
  if (!columns.has_final_state.empty()) {
    std::vector<std::int64_t> before;
    before.reserve(n);
    for (const std::uint8_t has : columns.has_final_state) {
      before.push_back(final_states_);
      final_states_ += has != 0 ? 1 : 0;
    }
    if (final_states_ > 0) final_rows_before_ = std::move(before);
    if (final_states_ == 0) columns.has_final_state = {};
  }
  truncated_ = std::count(columns.ends.begin(), columns.ends.end(), EpisodeEnd::truncated);
  for (std::int64_t i = 0; i < n; ++i) longest_ = std::max(longest_, columns.offsets[i + 1] - columns.offsets[i]);
  columns_ = std::make_shared<const Columns>(std::move(columns));
}

Dataset::Dataset(Columns columns, const Locate& locate) : Dataset(checked(std::move(columns), locate), Checked{}) {}

std::string Dataset::episode_name(std::int64_t episode) const {
  return name_of(columns_->episode_ids, episode);
}

Dataset Dataset::take(std::span<const std::int64_t> episodes) const {
  std::vector<std::int64_t> offsets{0}, rows, final_rows;
  std::vector<std::uint8_t> has_final_state;
  std::vector<EpisodeEnd> ends;
  for (const std::int64_t i : episodes) {
    check_episode(i, this->episodes());
    for (std::int64_t t = 0; t < length(i); ++t) rows.push_back(first_step(i) + t);
    offsets.push_back(static_cast<std::int64_t>(rows.size()));
    const auto last = final_row(i);
    has_final_state.push_back(last.has_value());
    if (last) final_rows.push_back(*last);
    ends.push_back(end(i));
  }
  const std::size_t steps = rows.size();
  rows.insert(rows.end(), final_rows.begin(), final_rows.end());
  Columns columns = take_rows(*columns_, ChosenRows{.steps = std::span(rows).first(steps), .states = rows});
  columns.offsets = std::move(offsets);
  columns.episode_ids = take_ids(episode_ids(), episodes);
  columns.has_final_state = std::move(has_final_state);
  columns.ends = std::move(ends);
  return Dataset(std::move(columns));
}

Dataset Dataset::take(std::int64_t first, std::int64_t last) const {
  if (first >= last) return take(std::span<const std::int64_t>{});
  check_episode(first, episodes());
  check_episode(last - 1, episodes());
  const auto finals_before = [&](std::int64_t episode) {
    return final_states_ == 0 || episode == episodes() ? final_states_ : final_rows_before_[episode];
  };
  Columns columns = take_rows(*columns_, RowRange{.first = first_step(first),
                                                  .last = first_step(last),
                                                  .first_final = steps() + finals_before(first),
                                                  .last_final = steps() + finals_before(last)});
  std::vector<std::int64_t> offsets;
  offsets.reserve(last - first + 1);
  for (std::int64_t i = first; i <= last; ++i) offsets.push_back(first_step(i) - first_step(first));
  columns.offsets = std::move(offsets);
  columns.episode_ids = take_ids(episode_ids(), first, last);
  if (final_states_ > 0) columns.has_final_state = columns_->has_final_state.slice(first, last);
  columns.ends = columns_->ends.slice(first, last);
  return {std::move(columns), Checked{}};
}

Dataset Dataset::with_behavior(LoggedProbabilities behavior) const {
  Columns columns = *columns_;
  columns.behavior = std::move(behavior);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_target(LoggedProbabilities target) const {
  Columns columns = *columns_;
  columns.target = std::move(target);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_behavior_distribution(ActionProbabilities distribution) const {
  Columns columns = *columns_;
  columns.behavior_distribution = std::move(distribution);
  return Dataset(std::move(columns));
}

Dataset Dataset::with_target_distribution(ActionProbabilities distribution) const {
  Columns columns = *columns_;
  columns.target_distribution = std::move(distribution);
  return Dataset(std::move(columns));
}

}  // namespace starope
