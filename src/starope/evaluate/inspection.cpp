#include "starope/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "starope/checks/check_logs.hpp"
#include "starope/evaluate/advice.hpp"
#include "starope/evaluate/weights.hpp"
#include "starope/parallel/stop.hpp"
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
  bool any() const noexcept { return count_ > 0; }
  Inspection::Range range() const noexcept {
    return {.min = min_, .mean = sum_ / static_cast<double>(count_), .max = max_};
  }

 private:
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  double sum_ = 0.0;
  std::int64_t count_ = 0;
};

// How many episodes have each length: the median needs all of them, and there are few lengths.
using LengthCounts = std::map<std::int64_t, std::int64_t>;

std::int64_t length_at(const LengthCounts& counts, std::int64_t rank) {
  std::int64_t before = 0;
  for (const auto& [length, count] : counts) {
    before += count;
    if (rank < before) return length;
  }
  return counts.rbegin()->first;
}

double median(const LengthCounts& counts, std::int64_t episodes) {
  const std::int64_t middle = length_at(counts, episodes / 2);
  if (episodes % 2 == 1) return static_cast<double>(middle);
  return 0.5 * static_cast<double>(length_at(counts, episodes / 2 - 1) + middle);
}

std::string feature_name(const std::vector<std::string>& names, std::int64_t feature) {
  return names.empty() ? fmt::format("state_{}", feature) : names[feature];
}

// Sums over the steps of every action's probability.
void add_distribution(const std::optional<ActionProbabilities>& distribution, std::vector<double>& sums) {
  if (!distribution) return;
  const auto width = static_cast<std::size_t>(distribution->actions);
  if (sums.size() < width) sums.resize(width, 0.0);
  for (std::int64_t i = 0; i < distribution->values.size(); ++i)
    sums[static_cast<std::size_t>(i) % width] += distribution->values[i];
}

void add_probabilities(const std::optional<LoggedProbabilities>& logged, RangeBuilder& range) {
  if (!logged) return;
  const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
  for (const double p : logged->values) range.add(log ? std::exp(p) : p);
}

// Takes the logs block by block, in their order, so that the numbers do not depend on the blocks.
class Inspector {
 public:
  explicit Inspector(const InspectOptions& options) : options_(options) {}

