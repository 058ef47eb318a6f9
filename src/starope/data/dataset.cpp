#include "starope/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

[[noreturn]] void fail_shape(const std::string& what) {
  throw InvalidArgument("data set columns do not fit together: " + what);
}

void check_size(std::size_t actual, std::int64_t expected, const char* column) {
  if (actual != static_cast<std::size_t>(expected)) {
    fail_shape(fmt::format("{} has {} entries, expected {}", column, actual, expected));
  }
}

std::string name_of(const EpisodeIds& ids, std::int64_t episode) {
  const auto i = static_cast<std::size_t>(episode);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&ids)) {
    return numbers->empty() ? fmt::format("{}", episode) : fmt::format("{}", (*numbers)[i]);
  }
  const auto& names = std::get<std::vector<std::string>>(ids);
  return names.empty() ? fmt::format("{}", episode) : names[i];
}

// The rules on single values, one function per column.
class Checker {
 public:
  Checker(const Columns& columns, const Dataset::Locate& locate) : columns_(columns), locate_(locate) {}

  void check_shape(std::int64_t final_states) const {
    const std::int64_t n = static_cast<std::int64_t>(columns_.offsets.size()) - 1;
    const std::int64_t steps = columns_.offsets.back();
    check_size(columns_.rewards.size(), steps, "rewards");
    check_size(columns_.ends.size(), n, "ends");
    const std::size_t ids = std::visit([](const auto& v) { return v.size(); }, columns_.episode_ids);
    if (ids != 0) check_size(ids, n, "episode_ids");
    if (const auto* s = std::get_if<DiscreteStates>(&columns_.states))
      check_size(s->code.size(), steps + final_states, "states");
    if (const auto* s = std::get_if<DenseStates>(&columns_.states)) {
      if (s->dimension < 1) fail_shape(fmt::format("state dimension is {}", s->dimension));
      check_size(s->values.size(), (steps + final_states) * s->dimension, "states");
    }
    if (const auto* s = std::get_if<BinaryStates>(&columns_.states)) {
      if (s->dimension < 1) fail_shape(fmt::format("state dimension is {}", s->dimension));
      check_size(s->words.size(), (steps + final_states) * static_cast<std::int64_t>(s->words_per_row()), "states");
      // Everybody counts on it: a stray bit would be a feature that does not exist.
      const std::size_t used = static_cast<std::size_t>(s->dimension) % 64;
      for (std::size_t last = s->words_per_row() - 1; used != 0 && last < s->words.size(); last += s->words_per_row()) {
        if (s->words[last] >> used != 0) fail_shape("bits beyond the state dimension are set");
      }
    }
    if (const auto* a = std::get_if<DiscreteActions>(&columns_.actions)) check_size(a->id.size(), steps, "actions");
    if (const auto* a = std::get_if<ContinuousActions>(&columns_.actions)) {
      check_size(a->values.size(), steps * a->dimension, "actions");
    }
    if (columns_.behavior) check_size(columns_.behavior->values.size(), steps, "behavior");
    if (columns_.target) check_size(columns_.target->values.size(), steps, "target");
    for (const auto* p : {&columns_.behavior_distribution, &columns_.target_distribution}) {
      if (*p) check_size((*p)->values.size(), steps * (*p)->actions, "action distribution");
    }
  }

  void check_rewards() const {
    for (std::size_t i = 0; i < columns_.rewards.size(); ++i) {
      if (!std::isfinite(columns_.rewards[i])) {
        fail(i, "bad_reward", "reward", columns_.rewards[i], "is not a finite number; every reward must be",
             "Replace it by the reward that was received, or drop the whole episode");
      }
    }
  }

  void check_states() const {
    const auto* dense = std::get_if<DenseStates>(&columns_.states);
    if (dense == nullptr) return;
    for (std::size_t i = 0; i < dense->values.size(); ++i) {
      if (std::isfinite(dense->values[i])) continue;
      const auto d = static_cast<std::size_t>(dense->dimension);
      const std::string column = dense->names.empty() ? fmt::format("state_{}", i % d) : dense->names[i % d];
      fail(i / d, "bad_state", column, dense->values[i], "is not a finite number; every state feature must be",
           "Impute missing measurements before the evaluation, or drop the column");
    }
  }

