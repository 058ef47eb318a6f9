#include "starope/auto/unmarked_cuts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <variant>

namespace starope {
namespace {

constexpr std::int64_t enough_ends = 30;  // fewer cannot tell chance from reason
constexpr std::int64_t reward_groups = 8;
constexpr std::int64_t most_counts = 4'000'000;
constexpr double prior_ends = 1.0;  // of every group, as many as chance expects

std::size_t side_of(std::int64_t episode) {
  return static_cast<std::size_t>(episode % 2);
}

bool ends_at(const LoggedEpisode& episode, std::int64_t t) {
  return t + 1 == episode.length() && episode.end == EpisodeEnd::terminated;
}

// How many episodes come to a step, and how many of them end there.
struct StepCounts {
  std::vector<double> here{}, ended{};

  explicit StepCounts(std::int64_t longest) : here(longest, 0.0), ended(longest, 0.0) {}
  // Where all end, or none, nothing can be told.
  bool tells(std::int64_t t) const { return ended[t] > 0.0 && ended[t] < here[t]; }
  double hazard(std::int64_t t) const { return tells(t) ? ended[t] / here[t] : 0.0; }
};

template <class Visit>
void for_steps(const Problem& problem, const Visit& visit) {
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) visit(episode, t);
  }
}

// By how much a step of each group is likelier to end than others of its number: the logarithm, of either half.
using GroupScores = std::array<std::vector<double>, 2>;

GroupScores score_groups(const Problem& problem, const Labels& groups, const std::array<StepCounts, 2>& counts) {
  const auto width = static_cast<std::size_t>(groups.cells);
  std::array<std::vector<double>, 2> ended{std::vector(width, 0.0), std::vector(width, 0.0)}, expected = ended;
  for_steps(problem, [&](const LoggedEpisode& episode, std::int64_t t) {
    const std::size_t side = side_of(episode.index);
    if (!counts[side].tells(t)) return;
    const Label group = groups.of_row[episode.first_row + t];
    expected[side][group] += counts[side].hazard(t);
    if (ends_at(episode, t)) ended[side][group] += 1.0;
  });
  GroupScores scores;
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t g = 0; g < width; ++g)
      scores[side].push_back(std::log((ended[side][g] + prior_ends) / (expected[side][g] + prior_ends)));
  }
  return scores;
}

// Of every step, in the order of the episodes: what the other half of the episodes says of its groups.
std::vector<double> score_steps(const Problem& problem, std::span<const Labels> groupings,
                                const std::array<StepCounts, 2>& counts) {
  std::vector<double> score(problem.steps(), 0.0);
  for (const Labels& groups : groupings) {
    const GroupScores of_group = score_groups(problem, groups, counts);
    std::size_t at = 0;
    for_steps(problem, [&](const LoggedEpisode& episode, std::int64_t t) {
      score[at++] += of_group[1 - side_of(episode.index)][groups.of_row[episode.first_row + t]];
    });
  }
  return score;
}

// The excess of ends in every group, against a hypergeometric variance at every step.
double dependence_on(const Problem& problem, const Labels& groups, const StepCounts& counts) {
  const auto width = static_cast<std::size_t>(groups.cells);
  std::vector<double> excess(width, 0.0), variance(width, 0.0), here(width * counts.here.size(), 0.0);
  for_steps(problem, [&](const LoggedEpisode& episode, std::int64_t t) {
    if (!counts.tells(t)) return;
    const Label group = groups.of_row[episode.first_row + t];
    here[static_cast<std::size_t>(t) * width + group] += 1.0;
    if (ends_at(episode, t)) excess[group] += 1.0;
  });
  for (std::int64_t t = 0; t < problem.longest(); ++t) {
    if (!counts.tells(t)) continue;
    const double n = counts.here[t], d = counts.ended[t];
    for (std::size_t g = 0; g < width; ++g) {
      const double share = here[static_cast<std::size_t>(t) * width + g] / n;
      excess[g] -= d * share;
      variance[g] += d * share * (1.0 - share) * (n - d) / (n - 1.0);
    }
  }
  double statistic = 0.0, used = 0.0;
  for (std::size_t g = 0; g < width; ++g) {
    if (variance[g] < 0.5) continue;  // too few to say anything
    statistic += excess[g] * excess[g] / variance[g];
    used += 1.0;
  }
  if (used < 2.0) return 0.0;
  const double freedom = used - 1.0;  // the excesses sum to zero
  // About chi-squared if ends are chance: as a normal deviate (Wilson and Hilferty).
  const double v = 2.0 / (9.0 * freedom);
  return (std::cbrt(statistic / used) - (1.0 - v)) / std::sqrt(v);
}

// Of the steps with the lowest scores: how many end, and when.
void look_at_calm_steps(const Problem& problem, const std::vector<double>& score, const StepCounts& counts,
                        EndsTest& test) {
  struct Step {
    double score, expected, ended, time;
  };
  std::vector<Step> steps;
  double total = 0.0;
  std::size_t at = 0;
  for_steps(problem, [&](const LoggedEpisode& episode, std::int64_t t) {
    const double x = score[at++];
    if (!counts.tells(t)) return;
    steps.push_back({.score = x,
                     .expected = counts.hazard(t),
                     .ended = ends_at(episode, t) ? 1.0 : 0.0,
                     .time = static_cast<double>(t)});
    total += steps.back().expected;
  });
  std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.score < b.score; });
  double times = 0.0, squares = 0.0, of_ends = 0.0, count = 0.0;
  for (const Step& step : steps) {
    if (test.calm_expected >= 0.5 * total) break;
    test.calm_expected += step.expected;
    test.calm_ends += step.ended;
    count += 1.0;
    times += step.time;
    squares += step.time * step.time;
    of_ends += step.ended * step.time;
  }
  if (test.calm_ends == 0.0) return;
  const double mean = times / count, variance = squares / count - mean * mean;
  if (variance > 0.0) test.clock = (of_ends - test.calm_ends * mean) / std::sqrt(test.calm_ends * variance);
}

