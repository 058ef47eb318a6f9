#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/finding.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

struct LoggedStep {
  std::int64_t episode = 0;
  std::int64_t row = 0;       // of the state table, and of all columns of steps
  std::int64_t t = 0;         // inside the episode
  std::int64_t next_row = 0;  // where the outcome is `next`
  std::int32_t action = 0;
  Outcome::Kind outcome = Outcome::Kind::ended;
  double reward = 0.0;
  double ratio = 1.0;
};

// The logs as a Q-function sees them: steps with their actions, their outcomes and the full distributions of the
// policies.
//
// A cut is not an end. With a horizon H, given or seen in the logs (all truncated episodes have one length, and it is
// the longest), values are those of exactly H steps: what follows step H-1 does not count, so a cut there hides
// nothing. An episode cut earlier has a last step whose outcome is unknown: its reward counts, its outcome enters no
// regression. Without any horizon the value of what was cut off cannot be bounded, and the cut counts as an end.
class QLogs {
 public:
  // `who` asks, for messages. DataError where states, discrete actions or the target policy's distributions are
  // missing.
  QLogs(const Problem& problem, std::string who);

  const Problem& problem() const noexcept { return problem_; }
  const std::string& who() const noexcept { return who_; }
  std::optional<Horizon> horizon() const noexcept { return horizon_; }
  double gamma() const noexcept { return problem_.discount().gamma(); }
  std::int32_t actions() const noexcept { return actions_; }

  // pi_e( . | state of the row). A state after the last step has no distribution of its own: it is that of the same
  // discrete state elsewhere in the logs, or empty.
  std::span<const double> target(std::int64_t row) const;
  // pi_b( . | state of the row) of a step; DataError where the logs lack it.
  std::span<const double> behavior(std::int64_t row) const;

  // Step t of an episode, and all steps of some episodes in order of episodes and time.
  LoggedStep step(const LoggedEpisode& episode, std::int64_t t) const;
  std::vector<LoggedStep> steps(std::span<const std::int64_t> episodes) const;
  std::vector<std::int64_t> all_episodes() const;

  // Cuts that count as ends, where there are any.
  std::vector<Finding> findings() const;

 private:
  Problem problem_;
  std::string who_;
  std::optional<Horizon> horizon_;
  std::int32_t actions_ = 0;
  std::span<const std::int32_t> action_of_row_;
  std::vector<std::int64_t> row_of_code_;  // a step in each discrete state, -1: none; empty: states are not discrete
};

// The rows of the steps of these episodes by time; without a horizon Q does not depend on it, and all are at time 0.
// That so many episodes were cut off and count as ended. An end that is none shortens what a model foretells, by more
// than a sampling error where it is not rare.
Finding cuts_as_ends(std::int64_t cut, std::int64_t episodes);

std::vector<std::vector<std::int64_t>> rows_by_time(const QLogs& logs, std::span<const std::int64_t> episodes);

// sum over a of pi(a) q(a)
double mean_over_actions(std::span<const double> pi, std::span<const double> q) noexcept;

}  // namespace starope