  void check_actions() const {
    const auto* discrete = std::get_if<DiscreteActions>(&columns_.actions);
    if (discrete == nullptr) return;
    for (std::size_t i = 0; i < discrete->id.size(); ++i) {
      if (discrete->id[i] >= 0 && discrete->id[i] < discrete->count) continue;
      fail(i, "bad_action", "action", discrete->id[i],
           fmt::format("is not one of the {} actions 0..{}", discrete->count, discrete->count - 1),
           "Number the actions from 0 and give every action its own probability column");
    }
  }

  // `zero_allowed`: the target policy may never take a logged action, the behaviour policy must have been able to.
  void check_probabilities(const std::optional<LoggedProbabilities>& logged, const char* who, bool zero_allowed) const {
    if (!logged) return;
    const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
    const std::string column = fmt::format("{}_{}", who, log ? "logp" : "prob");
    const double most = logged->density ? HUGE_VAL : (log ? 0.0 : 1.0);
    const double least = log ? -HUGE_VAL : 0.0;
    for (std::size_t i = 0; i < logged->values.size(); ++i) {
      const double p = logged->values[i];
      if (p > least && p <= most && p < HUGE_VAL) continue;
      if (p == least && zero_allowed) continue;
      if (p == least) {
        fail(i, "bad_probability", column, p, "says that the behaviour policy could not take the action it took",
             "Log the probability with which the action was chosen; it is never zero");
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
    const auto width = static_cast<std::size_t>(distribution->actions);
    const std::size_t steps = columns_.rewards.size();
    constexpr double tolerance = 1e-6;  // probabilities written with seven digits still pass
    for (std::size_t i = 0; i < steps; ++i) {
      double sum = 0.0;
      for (std::size_t a = 0; a < width; ++a) {
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
             "Normalise the distribution, or leave these columns out");
      }
      check_agreement(*distribution, logged, who, i, tolerance);
    }
  }

 private:
  void check_agreement(const ActionProbabilities& distribution, const std::optional<LoggedProbabilities>& logged,
                       const char* who, std::size_t i, double tolerance) const {
    const auto* actions = std::get_if<DiscreteActions>(&columns_.actions);
    if (actions == nullptr || !logged) return;
    const double listed =
        distribution
            .values[i * static_cast<std::size_t>(distribution.actions) + static_cast<std::size_t>(actions->id[i])];
    const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
    const double chosen = log ? std::exp(logged->values[i]) : logged->values[i];
    if (std::abs(listed - chosen) <= tolerance * std::max(1.0, chosen)) return;
    fail(i, "contradicting_probabilities", fmt::format("{}_{}", who, log ? "logp" : "prob"), logged->values[i],
         fmt::format("contradicts {}_probs_{} = {}, the probability of the logged action {}", who, actions->id[i],
                     listed, actions->id[i]),
         "Leave one of the two out, or correct it");
  }

  template <class Value>
  [[noreturn]] void fail(std::size_t row, const char* code, const std::string& column, Value value,
                         const std::string& rule, const std::string& remedy) const {
    DataLocation at = locate(static_cast<std::int64_t>(row));
    at.column = column;
    throw DataError(
        {.code = code, .at = std::move(at), .value = fmt::format("{}", value), .rule = rule, .remedy = remedy});
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
};

void check_offsets(const std::vector<std::int64_t>& offsets) {
  if (offsets.size() < 2) {
    throw DataError({.code = "no_episodes",
                     .at = {},
                     .value = {},
                     .rule = "the data hold no episode",
                     .remedy = "Log at least one episode of one step"});
  }
  if (offsets.front() != 0) fail_shape("offsets must start at 0");
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] <= offsets[i - 1]) fail_shape(fmt::format("episode {} has no steps", i - 1));
  }
}

}  // namespace

