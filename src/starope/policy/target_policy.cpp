#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "starope/error.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/policy.hpp"
#include "starope/policy/layers.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

[[noreturn]] void refuse(const TargetPolicy& policy, const char* code, std::string rule, std::string remedy,
                         DataLocation at = {}) {
  if (at.file.empty()) at.file = policy.source;
  throw DataError(
      {.code = code, .at = std::move(at), .value = {}, .rule = std::move(rule), .remedy = std::move(remedy)});
}

// The episode and step of a row of the state table, for messages.
DataLocation place_of(const Dataset& data, std::int64_t row) {
  DataLocation at;
  if (row >= data.steps()) return at;
  std::int64_t low = 0, high = data.episodes();
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (data.first_step(middle) <= row ? low : high) = middle;
  }
  at.episode = data.episode_name(low);
  at.step = row - data.first_step(low);
  return at;
}

// ---- tables --------------------------------------------------------------------------------------------------------

void look_up(const TargetPolicy& policy, const TabularRule& rule, const Dataset& data, std::int64_t first,
             std::span<double> out) {
  const auto width = static_cast<std::size_t>(rule.actions);
  const std::size_t rows = out.size() / width;
  const auto* states = std::get_if<DiscreteStates>(&data.states());
  if (states == nullptr && !rule.states.empty()) {
    refuse(policy, "policy_needs_ids", "is a policy by the ids of states, and the states of these logs are no ids",
           "Pass --state-kind discrete if they are, or give the policy as weights of their features");
  }
  std::vector<std::size_t> row_of;  // of the table, by the code of a state
  if (!rule.states.empty()) {
    for (const std::int64_t id : states->ids) {
      const auto found = std::lower_bound(rule.states.begin(), rule.states.end(), id);
      const bool known = found != rule.states.end() && *found == id;
      row_of.push_back(known ? static_cast<std::size_t>(found - rule.states.begin()) : rule.states.size());
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::int64_t row = first + static_cast<std::int64_t>(i);
    const std::size_t entry = rule.states.empty() ? 0 : row_of[states->code[row]];
    if (!rule.states.empty() && entry == rule.states.size()) {
      refuse(policy, "policy_lacks_state",
             fmt::format("has no row for state {}, in which the logs are", states->id_of(row)),
             "Add the probabilities of all actions in that state", place_of(data, row));
    }
    std::copy_n(rule.probabilities.begin() + static_cast<std::ptrdiff_t>(entry * width), width,
                out.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
}

// ---- layers --------------------------------------------------------------------------------------------------------

const std::vector<std::string>* names_of(const Dataset& data) {
  if (const auto* dense = std::get_if<DenseStates>(&data.states())) return &dense->names;
  const auto* bits = std::get_if<BinaryStates>(&data.states());
  return bits == nullptr ? nullptr : &bits->names;
}

// Where in a state the inputs of the first layer stand.
std::vector<std::size_t> inputs_of(const TargetPolicy& policy, const LayeredRule& rule, const Dataset& data) {
  const std::vector<std::string>* names = names_of(data);
  if (names == nullptr) {
    refuse(policy, "policy_needs_features", "is a policy of features, and the states of these logs have none",
           "Name the features with --state, pass --state-kind continuous if the states are numbers, or give the "
           "probabilities by state id");
  }
  const auto inputs = static_cast<std::size_t>(rule.layers.front().inputs);
  std::vector<std::size_t> places;
  if (rule.features.empty()) {
    const auto* dense = std::get_if<DenseStates>(&data.states());
    const std::int64_t dimension =
        dense != nullptr ? dense->dimension : std::get<BinaryStates>(data.states()).dimension;
    if (dimension != rule.layers.front().inputs) {
      refuse(policy, "policy_dimension",
             fmt::format("takes {} features, and the states of these logs have {} ({})", inputs, dimension,
                         fmt::join(*names, ", ")),
             "Say which columns are the features it was trained on, in that order: --state A,B,..., or \"features\" in "
             "the file");
    }
    for (std::size_t i = 0; i < inputs; ++i) places.push_back(i);
    return places;
  }
  for (const std::string& feature : rule.features) {
    const auto found = std::find(names->begin(), names->end(), feature);
    if (found == names->end()) {
      refuse(policy, "policy_lacks_feature",
             fmt::format("needs the feature '{}', and the states of these logs have {}", feature,
                         names->empty() ? std::string("no names") : fmt::format("{}", fmt::join(*names, ", "))),
             "Name the columns of the state with --state");
    }
    places.push_back(static_cast<std::size_t>(found - names->begin()));
  }
  return places;
}

class Layers {
 public:
  Layers(const TargetPolicy& policy, const LayeredRule& rule, const Dataset& data)
      : policy_(policy), rule_(rule), data_(data), places_(inputs_of(policy, rule, data)) {
    std::size_t widest = places_.size();
    for (const PolicyLayer& layer : rule.layers) widest = std::max(widest, static_cast<std::size_t>(layer.outputs));
    in_.resize(widest * rows_together);
    out_.resize(widest * rows_together);
  }

  // For rows first .. first + rows - 1, at most rows_together of them.
  void run(std::int64_t first, std::size_t rows, std::span<double> probabilities) {
    for (std::size_t r = 0; r < rows_together; ++r) {  // the rest repeats the last row
      const auto row = first + static_cast<std::int64_t>(std::min(r, rows - 1));
      const std::span<const double> features = state_view(data_, row, scratch_).features;
      for (std::size_t i = 0; i < places_.size(); ++i) {
        auto x = static_cast<float>(features[places_[i]]);
        if (!rule_.mean.empty()) x -= rule_.mean[i];
        if (!rule_.scale.empty()) x /= rule_.scale[i];
        in_[i * rows_together + r] = x;
      }
    }
    std::size_t width = places_.size();
    for (const PolicyLayer& layer : rule_.layers) {
      const auto outputs = static_cast<std::size_t>(layer.outputs);
      apply(layer, std::span(in_).first(width * rows_together), std::span(out_).first(outputs * rows_together));
      std::swap(in_, out_);
      width = outputs;
    }
    const auto actions = static_cast<std::size_t>(policy_.actions());
    scores_.resize(width);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t o = 0; o < width; ++o) scores_[o] = static_cast<double>(in_[o * rows_together + r]);
      if (std::any_of(scores_.begin(), scores_.end(), [](double x) { return !std::isfinite(x); })) {
        refuse(policy_, "policy_not_finite", "gives a number that is not finite in this state",
               "Check the weights, and that the features have the units it was trained on",
               place_of(data_, first + static_cast<std::int64_t>(r)));
      }
      to_probabilities(rule_, scores_, probabilities.subspan(r * actions, actions));
    }
  }

 private:
  const TargetPolicy& policy_;
  const LayeredRule& rule_;
  const Dataset& data_;
  std::vector<std::size_t> places_;
  std::vector<float> in_{}, out_{};
  std::vector<double> scratch_{}, scores_{};
};

}  // namespace

