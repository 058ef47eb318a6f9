#include "starope/inference/group_answers.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "starope/base/assert.hpp"
#include "starope/inference/difference.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::size_t least_episodes = 20;
constexpr double least_scores = 10.0;

// The estimate of one group: the mean of value + influence over its episodes, with what the estimate knows of errors
// besides sampling.
Estimate within(const Estimate& whole, const std::vector<std::size_t>& members, double beyond) {
  Estimate part;
  for (const std::size_t i : members) part.influence.push_back(whole.influence[i]);
  const Moments scores = moments(part.influence);
  part.value = whole.value + scores.mean();
  for (double& x : part.influence) x -= scores.mean();
  if (members.size() > 1) part.std_error = std::sqrt(scores.standard_error() * scores.standard_error() + beyond);
  return part;
}

double error_beyond_sampling(const Estimate& estimate) {
  const double sampling = moments(estimate.influence).standard_error();
  const double whole = estimate.std_error.value_or(0.0);
  return std::max(0.0, whole * whole - sampling * sampling);
}

}  // namespace

std::vector<GroupAnswer> group_answers(const Estimate& target, const Estimate& logged,
                                       std::span<const std::int32_t> group_of, std::span<const std::string> names,
                                       std::optional<Level> level) {
  if (target.influence.empty() || logged.influence.empty()) return {};
  STAROPE_ASSERT(group_of.size() == target.influence.size() && group_of.size() == logged.influence.size());
  std::vector<std::vector<std::size_t>> members(names.size());
  for (std::size_t i = 0; i < group_of.size(); ++i) members[group_of[i]].push_back(i);
  std::optional<Level> single;
  if (level)
    single.emplace(std::pow(level->probability(), 1.0 / static_cast<double>(std::max<std::size_t>(names.size(), 1))));
  const double beyond = error_beyond_sampling(target);
  std::vector<GroupAnswer> groups;
  for (std::size_t g = 0; g < names.size(); ++g) {
    GroupAnswer group{.group = names[g], .episodes = static_cast<std::int64_t>(members[g].size())};
    if (!members[g].empty()) {
      const Estimate part = within(target, members[g], beyond), before = within(logged, members[g], 0.0);
      group.difference = paired_difference(part, before, single);
      group.value = part.value;
      group.std_error = part.std_error;
      group.too_few = members[g].size() < least_episodes || effective_scores(part.influence) < least_scores;
      if (single && !group.too_few) group.interval = influence_interval(part, *single);
    }
    group.too_few = group.too_few || members[g].empty();
    if (group.too_few) group.difference.interval.reset();
    // What is promised is that all hold at once.
    for (auto* interval : {&group.interval, &group.difference.interval}) {
      if (!*interval) continue;
      (*interval)->level = level->probability();
      (*interval)->method = "influence, all groups at once";
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace starope
