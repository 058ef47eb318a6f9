#include "starope/auto/horizon_ends.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

struct Seen {
  std::int64_t visits = 0, ends = 0;  // before the last step that counts
};

}  // namespace

HorizonEnds horizon_ends(const Problem& problem, const std::vector<Label>& state_of_row) {
  STAROPE_ASSERT(problem.horizon().has_value());
  const std::int64_t horizon = problem.horizon()->steps();
  const auto state_at = [&](const LoggedEpisode& episode, std::int64_t t) {
    return static_cast<std::size_t>(state_of_row[episode.first_row + t]);
  };
  HorizonEnds result;
  std::vector<std::int64_t> terminated_at_horizon;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.length() < horizon) continue;
    if (episode.end == EpisodeEnd::terminated) {
      terminated_at_horizon.push_back(i);
    } else {
      ++(episode.final_row ? result.went_on : result.unknown);
    }
  }
  result.ended = static_cast<std::int64_t>(terminated_at_horizon.size());
  if (result.ended == 0) return result;

  std::vector<Seen> seen(1 + static_cast<std::size_t>(*std::max_element(state_of_row.begin(), state_of_row.end())));
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < std::min(episode.length(), horizon - 1); ++t) ++seen[state_at(episode, t)].visits;
    const bool before = episode.length() < horizon && episode.end == EpisodeEnd::terminated;
    if (before) ++seen[state_at(episode, episode.length() - 1)].ends;
  }
  for (const std::int64_t i : terminated_at_horizon) {
    const Seen& s = seen[state_at(problem.episode(i), horizon - 1)];
    result.expected += s.visits == 0 ? 1.0 : static_cast<double>(s.ends) / static_cast<double>(s.visits);
  }
  return result;
}

std::vector<Label> finest_states(const Bag& bag) {
  if (bag.point_of_row.empty()) return bag.members.front().of_row;
  return {bag.point_of_row.begin(), bag.point_of_row.end()};
}

Problem without_misleading_ends(const Problem& problem, const HorizonEnds& ends) {
  if (!ends.mislead()) return problem;
  ProblemOptions hidden = problem.options();
  hidden.hide_beyond_horizon = true;
  return problem.with(hidden);
}

}  // namespace starope
