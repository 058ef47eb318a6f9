#include "starope/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "starope/checks/check_logs.hpp"
#include "starope/evaluate/advice.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

class RangeBuilder {
 public:
  void add(double x) noexcept {
    min_ = std::min(min_, x);
    max_ = std::max(max_, x);
    sum_ += x;
    ++count_;
  }
  Inspection::Range range() const noexcept {
    return {.min = min_, .mean = sum_ / static_cast<double>(count_), .max = max_};
  }

 private:
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

double median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return static_cast<double>(*middle);
  const auto below = std::max_element(values.begin(), middle);
  return 0.5 * static_cast<double>(*below + *middle);
}

void inspect_lengths(const Dataset& data, Inspection& inspection) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    lengths.push_back(data.length(i));
    if (data.end(i) == EpisodeEnd::terminated) continue;
    inspection.final_states += data.final_row(i) ? 1 : 0;
    auto& span = inspection.truncated_lengths;
    if (!span) span = {.min = data.length(i), .max = data.length(i)};
    span = {.min = std::min(span->min, data.length(i)), .max = std::max(span->max, data.length(i))};
  }
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  inspection.lengths = {.min = *shortest,
                        .median = 0.0,
                        .mean = static_cast<double>(data.steps()) / static_cast<double>(data.episodes()),
                        .max = *longest};
  inspection.lengths.median = median(std::move(lengths));
}

std::string feature_name(const std::vector<std::string>& names, std::int64_t feature) {
  return names.empty() ? fmt::format("state_{}", feature) : names[static_cast<std::size_t>(feature)];
}

void inspect_states(const Dataset& data, Inspection& inspection) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states())) {
    std::vector<std::int64_t> visits(static_cast<std::size_t>(discrete->ids.size()), 0);
    for (std::int64_t i = 0; i < data.steps(); ++i) ++visits[static_cast<std::size_t>(discrete->code[i])];
    inspection.discrete_state = {.distinct = discrete->ids.size(),
                                 .visited_once = std::count(visits.begin(), visits.end(), 1),
                                 .smallest_id = discrete->ids.front(),
                                 .largest_id = discrete->ids.back()};
  }
  if (const auto* binary = std::get_if<BinaryStates>(&data.states())) {
    for (std::int64_t d = 0; d < binary->dimension; ++d) {
      RangeBuilder range;
      for (std::int64_t i = 0; i < data.steps(); ++i) range.add(binary->bit(i, d) ? 1.0 : 0.0);
      inspection.features.push_back({.name = feature_name(binary->names, d), .range = range.range()});
    }
  }
  if (const auto* dense = std::get_if<DenseStates>(&data.states())) {
    const auto dimension = static_cast<std::size_t>(dense->dimension);
    std::vector<RangeBuilder> ranges(dimension);
    std::vector<double> scratch;
    for (std::int64_t i = 0; i < data.steps(); ++i) {
      const auto row = dense->row(i, scratch);
      for (std::size_t d = 0; d < dimension; ++d) ranges[d].add(row[d]);
    }
    for (std::size_t d = 0; d < dimension; ++d) {
      inspection.features.push_back(
          {.name = feature_name(dense->names, static_cast<std::int64_t>(d)), .range = ranges[d].range()});
    }
  }
}

// The mean over all steps of every action's probability.
std::vector<double> mean_distribution(const ActionProbabilities& distribution, std::int64_t steps) {
  const auto width = static_cast<std::size_t>(distribution.actions);
  std::vector<double> sums(width, 0.0);
  for (std::int64_t i = 0; i < distribution.values.size(); ++i)
    sums[static_cast<std::size_t>(i) % width] += distribution.values[i];
  for (double& sum : sums) sum /= static_cast<double>(steps);
  return sums;
}

