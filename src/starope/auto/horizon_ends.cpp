#include "starope/auto/horizon_ends.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"

namespace starope {
namespace {

struct Seen {
  std::int64_t visits = 0, ends = 0;  // before the last step that counts
};

// A chain of states, for both policies at once.
struct Both {
  double target = 0.0, logged = 0.0;

  Both& operator+=(const Both& other) {
    target += other.target;
    logged += other.logged;
    return *this;
  }
};
struct Move {
  Label from = 0, to = 0;
  Both weight{};
};

// Moves between the same states as one.
void merge(std::vector<Move>& moves) {
  std::sort(moves.begin(), moves.end(),
            [](const Move& a, const Move& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  std::size_t kept = 0;
  for (const Move& move : moves) {
    if (kept > 0 && moves[kept - 1].from == move.from && moves[kept - 1].to == move.to) {
      moves[kept - 1].weight += move.weight;
    } else {
      moves[kept++] = move;
    }
  }
  moves.resize(kept);
}

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

double longer_than_logged(const Problem& problem, const std::vector<Label>& state_of_row) {
  STAROPE_ASSERT(problem.horizon().has_value());
  const std::size_t states = 1 + static_cast<std::size_t>(*std::max_element(state_of_row.begin(), state_of_row.end()));
  std::vector<Both> seen(states), here(states), next(states);
  std::vector<Move> moves;
  const double share = 1.0 / static_cast<double>(problem.episodes());
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    here[state_of_row[episode.first_row]] += {share, share};
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const Outcome outcome = outcome_of(episode, t);
      if (outcome.kind == Outcome::Kind::unknown) continue;
      const Label from = state_of_row[episode.first_row + t];
      const Both weight{episode.ratios[t], 1.0};
      seen[from] += weight;
      if (outcome.next_row) moves.push_back({from, state_of_row[*outcome.next_row], weight});
    }
  }
  merge(moves);
  const auto part = [](double some, double all) { return all > 0.0 ? some / all : 0.0; };
  for (Move& move : moves) {
    const Both& all = seen[move.from];
    move.weight = {part(move.weight.target, all.target), part(move.weight.logged, all.logged)};
  }
  for (std::int64_t k = 0; k < problem.horizon()->steps(); ++k) {
    std::fill(next.begin(), next.end(), Both{});
    for (const Move& move : moves) {
      const Both& at = here[move.from];
      next[move.to] += {at.target * move.weight.target, at.logged * move.weight.logged};
    }
    std::swap(here, next);
  }
  Both going_on;
  for (const Both& at : here) going_on += at;
  return std::max(0.0, going_on.target - going_on.logged);
}

Problem without_misleading_ends(const Problem& problem, const HorizonEnds& ends) {
  if (!ends.mislead()) return problem;
  ProblemOptions hidden = problem.options();
  hidden.hide_beyond_horizon = true;
  return problem.with(hidden);
}

}  // namespace starope