  void add(const Dataset& block) {
    add_lengths(block);
    add_states(block);
    add_actions(block);
    add_rewards(block);
    add_possible(block);
    add_probabilities(block.behavior(), behavior_);
    add_probabilities(block.target(), target_);
    weighted_ = block.behavior() && block.target();
    if (!weighted_) return;
    const Problem problem = asked(block);
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode episode = problem.episode(i);
      for (const double ratio : episode.ratios) {
        ratios_.add(ratio);
        zero_ratios_ += ratio == 0.0 ? 1 : 0;
      }
      mean_ratio_.add(episode);
      scales_.add(episode);
      ess_.add(episode);
      for (ClippedSizes& each : clipped_) each.add(episode);
    }
  }

  // The second pass, after everything was added once.
  void weigh(const Source& source) {
    if (!weighted_) return;
    WeightsAtSteps weights(checkpoints(longest_), scales_, result_.episodes);
    const Source::Next next = source.open();
    while (const auto block = next()) {
      stop_if_asked();
      const Problem problem = asked(*block);
      for (std::int64_t i = 0; i < problem.episodes(); ++i) weights.add(problem.episode(i));
    }
    result_.weights = weights.finish();
  }

  Inspection finish() && {
    result_.ends_logged = options_.ends_logged;
    const auto episodes = static_cast<double>(result_.episodes), steps = static_cast<double>(result_.steps);
    result_.lengths = {.min = lengths_.begin()->first,
                       .median = median(lengths_, result_.episodes),
                       .mean = steps / episodes,
                       .max = lengths_.rbegin()->first};
    finish_states();
    finish_actions(steps);
    result_.rewards = rewards_.range();
    result_.zero_rewards = static_cast<double>(zero_rewards_) / steps;
    result_.gamma = options_.discount.gamma();
    result_.returns = returns_.range();
    result_.return_deviation = std::sqrt(return_spread_.variance());
    if (behavior_.any()) result_.behavior_probability = behavior_.range();
    if (target_.any()) result_.target_probability = target_.range();
    if (weighted_) finish_weights(steps);
    finish_possible(steps);
    return std::move(result_);
  }

 private:
  Problem asked(const Dataset& block) const {
    return make_problem(block, ProblemOptions{.discount = options_.discount});
  }

  void add_lengths(const Dataset& block) {
    result_.episodes += block.episodes();
    result_.steps += block.steps();
    result_.truncated += block.truncated_episodes();
    longest_ = std::max(longest_, block.longest());
    for (std::int64_t i = 0; i < block.episodes(); ++i) {
      const std::int64_t length = block.length(i);
      ++lengths_[length];
      if (block.end(i) == EpisodeEnd::terminated) continue;
      result_.final_states += block.final_row(i) ? 1 : 0;
      auto& span = result_.truncated_lengths;
      if (!span) span = {.min = length, .max = length};
      span = {.min = std::min(span->min, length), .max = std::max(span->max, length)};
    }
  }

  void add_states(const Dataset& block) {
    if (const auto* discrete = std::get_if<DiscreteStates>(&block.states())) {
      std::vector<std::int64_t> visits(discrete->ids.size(), 0);
      for (std::int64_t i = 0; i < block.steps(); ++i) ++visits[discrete->code[i]];
      for (std::size_t c = 0; c < visits.size(); ++c) visits_[discrete->ids[c]] += visits[c];
    }
    const auto* binary = std::get_if<BinaryStates>(&block.states());
    const auto* dense = std::get_if<DenseStates>(&block.states());
    if (binary != nullptr) {
      begin_features(binary->dimension, binary->names);
      for (std::int64_t d = 0; d < binary->dimension; ++d) {
        RangeBuilder& range = features_[d];
        for (std::int64_t i = 0; i < block.steps(); ++i) range.add(binary->bit(i, d) ? 1.0 : 0.0);
      }
    } else if (dense != nullptr) {
      begin_features(dense->dimension, dense->names);
      std::vector<double> scratch;
      for (std::int64_t i = 0; i < block.steps(); ++i) {
        const auto row = dense->row(i, scratch);
        for (std::size_t d = 0; d < row.size(); ++d) features_[d].add(row[d]);
      }
    }
  }

  void begin_features(std::int64_t dimension, const std::vector<std::string>& names) {
    if (!features_.empty()) return;
    features_.resize(dimension);
    for (std::int64_t d = 0; d < dimension; ++d) feature_names_.push_back(feature_name(names, d));
  }

  void add_actions(const Dataset& block) {
    if (const auto* continuous = std::get_if<ContinuousActions>(&block.actions()))
      result_.action_dimension = continuous->dimension;
    if (const auto* discrete = std::get_if<DiscreteActions>(&block.actions())) {
      if (action_counts_.size() < static_cast<std::size_t>(discrete->count)) action_counts_.resize(discrete->count, 0);
      for (const std::int32_t id : discrete->id) ++action_counts_[id];
    }
    const auto& behavior = block.behavior_distribution();
    const auto& target = block.target_distribution();
    add_distribution(behavior, behavior_sums_);
    add_distribution(target, target_sums_);
    comparable_ = behavior && target && behavior->actions == target->actions;
    if (!comparable_) return;
    for (std::int64_t i = 0; i < behavior->values.size(); ++i) {
      if (behavior->values[i] == 0.0) unsupported_ += target->values[i];
    }
  }

  void add_rewards(const Dataset& block) {
    for (const double reward : block.rewards()) {
      rewards_.add(reward);
      zero_rewards_ += reward == 0.0 ? 1 : 0;
    }
    for (std::int64_t i = 0; i < block.episodes(); ++i) {
      double total = 0.0;
      double weight = 1.0;
      for (const double reward :
           block.rewards().subspan(block.first_step(i), static_cast<std::size_t>(block.length(i)))) {
        total += weight * reward;
        weight *= options_.discount.gamma();
      }
      returns_.add(total);
      return_spread_.add(total);
    }
  }

  void finish_states() {
    if (!visits_.empty()) {
      Inspection::DiscreteState states{.distinct = static_cast<std::int64_t>(visits_.size()),
                                       .visited_once = 0,
                                       .smallest_id = visits_.begin()->first,
                                       .largest_id = visits_.begin()->first};
      for (const auto& [id, visits] : visits_) {
        states.visited_once += visits == 1 ? 1 : 0;
        states.smallest_id = std::min(states.smallest_id, id);
        states.largest_id = std::max(states.largest_id, id);
      }
      result_.discrete_state = states;
    }
    for (std::size_t d = 0; d < features_.size(); ++d)
      result_.features.push_back({.name = feature_names_[d], .range = features_[d].range()});
  }

  void finish_actions(double steps) {
    for (std::size_t a = 0; a < action_counts_.size(); ++a) {
      Inspection::Action action{.id = static_cast<std::int32_t>(a), .count = action_counts_[a]};
      if (a < behavior_sums_.size()) action.behavior = behavior_sums_[a] / steps;
      if (a < target_sums_.size()) action.target = target_sums_[a] / steps;
      result_.actions.push_back(action);
    }
    if (comparable_ && !action_counts_.empty()) result_.unsupported_target = unsupported_ / steps;
  }

  void finish_weights(double steps) {
    result_.ratios = {.range = ratios_.range(),
                      .std_error = mean_ratio_.finish().std_error,
                      .zero_share = static_cast<double>(zero_ratios_) / steps};
    const std::vector<double> ess = ess_.finish();
    const double few = few_episodes(result_.episodes);
    // It may rise again behind that, when episodes of large weight end: no reason to trust the weights more.
    const auto fails = std::find_if(ess.begin(), ess.end(), [few](double size) { return size < few; });
    if (fails != ess.end()) result_.weights_fail_at = fails - ess.begin() + 1;
    for (const ClippedSizes& each : clipped_) result_.clips.push_back(each.finish(checkpoints(longest_), few, result_));
  }

  // An episode may take an action several times: its terms belong together.
  void add_possible(const Dataset& block) {
    const auto* discrete = std::get_if<DiscreteActions>(&block.actions());
    if (discrete == nullptr || !block.behavior() || block.behavior()->density) return;
    possible_.resize(std::max(possible_.size(), static_cast<std::size_t>(discrete->count)));
    const bool log = block.behavior()->scale == LoggedProbabilities::Scale::logarithm;
    std::vector<double> sums(possible_.size(), 0.0);
    std::vector<std::size_t> taken;
    for (std::int64_t e = 0; e < block.episodes(); ++e) {
      for (std::int64_t i = block.first_step(e); i < block.first_step(e + 1); ++i) {
        const auto a = static_cast<std::size_t>(discrete->id[i]);
        const double p = block.behavior()->values[i];
        if (sums[a] == 0.0) taken.push_back(a);
        sums[a] += log ? std::exp(-p) : 1.0 / p;
      }
      for (const std::size_t a : taken) {
        possible_[a].sum += sums[a];
        possible_[a].squares += sums[a] * sums[a];
        sums[a] = 0.0;
      }
      taken.clear();
    }
  }

  void finish_possible(double steps) {
    const auto n = static_cast<double>(result_.episodes);
    for (std::size_t a = 0; a < possible_.size() && a < result_.actions.size(); ++a) {
      const auto& [sum, squares] = possible_[a];
      result_.actions[a].possible = sum / steps;
      if (n < 2.0) continue;
      const double variance = std::max(0.0, squares - sum * sum / n) * n / (n - 1.0);
      result_.actions[a].possible_std_error = std::sqrt(variance) / steps;
    }
  }

  InspectOptions options_;
  Inspection result_{};
  LengthCounts lengths_{};
  std::int64_t longest_ = 0;
  std::unordered_map<std::int64_t, std::int64_t> visits_{};  // of discrete states, by id
  std::vector<RangeBuilder> features_{};
  std::vector<std::string> feature_names_{};
  std::vector<std::int64_t> action_counts_{};
  std::vector<double> behavior_sums_{}, target_sums_{};
  double unsupported_ = 0.0;
  bool comparable_ = false;  // both distributions are there
  RangeBuilder rewards_{}, returns_{}, behavior_{}, target_{}, ratios_{};
  Moments return_spread_{};
  std::int64_t zero_rewards_ = 0, zero_ratios_ = 0;
  bool weighted_ = false;  // there are ratios
  RatioMean mean_ratio_{};
  WeightScales scales_{};
  EssByStep ess_{};
  std::vector<ClippedSizes> clipped_{ClippedSizes(1), ClippedSizes(2), ClippedSizes(3), ClippedSizes(5)};
  struct InverseSums {
    double sum = 0.0, squares = 0.0;
  };
  std::vector<InverseSums> possible_{};  // by action
};

}  // namespace

double few_episodes(std::int64_t episodes) {
  return std::min(10.0, 0.5 * static_cast<double>(episodes));
}

Inspection inspect(const Source& source, const InspectOptions& options) {
  Inspector inspector(options);
  const Source::Next next = source.open();
  while (const auto block = next()) {
    stop_if_asked();
    inspector.add(*block);
  }
  inspector.weigh(source);
  Inspection inspection = std::move(inspector).finish();
  const LogChecks checks = look_at_logs(source, {.threads = options.threads});
  inspection.findings = checks.findings;
  for (const CalibrationRow& row : checks.calibration) {
    inspection.calibration.push_back({.least = row.least,
                                      .most = row.most,
                                      .expected = row.expected,
                                      .observed = row.observed,
                                      .errors = row.errors,
                                      .steps = row.steps});
  }
  if (const auto& history = checks.history) {
    inspection.history = {.of = history->of,
                          .gain = history->gain,
                          .errors = history->errors,
                          .steps = history->steps,
                          .matters = history->matters};
  }
  inspection.findings = advice(inspection);
  return inspection;
}

Inspection inspect(const Dataset& data, const InspectOptions& options) {
  return inspect(dataset_source(data), options);
}

}  // namespace starope