// Rewards in groups of about equal size; equal rewards are in one group.
Labels reward_labels(const Problem& problem) {
  const std::span<const double> all = problem.data().rewards();
  std::vector<double> rewards(all.begin(), all.end()), limits;
  std::sort(rewards.begin(), rewards.end());
  for (std::size_t g = 1; g < reward_groups; ++g) limits.push_back(rewards[rewards.size() * g / reward_groups]);
  // A reward that is rare and larger than all others has a group of its own; so has one that is smaller.
  limits.push_back(rewards.back());
  limits.push_back(std::nextafter(rewards.front(), rewards.back()));
  std::sort(limits.begin(), limits.end());
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  Labels labels{.cells = static_cast<std::int64_t>(limits.size()) + 1};
  for (const double r : all)
    labels.of_row.push_back(static_cast<Label>(std::upper_bound(limits.begin(), limits.end(), r) - limits.begin()));
  return labels;
}

// States, rewards, actions, and actions in states.
std::vector<Labels> all_groupings(const Problem& problem, std::span<const Labels> cells) {
  std::vector<Labels> groupings(cells.begin(), cells.end());
  groupings.push_back(reward_labels(problem));
  const auto* actions = std::get_if<DiscreteActions>(&problem.data().actions());
  if (actions == nullptr || actions->count < 2) return groupings;
  Labels of_actions{.cells = actions->count};
  of_actions.of_row.assign(actions->id.begin(), actions->id.end());
  for (const Labels& states : cells) {
    if (states.cells * actions->count * problem.longest() > most_counts) continue;
    Labels both{.cells = states.cells * actions->count};
    for (std::size_t row = 0; row < of_actions.of_row.size(); ++row)
      both.of_row.push_back(states.of_row[row] * static_cast<Label>(actions->count) + of_actions.of_row[row]);
    groupings.push_back(std::move(both));
  }
  groupings.push_back(std::move(of_actions));
  return groupings;
}

}  // namespace

bool EndsTest::depend() const noexcept {
  return dependence > 3.7;
}

bool EndsTest::calm_ends_by_the_clock() const noexcept {
  // The fewer of the calm ends could be cuts, the clearer the clock has to be.
  return calm_ends >= 10.0 && std::abs(clock) * std::sqrt(calm_ends / calm_expected) > 3.0;
}

EndsTest test_ends(const Problem& problem, std::span<const Labels> groupings) {
  std::array<StepCounts, 2> counts{StepCounts(problem.longest()), StepCounts(problem.longest())};
  StepCounts all(problem.longest());
  for_steps(problem, [&](const LoggedEpisode& episode, std::int64_t t) {
    for (StepCounts* of : {&counts[side_of(episode.index)], &all}) {
      of->here[t] += 1.0;
      if (ends_at(episode, t)) of->ended[t] += 1.0;
    }
  });
  EndsTest test;
  for (std::int64_t t = 0; t < problem.longest(); ++t) {
    if (all.tells(t)) test.ends += static_cast<std::int64_t>(all.ended[t]);
  }
  for (const Labels& groups : groupings)
    test.dependence = std::max(test.dependence, dependence_on(problem, groups, all));
  look_at_calm_steps(problem, score_steps(problem, groupings, counts), all, test);
  return test;
}

Problem with_ends(const Problem& problem, std::vector<EpisodeEnd> ends) {
  Columns columns = problem.data().columns();
  columns.ends = std::move(ends);
  const auto& target = problem.target_distribution();
  // Of a policy that is a function, the probabilities are the problem's and not the data's.
  if (&target != &problem.data().target_distribution()) {
    const auto& actions = std::get<DiscreteActions>(columns.actions);
    std::vector<double> logged;
    for (std::int64_t row = 0; row < problem.data().steps(); ++row)
      logged.push_back(target->values[row * target->actions + actions.id[row]]);
    columns.target = LoggedProbabilities{.values = std::move(logged)};
    columns.target_distribution = target;
  }
  return make_problem(Dataset(std::move(columns)), problem.options());
}

UnmarkedCuts find_unmarked_cuts(const Problem& problem, std::span<const Labels> cells) {
  std::int64_t early = 0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    if (problem.data().end(i) == EpisodeEnd::truncated) return {};  // who marks one cut marks them all
    if (problem.episode(i).length() < problem.longest()) ++early;
  }
  if (early < enough_ends) return {};
  UnmarkedCuts found{.test = test_ends(problem, all_groupings(problem, cells))};
  found.suspected = found.test.ends >= enough_ends && (!found.test.depend() || found.test.calm_ends_by_the_clock());
  if (!found.suspected) return found;
  for (std::int64_t i = 0; i < problem.episodes(); ++i)
    found.ends.push_back(problem.data().length(i) < problem.longest() ? EpisodeEnd::truncated : EpisodeEnd::terminated);
  return found;
}

}  // namespace starope