namespace {

// Ids within a range that is not much wider than the rows are many: a table over the range, in time linear in the rows.
DiscreteStates encode_by_table(std::span<const std::int64_t> ids, std::int64_t lowest, std::uint64_t range) {
  const auto place = [lowest](std::int64_t id) {
    return static_cast<std::size_t>(static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(lowest));
  };
  std::vector<std::int32_t> code(static_cast<std::size_t>(range) + 1, -1);
  for (const std::int64_t id : ids) code[place(id)] = 0;
  DiscreteStates states;
  for (std::size_t k = 0; k < code.size(); ++k) {
    if (code[k] < 0) continue;
    code[k] = static_cast<std::int32_t>(states.ids.size());
    states.ids.push_back(lowest + static_cast<std::int64_t>(k));
  }
  states.code.reserve(ids.size());
  for (const std::int64_t id : ids) states.code.push_back(code[place(id)]);
  return states;
}

}  // namespace

DiscreteStates make_discrete_states(std::span<const std::int64_t> ids) {
  if (ids.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(ids.begin(), ids.end());
  // Unsigned: the difference of two ids may exceed the largest one.
  const std::uint64_t range = static_cast<std::uint64_t>(*highest) - static_cast<std::uint64_t>(*lowest);
  if (range <= 4 * static_cast<std::uint64_t>(ids.size())) return encode_by_table(ids, *lowest, range);
  DiscreteStates states;
  states.ids.assign(ids.begin(), ids.end());
  std::sort(states.ids.begin(), states.ids.end());
  states.ids.erase(std::unique(states.ids.begin(), states.ids.end()), states.ids.end());
  std::unordered_map<std::int64_t, std::int32_t> code;
  code.reserve(states.ids.size());
  for (std::size_t i = 0; i < states.ids.size(); ++i) code.emplace(states.ids[i], static_cast<std::int32_t>(i));
  states.code.reserve(ids.size());
  for (const std::int64_t id : ids) states.code.push_back(code.at(id));
  return states;
}

DenseStates to_dense(const BinaryStates& states) {
  DenseStates dense{.dimension = states.dimension, .values = {}, .names = states.names};
  const auto dimension = static_cast<std::size_t>(states.dimension);
  const std::size_t rows = states.words.empty() ? 0 : states.words.size() / states.words_per_row();
  dense.values.resize(rows * dimension);
  for (std::size_t i = 0; i < rows; ++i)
    unpack_bits(states.row(static_cast<std::int64_t>(i)), std::span(dense.values).subspan(i * dimension, dimension));
  return dense;
}

std::optional<BinaryStates> to_bits(const DenseStates& states) {
  const auto is_bit = [](double x) { return x == 0.0 || x == 1.0; };
  if (!std::all_of(states.values.begin(), states.values.end(), is_bit)) return std::nullopt;
  BinaryStates bits{.dimension = states.dimension, .words = {}, .names = states.names};
  const auto dimension = static_cast<std::size_t>(states.dimension);
  if (dimension == 0) return bits;
  bits.words.reserve(states.values.size() / dimension * bits.words_per_row());
  for (std::size_t i = 0; i < states.values.size(); i += dimension)
    append_bits(bits.words, std::span(states.values).subspan(i, dimension));
  return bits;
}

Dataset::Dataset(Columns columns, const Locate& locate) {
  check_offsets(columns.offsets);
  const std::int64_t n = static_cast<std::int64_t>(columns.offsets.size()) - 1;
  if (!columns.has_final_state.empty()) {
    check_size(columns.has_final_state.size(), n, "has_final_state");
    final_rows_before_.reserve(static_cast<std::size_t>(n) + 1);
    for (const bool has : columns.has_final_state) {
      final_rows_before_.push_back(final_states_);
      final_states_ += has ? 1 : 0;
    }
  }
  const Checker check(columns, locate);
  check.check_shape(final_states_);
  check.check_rewards();
  check.check_states();
  check.check_actions();
  check.check_probabilities(columns.behavior, "behavior", false);
  check.check_probabilities(columns.target, "target", true);
  check.check_distribution(columns.behavior_distribution, columns.behavior, "behavior");
  check.check_distribution(columns.target_distribution, columns.target, "target");

  truncated_ = std::count(columns.ends.begin(), columns.ends.end(), EpisodeEnd::truncated);
  for (std::size_t i = 1; i < columns.offsets.size(); ++i)
    longest_ = std::max(longest_, columns.offsets[i] - columns.offsets[i - 1]);
  columns_ = std::make_shared<const Columns>(std::move(columns));
}

std::string Dataset::episode_name(std::int64_t episode) const {
  return name_of(columns_->episode_ids, episode);
}

}  // namespace starope
