#include "starope/evaluate/inspection_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "starope/error.hpp"
#include "starope/evaluate/sum_members.hpp"

namespace starope {
namespace {

std::int64_t length_at(const MemberCounts& counts, std::int64_t rank) {
  std::int64_t before = 0;
  for (const auto& [length, count] : counts) {
    before += count;
    if (rank < before) return length;
  }
  return counts.rbegin()->first;
}

double median(const MemberCounts& counts, std::int64_t episodes) {
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

void add_probabilities(const std::optional<LoggedProbabilities>& logged, RangeSums& range) {
  if (!logged) return;
  const bool log = logged->scale == LoggedProbabilities::Scale::logarithm;
  for (const double p : logged->values) range.add(log ? std::exp(p) : p);
}

}  // namespace

InspectionSums::InverseSums& InspectionSums::InverseSums::operator+=(const InverseSums& other) noexcept {
  sum += other.sum;
  squares += other.squares;
  return *this;
}
void InspectionSums::InverseSums::write(ByteWriter& to) const {
  to.number(sum);
  to.number(squares);
}
InspectionSums::InverseSums InspectionSums::InverseSums::read(ByteReader& from) {
  const double sum = from.real();
  return {.sum = sum, .squares = from.real()};
}

InspectionSums::InspectionSums(const InspectOptions& options)
    : discount_(options.discount), ends_logged_(options.ends_logged) {
  for (const std::int64_t clip : {1, 2, 3, 5}) clipped_.emplace_back(clip);
}

Problem InspectionSums::asked(const Dataset& block) const {
  return make_problem(block, ProblemOptions{.discount = discount_});
}

WeightsAtSteps InspectionSums::no_weights() const {
  return {checkpoints(lengths_.rbegin()->first), scales_, result_.episodes};
}

void InspectionSums::add(const Dataset& block) {
  add_lengths(block);
  add_states(block);
  add_actions(block);
  add_rewards(block);
  add_possible(block);
  add_probabilities(block.behavior(), behavior_);
  add_probabilities(block.target(), target_);
  weighted_ = block.behavior() && block.target();
  if (weighted_) add_ratios(block);
}

void InspectionSums::add_ratios(const Dataset& block) {
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

void InspectionSums::add_lengths(const Dataset& block) {
  result_.episodes += block.episodes();
  result_.steps += block.steps();
  result_.truncated += block.truncated_episodes();
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

void InspectionSums::add_states(const Dataset& block) {
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
      RangeSums& range = features_[d];
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

void InspectionSums::begin_features(std::int64_t dimension, const std::vector<std::string>& names) {
  if (!features_.empty()) return;
  features_.resize(dimension);
  for (std::int64_t d = 0; d < dimension; ++d) feature_names_.push_back(feature_name(names, d));
}

void InspectionSums::add_actions(const Dataset& block) {
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

void InspectionSums::add_rewards(const Dataset& block) {
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
      weight *= discount_.gamma();
    }
    returns_.add(total);
    return_spread_.add(total);
  }
}

// An episode may take an action several times: its terms belong together.
void InspectionSums::add_possible(const Dataset& block) {
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

template <class Mine, class Other, class Work>
void InspectionSums::with_all(Mine& mine, Other& other, const Work& work) {
  work(mine.result_.episodes, other.result_.episodes);
  work(mine.result_.steps, other.result_.steps);
  work(mine.result_.truncated, other.result_.truncated);
  work(mine.result_.final_states, other.result_.final_states);
  work(mine.result_.truncated_lengths, other.result_.truncated_lengths);
  work(mine.lengths_, other.lengths_);
  work(mine.visits_, other.visits_);
  work(mine.features_, other.features_);
  work(mine.action_counts_, other.action_counts_);
  work(mine.behavior_sums_, other.behavior_sums_);
  work(mine.target_sums_, other.target_sums_);
  work(mine.unsupported_, other.unsupported_);
  work(mine.rewards_, other.rewards_);
  work(mine.returns_, other.returns_);
  work(mine.behavior_, other.behavior_);
  work(mine.target_, other.target_);
  work(mine.ratios_, other.ratios_);
  work(mine.return_spread_, other.return_spread_);
  work(mine.zero_rewards_, other.zero_rewards_);
  work(mine.zero_ratios_, other.zero_ratios_);
  work(mine.mean_ratio_, other.mean_ratio_);
  work(mine.scales_, other.scales_);
  work(mine.ess_, other.ess_);
  work(mine.clipped_, other.clipped_);
  work(mine.possible_, other.possible_);
}

InspectionSums& InspectionSums::operator+=(const InspectionSums& other) {
  const bool same = discount_.gamma() == other.discount_.gamma() && ends_logged_ == other.ends_logged_ &&
                    weighted_ == other.weighted_ && comparable_ == other.comparable_ &&
                    feature_names_ == other.feature_names_ &&
                    result_.action_dimension == other.result_.action_dimension;
  if (!same) throw InvalidArgument("parts with other columns, or looked at with another discount, cannot be added");
  with_all(*this, other, AddMember{});
  return *this;
}

void InspectionSums::write(ByteWriter& to) const {
  to.number(discount_.gamma());
  to.flag(ends_logged_);
  to.flag(weighted_);
  to.flag(comparable_);
  to.number(static_cast<std::int64_t>(feature_names_.size()));
  for (const std::string& name : feature_names_) to.text(name);
  to.number(result_.action_dimension.value_or(-1));
  with_all(*this, *this, WriteMember{to});
}

InspectionSums InspectionSums::read(ByteReader& from) {
  const double gamma = from.finite();
  if (!(gamma >= 0.0 && gamma <= 1.0)) from.fail("there is no such discount");
  InspectionSums sums({.discount = Discount{gamma}, .ends_logged = from.flag()});
  sums.weighted_ = from.flag();
  sums.comparable_ = from.flag();
  const std::int64_t features = from.number_within(0, ReadMember::most);
  for (std::int64_t i = 0; i < features; ++i) sums.feature_names_.push_back(from.text());
  const std::int64_t dimension = from.number_within(-1, ReadMember::most);
  if (dimension >= 0) sums.result_.action_dimension = dimension;
  with_all(sums, sums, ReadMember{from});
  if (sums.lengths_.empty() || sums.result_.episodes < 1) from.fail("there are no episodes");
  if (sums.features_.size() != sums.feature_names_.size()) from.fail("features and their names do not agree");
  return sums;
}

Inspection InspectionSums::finish() const {
  Inspection result = result_;
  result.ends_logged = ends_logged_;
  const auto episodes = static_cast<double>(result.episodes), steps = static_cast<double>(result.steps);
  result.lengths = {.min = lengths_.begin()->first,
                    .median = median(lengths_, result.episodes),
                    .mean = steps / episodes,
                    .max = lengths_.rbegin()->first};
  finish_states(result);
  finish_actions(result);
  result.rewards = rewards_.range();
  result.zero_rewards = static_cast<double>(zero_rewards_) / steps;
  result.gamma = discount_.gamma();
  result.returns = returns_.range();
  result.return_deviation = std::sqrt(return_spread_.variance());
  if (behavior_.any()) result.behavior_probability = behavior_.range();
  if (target_.any()) result.target_probability = target_.range();
  if (weighted_) finish_weights(result);
  finish_possible(result);
  return result;
}

void InspectionSums::finish_states(Inspection& result) const {
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
    result.discrete_state = states;
  }
  for (std::size_t d = 0; d < features_.size(); ++d)
    result.features.push_back({.name = feature_names_[d], .range = features_[d].range()});
}

void InspectionSums::finish_actions(Inspection& result) const {
  const auto steps = static_cast<double>(result.steps);
  for (std::size_t a = 0; a < action_counts_.size(); ++a) {
    Inspection::Action action{.id = static_cast<std::int32_t>(a), .count = action_counts_[a]};
    if (a < behavior_sums_.size()) action.behavior = behavior_sums_[a] / steps;
    if (a < target_sums_.size()) action.target = target_sums_[a] / steps;
    result.actions.push_back(action);
  }
  if (comparable_ && !action_counts_.empty()) result.unsupported_target = unsupported_ / steps;
}

void InspectionSums::finish_weights(Inspection& result) const {
  const auto steps = static_cast<double>(result.steps);
  result.ratios = {.range = ratios_.range(),
                   .std_error = mean_ratio_.finish().std_error,
                   .zero_share = static_cast<double>(zero_ratios_) / steps};
  const std::vector<double> ess = ess_.finish();
  const double few = few_episodes(result.episodes);
  // It may rise again behind that, when episodes of large weight end: no reason to trust the weights more.
  const auto fails = std::find_if(ess.begin(), ess.end(), [few](double size) { return size < few; });
  if (fails != ess.end()) result.weights_fail_at = fails - ess.begin() + 1;
  for (const ClippedSizes& each : clipped_)
    result.clips.push_back(each.finish(checkpoints(lengths_.rbegin()->first), few, result));
}

void InspectionSums::finish_possible(Inspection& result) const {
  const auto steps = static_cast<double>(result.steps);
  const auto n = static_cast<double>(result.episodes);
  for (std::size_t a = 0; a < possible_.size() && a < result.actions.size(); ++a) {
    const auto& [sum, squares] = possible_[a];
    result.actions[a].possible = sum / steps;
    if (n < 2.0) continue;
    const double variance = std::max(0.0, squares - sum * sum / n) * n / (n - 1.0);
    result.actions[a].possible_std_error = std::sqrt(variance) / steps;
  }
}

}  // namespace starope
