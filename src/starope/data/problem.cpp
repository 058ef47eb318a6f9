#include "starope/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/base/data_location.hpp"

namespace starope {
namespace {

using Scale = LoggedProbabilities::Scale;

[[noreturn]] void missing(const char* column, const char* meaning) {
  throw DataError({.code = "missing_column",
                   .at = in_column(column),
                   .value = {},
                   .rule = fmt::format("is missing: {}", meaning),
                   .remedy = "Add the column to the logs, or say which column holds it"});
}

const LoggedProbabilities& behavior_of(const Dataset& data) {
  if (!data.behavior()) missing("behavior_prob", "the probability with which the logged action was chosen");
  return *data.behavior();
}

// Dividing keeps ratios such as 0.9 / 0.5 exact; densities whose logarithm is given may not even be doubles.
double ratio_of(double target, Scale target_scale, double behavior, Scale behavior_scale) {
  if (target_scale == Scale::linear && behavior_scale == Scale::linear) return target / behavior;
  const double log_target = target_scale == Scale::linear ? std::log(target) : target;
  const double log_behavior = behavior_scale == Scale::linear ? std::log(behavior) : behavior;
  return std::exp(log_target - log_behavior);
}

[[noreturn]] void ratio_not_finite(const Dataset& data, std::int64_t step, double ratio) {
  std::int64_t episode = 0;
  while (data.first_step(episode + 1) <= step) ++episode;
  throw DataError({.code = "ratio_overflow",
                   .at = {.file = {},
                          .row = {},
                          .episode = data.episode_name(episode),
                          .step = step - data.first_step(episode),
                          .column = {}},
                   .value = fmt::format("{}", ratio),
                   .rule = "is the ratio target / behavior of this step; it must be a finite number",
                   .remedy = "Check the behavior probability of this row: it is far smaller than the target's"});
}

}  // namespace

Problem::Problem(Dataset data, Column<double> ratios, std::optional<ActionProbabilities> target,
                 const ProblemOptions& options)
    : data_(std::move(data)), ratios_(std::move(ratios)), computed_target_(std::move(target)), options_(options) {
  for (std::int64_t i = 0; i < ratios_.size(); ++i) {
    const double ratio = ratios_[i];
    if (!std::isfinite(ratio)) ratio_not_finite(data_, i, ratio);
    if (ratio > 0.0) survey_.ratio_log2_bound = std::max(survey_.ratio_log2_bound, std::abs(std::log2(ratio)));
  }
  measure();
}

void Problem::measure() {
  survey_.episodes = data_.episodes();
  survey_.steps = data_.steps();
  survey_.longest = data_.longest();
  if (!options_.horizon) return;
  const std::int64_t most = options_.horizon->steps();
  survey_.steps = 0;
  for (std::int64_t i = 0; i < data_.episodes(); ++i) survey_.steps += std::min(most, data_.length(i));
  survey_.longest = std::min(most, survey_.longest);
}

const std::optional<ActionProbabilities>& Problem::target_distribution() const noexcept {
  return computed_target_ ? computed_target_ : data_.target_distribution();
}

Problem Problem::with(const ProblemOptions& options) const {
  Problem other = *this;
  other.options_ = options;
  other.measure();
  return other;
}

Problem Problem::with_horizon(std::optional<Horizon> horizon) const {
  ProblemOptions changed = options_;
  changed.horizon = horizon;
  return with(changed);
}

Problem Problem::without_states() const {
  Problem other = *this;
  Columns columns = data_.columns();
  columns.states = {};
  other.data_ = Dataset(std::move(columns));
  return other;
}

Problem Problem::take(std::span<const std::int64_t> episodes) const {
  std::vector<double> ratios, probabilities;
  const std::int64_t width = computed_target_ ? computed_target_->actions : 0;
  for (const std::int64_t i : episodes) {
    const std::int64_t first = data_.first_step(i), last = first + data_.length(i);
    ratios.insert(ratios.end(), ratios_.begin() + first, ratios_.begin() + last);
    if (!computed_target_) continue;
    const double* const all = computed_target_->values.data();
    probabilities.insert(probabilities.end(), all + first * width, all + last * width);
  }
  std::optional<ActionProbabilities> target;
  if (computed_target_) {
    target = ActionProbabilities{.actions = computed_target_->actions, .values = std::move(probabilities)};
  }
  return {data_.take(episodes), std::move(ratios), std::move(target), options_};
}

Problem make_problem(const Dataset& data, const ProblemOptions& options) {
  const LoggedProbabilities& behavior = behavior_of(data);
  if (!data.target()) missing("target_prob", "the probability with which the target policy takes the logged action");
  const LoggedProbabilities& target = *data.target();
  std::vector<double> ratios(data.steps());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    ratios[i] = ratio_of(target.values[i], target.scale, behavior.values[i], behavior.scale);
  }
  return {data, std::move(ratios), std::nullopt, options};
}

Problem make_problem(const Dataset& data, const Policy& policy, const ProblemOptions& options) {
  const LoggedProbabilities& behavior = behavior_of(data);
  const auto* actions = std::get_if<DiscreteActions>(&data.actions());
  if (actions == nullptr) missing("action", "a policy function needs discrete actions 0, 1, ...");
  if (std::holds_alternative<std::monostate>(data.states())) missing("state", "a policy function needs the states");
  const auto width = static_cast<std::size_t>(actions->count);
  std::vector<double> scratch;
  std::vector<double> probabilities(static_cast<std::size_t>(data.steps()) * width);
  std::vector<double> ratios(data.steps());
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const std::span<double> row(probabilities.data() + i * width, width);
    policy(state_view(data, static_cast<std::int64_t>(i), scratch), row);
    double sum = 0.0;
    for (const double p : row) sum += p;
    if (!(std::abs(sum - 1.0) <= 1e-6 * static_cast<double>(width)) ||
        std::any_of(row.begin(), row.end(), [](double p) { return p < 0.0; })) {
      throw InvalidArgument(
          fmt::format("the target policy gave probabilities that sum to {} at step {} of the data; they must be "
                      "non-negative and sum to 1",
                      sum, i));
    }
    ratios[i] = ratio_of(row[actions->id[i]], Scale::linear, behavior.values[i], behavior.scale);
  }
  return {data, std::move(ratios), ActionProbabilities{.actions = actions->count, .values = std::move(probabilities)},
          options};
}

StateView state_view(const Dataset& data, std::int64_t row, std::vector<double>& scratch) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states()))
    return {.id = discrete->id_of(row), .features = {}};
  if (const auto* dense = std::get_if<DenseStates>(&data.states()))
    return {.id = {}, .features = dense->row(row, scratch)};
  const auto* binary = std::get_if<BinaryStates>(&data.states());
  if (binary == nullptr) return {};
  scratch.resize(binary->dimension);
  unpack_bits(binary->row(row), scratch);
  return {.id = {}, .features = scratch};
}

StateView state_view(const Dataset& data, std::int64_t row) {
  const auto* dense = std::get_if<DenseStates>(&data.states());
  if (std::holds_alternative<BinaryStates>(data.states()) || (dense != nullptr && dense->values.doubles() == nullptr)) {
    throw InvalidArgument(
        "states stored as bits or in single precision cannot be viewed in place: give a scratch vector to write them "
        "to");
  }
  std::vector<double> unused;
  return state_view(data, row, unused);
}

}  // namespace starope
