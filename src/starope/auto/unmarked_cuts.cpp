#include "starope/auto/unmarked_cuts.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

namespace starope {
namespace {

constexpr std::int64_t enough_ends = 30;  // fewer cannot tell chance from reason
constexpr std::int64_t reward_groups = 8;

// Rewards in groups of about equal size; equal rewards are in one group.
std::vector<double> reward_limits(const Problem& problem) {
  std::vector<double> rewards;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    rewards.insert(rewards.end(), episode.rewards.begin(), episode.rewards.end());
  }
  std::sort(rewards.begin(), rewards.end());
  std::vector<double> limits;
  for (std::int64_t g = 1; g < reward_groups; ++g) {
    limits.push_back(rewards[rewards.size() * static_cast<std::size_t>(g) / reward_groups]);
  }
  // A reward that is rare and larger than all others has a group of its own.
  limits.push_back(rewards.back());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

}  // namespace

bool EndsTest::depend() const noexcept {
  const auto k = static_cast<double>(freedom);
  return freedom > 0 && statistic > k + 3.0 * std::sqrt(2.0 * k);
}

EndsTest test_ends(const Problem& problem, std::int64_t groups,
                   const std::function<std::int64_t(std::int64_t)>& group_of_step) {
  const auto width = static_cast<std::size_t>(groups);
  const auto longest = static_cast<std::size_t>(problem.longest());
  std::vector<double> here(longest * width, 0.0), ended(longest * width, 0.0);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const std::size_t at =
          static_cast<std::size_t>(t) * width + static_cast<std::size_t>(group_of_step(episode.first_row + t));
      here[at] += 1.0;
      if (t + 1 == episode.length() && episode.end == EpisodeEnd::terminated) ended[at] += 1.0;
    }
  }
  std::vector<double> excess(width, 0.0), variance(width, 0.0);
  for (std::size_t t = 0; t < longest; ++t) {
    double n = 0.0, d = 0.0;
    for (std::size_t z = 0; z < width; ++z) {
      n += here[t * width + z];
      d += ended[t * width + z];
    }
    if (n < 2.0 || d == 0.0 || d == n) continue;
    for (std::size_t z = 0; z < width; ++z) {
      const double share = here[t * width + z] / n;
      excess[z] += ended[t * width + z] - d * share;
      variance[z] += d * share * (1.0 - share) * (n - d) / (n - 1.0);
    }
  }
  EndsTest test;
  std::int64_t used = 0;
  for (std::size_t z = 0; z < width; ++z) {
    if (variance[z] < 0.5) continue;  // too few to say anything
    test.statistic += excess[z] * excess[z] / variance[z];
    ++used;
  }
  if (used < 2) return {};
  test.freedom = used - 1;  // the excesses sum to zero
  test.statistic *= static_cast<double>(test.freedom) / static_cast<double>(used);
  return test;
}

bool ends_look_like_cuts(const Problem& problem, std::span<const Labels> cells) {
  std::int64_t early = 0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    if (problem.data().end(i) == EpisodeEnd::truncated) return false;  // who marks one cut marks them all
    if (problem.episode(i).length() < problem.longest()) ++early;
  }
  if (early < enough_ends) return false;
  bool tested = false;
  for (const Labels& labels : cells) {
    const EndsTest by_state = test_ends(problem, labels.cells, [&](std::int64_t row) { return labels.of_row[row]; });
    if (by_state.depend()) return false;
    tested = tested || by_state.freedom > 0;
  }
  if (!tested) return false;
  const std::vector<double> limits = reward_limits(problem);
  const std::span<const double> rewards = problem.data().rewards();
  const EndsTest by_reward = test_ends(problem, static_cast<std::int64_t>(limits.size()) + 1, [&](std::int64_t row) {
    const auto above = std::upper_bound(limits.begin(), limits.end(), rewards[row]);
    return above - limits.begin();
  });
  if (by_reward.depend()) return false;
  const auto* actions = std::get_if<DiscreteActions>(&problem.data().actions());
  if (actions == nullptr) return true;
  return !test_ends(problem, actions->count, [&](std::int64_t row) { return actions->id[row]; }).depend();
}

}  // namespace starope