std::int32_t TargetPolicy::actions() const {
  if (const auto* table = std::get_if<TabularRule>(&rule)) return table->actions;
  const auto& layers = std::get<LayeredRule>(rule).layers;
  const std::int64_t outputs = layers.empty() ? 0 : layers.back().outputs;
  return static_cast<std::int32_t>(outputs == 1 ? 2 : outputs);
}

std::vector<double> action_probabilities(const TargetPolicy& policy, const Dataset& data, std::int64_t first,
                                         std::int64_t last) {
  if (first < 0 || last < first || last > data.state_rows())
    throw InvalidArgument(
        fmt::format("rows {} to {} are not inside a state table of {}", first, last, data.state_rows()));
  const auto width = static_cast<std::size_t>(policy.actions());
  std::vector<double> out(static_cast<std::size_t>(last - first) * width);
  if (const auto* table = std::get_if<TabularRule>(&policy.rule)) {
    look_up(policy, *table, data, first, out);
    return out;
  }
  Layers layers(policy, std::get<LayeredRule>(policy.rule), data);
  for (std::int64_t row = first; row < last; row += static_cast<std::int64_t>(rows_together)) {
    const auto rows = static_cast<std::size_t>(std::min<std::int64_t>(last - row, rows_together));
    layers.run(row, rows, std::span(out).subspan(static_cast<std::size_t>(row - first) * width, rows * width));
  }
  return out;
}

Dataset with_target(const Dataset& data, const TargetPolicy& policy, Threads threads) {
  const auto* logged = std::get_if<DiscreteActions>(&data.actions());
  if (logged == nullptr) {
    refuse(policy, "policy_needs_actions", "is a policy over discrete actions, and these logs have none",
           "Name the column of the action with --action, and number the actions from 0");
  }
  const std::int32_t actions = policy.actions();
  if (actions < logged->count) {
    refuse(policy, "policy_lacks_action",
           fmt::format("has {} actions, and the logs have {} (0 to {})", actions, logged->count, logged->count - 1),
           "Give the probability of every action, in their order");
  }
  const auto width = static_cast<std::size_t>(actions);
  std::vector<double> all(static_cast<std::size_t>(data.steps()) * width);
  std::vector<double> chosen(data.steps());
  constexpr std::int64_t rows_per_part = 1 << 14;
  parallel_for((data.steps() + rows_per_part - 1) / rows_per_part, threads, [&](std::int64_t part) {
    const std::int64_t first = part * rows_per_part, last = std::min(first + rows_per_part, data.steps());
    const std::vector<double> rows = action_probabilities(policy, data, first, last);
    std::copy(rows.begin(), rows.end(), all.begin() + first * actions);
    for (std::int64_t i = first; i < last; ++i)
      chosen[i] = all[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(logged->id[i])];
  });
  Columns columns = data.columns();
  columns.actions = DiscreteActions{.id = logged->id, .count = actions};
  columns.target = LoggedProbabilities{.values = std::move(chosen)};
  columns.target_distribution = ActionProbabilities{.actions = actions, .values = std::move(all)};
  return Dataset(std::move(columns));
}

Source with_target(const Source& source, const TargetPolicy& policy) {
  return Source([source, policy]() -> Source::Next {
    return [next = source.open(), policy]() -> std::optional<Dataset> {
      const std::optional<Dataset> block = next();
      return block ? std::optional(with_target(*block, policy, Threads{1})) : std::nullopt;
    };
  });
}

}  // namespace starope
