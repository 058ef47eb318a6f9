#pragma once

// The question that is asked of logs, and the episodes as estimators see them.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// One episode as the estimators see it: spans into the columns of a Problem, no copy.
struct LoggedEpisode {
  std::int64_t index = 0;                   // which episode of the problem
  std::int64_t first_row = 0;               // its steps are rows first_row, first_row + 1, ... of the state table
  std::optional<std::int64_t> final_row{};  // row of the state after the last step, where a truncated episode has one
  std::span<const double> rewards{};
  std::span<const double> ratios{};  // pi_e / pi_b of the logged actions
  EpisodeEnd end = EpisodeEnd::terminated;

  std::int64_t length() const noexcept { return static_cast<std::int64_t>(rewards.size()); }
};

// What the logs know about what follows a step: nothing (the process ended), a state, or something nobody recorded.
struct Outcome {
  enum class Kind : std::uint8_t { ended, next, unknown };
  Kind kind = Kind::ended;
  std::optional<std::int64_t> next_row{};  // of the state that follows, where the kind is `next`

  bool seen() const noexcept { return kind != Kind::unknown; }
};

inline Outcome outcome_of(const LoggedEpisode& episode, std::int64_t t) {
  if (t + 1 < episode.length()) return {.kind = Outcome::Kind::next, .next_row = episode.first_row + t + 1};
  if (episode.end == EpisodeEnd::terminated) return {};
  if (episode.final_row) return {.kind = Outcome::Kind::next, .next_row = episode.final_row};
  return {.kind = Outcome::Kind::unknown, .next_row = {}};
}

// The same where nothing behind the horizon counts: the outcome of step H-1 is known to be worth nothing.
inline Outcome outcome_within(const LoggedEpisode& episode, std::int64_t t, std::int64_t horizon) {
  return t + 1 == horizon ? Outcome{} : outcome_of(episode, t);
}

// A state as a policy sees it: an id, or features.
struct StateView {
  std::optional<std::int64_t> id;
  std::span<const double> features;
};

// Writes pi(a | state) for every action a.
using Policy = std::function<void(const StateView& state, std::span<double> probabilities)>;

struct ProblemOptions {
  Discount discount{1.0};
  std::optional<Horizon> horizon{};  // only the first steps() rewards of an episode count
  // What follows the last step that counts is kept from models: an episode that reaches the horizon is cut off there,
  // whether it ended or went on, and its next state is not shown.
  bool hide_beyond_horizon = false;
  friend bool operator==(const ProblemOptions&, const ProblemOptions&) = default;
};

// What the estimators must know of all episodes before they look at any: whoever sees the logs in parts makes it of
// the parts. Lengths and steps are those that count, up to the horizon.
struct Survey {
  std::int64_t episodes = 0;
  std::int64_t steps = 0;
  std::int64_t longest = 0;
  double ratio_log2_bound = 0.0;  // the largest |log2 ratio| of a positive ratio, behind the horizon as well
  friend bool operator==(const Survey&, const Survey&) = default;

  Survey& operator+=(const Survey& other) noexcept {
    episodes += other.episodes;
    steps += other.steps;
    longest = longest < other.longest ? other.longest : longest;
    ratio_log2_bound = ratio_log2_bound < other.ratio_log2_bound ? other.ratio_log2_bound : ratio_log2_bound;
    return *this;
  }
};

// The question: what would the target policy have earned? The logs, the ratios pi_e / pi_b, the discount and the
// horizon. With a horizon H every episode is seen up to step H-1; one that goes on is truncated there, its next state
// known unless it is hidden.
class STAROPE_API Problem {
 public:
  const Dataset& data() const noexcept { return data_; }
  Discount discount() const noexcept { return options_.discount; }
  std::optional<Horizon> horizon() const noexcept { return options_.horizon; }
  const ProblemOptions& options() const noexcept { return options_; }

  std::int64_t episodes() const noexcept { return survey_.episodes; }
  std::int64_t steps() const noexcept { return survey_.steps; }      // that count, up to the horizon
  std::int64_t longest() const noexcept { return survey_.longest; }  // episode, up to the horizon
  const Survey& survey() const noexcept { return survey_; }
  LoggedEpisode episode(std::int64_t index) const;

  // The largest |log2 ratio| of a positive ratio: c factors stay within the range of double if c times this is small.
  double ratio_log2_bound() const noexcept { return survey_.ratio_log2_bound; }

  // pi_e's full distributions, steps x actions, where they are known.
  const std::optional<ActionProbabilities>& target_distribution() const noexcept;

  // The same logs and policies with other options; shares all columns. The second changes the horizon alone.
  Problem with(const ProblemOptions& options) const;
  Problem with_horizon(std::optional<Horizon> horizon) const;
  // The same question about some of the episodes, in this order.
  Problem take(std::span<const std::int64_t> episodes) const;
  // Without the states, which are most of the memory: for who has made of them what it needs. Rows keep their numbers.
  Problem without_states() const;

 private:
  friend STAROPE_API Problem make_problem(const Dataset&, const ProblemOptions&);
  friend STAROPE_API Problem make_problem(const Dataset&, const Policy&, const ProblemOptions&);
  Problem(Dataset data, Column<double> ratios, std::optional<ActionProbabilities> target,
          const ProblemOptions& options);
  void measure();

  Dataset data_;
  Column<double> ratios_;
  std::optional<ActionProbabilities> computed_target_;  // empty: the data set's own
  ProblemOptions options_;
  Survey survey_{};
};

inline LoggedEpisode Problem::episode(std::int64_t index) const {
  const std::int64_t first = data_.first_step(index);
  std::int64_t length = data_.length(index);
  LoggedEpisode episode{
      .index = index, .first_row = first, .final_row = data_.final_row(index), .end = data_.end(index)};
  if (options_.horizon && length > options_.horizon->steps()) {
    length = options_.horizon->steps();
    episode.end = EpisodeEnd::truncated;
    episode.final_row = first + length;
  }
  if (options_.hide_beyond_horizon && options_.horizon && length == options_.horizon->steps()) {
    episode.end = EpisodeEnd::truncated;
    episode.final_row.reset();
  }
  episode.rewards = data_.rewards().subspan(first, length);
  episode.ratios = std::span(ratios_).subspan(first, length);
  return episode;
}

// The target policy is the one whose probabilities the logs carry.
STAROPE_API Problem make_problem(const Dataset& data, const ProblemOptions& options = {});

// The target policy is a function; the logs need discrete actions, states and behavior probabilities.
STAROPE_API Problem make_problem(const Dataset& data, const Policy& policy, const ProblemOptions& options = {});

// The state of a row of the data set's state table. Bits and floats are first written out as doubles, into `scratch`,
// which must then outlive the view; without a scratch they cannot be viewed (InvalidArgument).
STAROPE_API StateView state_view(const Dataset& data, std::int64_t row, std::vector<double>& scratch);
STAROPE_API StateView state_view(const Dataset& data, std::int64_t row);

}  // namespace starope