void inspect_actions(const Dataset& data, Inspection& inspection) {
  if (const auto* continuous = std::get_if<ContinuousActions>(&data.actions())) {
    inspection.action_dimension = continuous->dimension;
  }
  const auto* discrete = std::get_if<DiscreteActions>(&data.actions());
  if (discrete == nullptr) return;
  inspection.actions.resize(static_cast<std::size_t>(discrete->count));
  for (std::size_t a = 0; a < inspection.actions.size(); ++a) inspection.actions[a].id = static_cast<std::int32_t>(a);
  for (const std::int32_t id : discrete->id) ++inspection.actions[static_cast<std::size_t>(id)].count;
  const auto& behavior = data.behavior_distribution();
  const auto& target = data.target_distribution();
  const auto fill = [&](const std::optional<ActionProbabilities>& distribution,
                        std::optional<double> Inspection::Action::*to) {
    if (!distribution) return;
    const std::vector<double> means = mean_distribution(*distribution, data.steps());
    for (std::size_t a = 0; a < std::min(means.size(), inspection.actions.size()); ++a)
      inspection.actions[a].*to = means[a];
  };
  fill(behavior, &Inspection::Action::behavior);
  fill(target, &Inspection::Action::target);
  if (!behavior || !target || behavior->actions != target->actions) return;
  double unsupported = 0.0;
  for (std::int64_t i = 0; i < behavior->values.size(); ++i) {
    if (behavior->values[i] == 0.0) unsupported += target->values[i];
  }
  inspection.unsupported_target = unsupported / static_cast<double>(data.steps());
}

void inspect_rewards(const Dataset& data, Discount discount, Inspection& inspection) {
  RangeBuilder rewards;
  RangeBuilder returns;
  Moments spread;
  std::int64_t zeros = 0;
  for (const double reward : data.rewards()) {
    rewards.add(reward);
    zeros += reward == 0.0 ? 1 : 0;
  }
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    double total = 0.0;
    double weight = 1.0;
    for (const double reward : data.rewards().subspan(static_cast<std::size_t>(data.first_step(i)),
                                                      static_cast<std::size_t>(data.length(i)))) {
      total += weight * reward;
      weight *= discount.gamma();
    }
    returns.add(total);
    spread.add(total);
  }
  inspection.rewards = rewards.range();
  inspection.zero_rewards = static_cast<double>(zeros) / static_cast<double>(data.steps());
  inspection.gamma = discount.gamma();
  inspection.returns = returns.range();
  inspection.return_deviation = std::sqrt(spread.variance());
}

std::optional<Inspection::Range> probability_range(const std::optional<LoggedProbabilities>& logged) {
  if (!logged) return std::nullopt;
  RangeBuilder range;
  const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
  for (const double p : logged->values) range.add(log ? std::exp(p) : p);
  return range.range();
}

void inspect_weights(const Problem& problem, Inspection& inspection) {
  RangeBuilder range;
  std::int64_t zeros = 0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    for (const double ratio : problem.episode(i).ratios) {
      range.add(ratio);
      zeros += ratio == 0.0 ? 1 : 0;
    }
  }
  inspection.ratios = {.range = range.range(),
                       .std_error = mean_ratio(problem).std_error,
                       .zero_share = static_cast<double>(zeros) / static_cast<double>(problem.steps())};
  inspection.weights = weights_at(problem, checkpoints(problem.longest()));
  const std::vector<double> ess = ess_by_step(problem);
  const double few = few_episodes(problem.episodes());
  // It may rise again behind that, when episodes of large weight end: no reason to trust the weights more.
  const auto fails = std::find_if(ess.begin(), ess.end(), [few](double size) { return size < few; });
  if (fails != ess.end()) inspection.weights_fail_at = fails - ess.begin() + 1;
}

}  // namespace

double few_episodes(std::int64_t episodes) {
  return std::min(10.0, 0.5 * static_cast<double>(episodes));
}

Inspection inspect(const Dataset& data, const InspectOptions& options) {
  Inspection inspection;
  inspection.ends_logged = options.ends_logged;
  inspection.episodes = data.episodes();
  inspection.steps = data.steps();
  inspection.truncated = data.truncated_episodes();
  inspect_lengths(data, inspection);
  inspect_states(data, inspection);
  inspect_actions(data, inspection);
  inspect_rewards(data, options.discount, inspection);
  inspection.behavior_probability = probability_range(data.behavior());
  inspection.target_probability = probability_range(data.target());
  if (data.behavior() && data.target())
    inspect_weights(make_problem(data, ProblemOptions{.discount = options.discount}), inspection);
  inspection.findings = check_logs(data, {.threads = options.threads});
  inspection.findings = advice(inspection);
  return inspection;
}

}  // namespace starope
