#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
#include "starope/data/episode.hpp"

namespace starope {

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
class Problem {
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

 private:
  friend Problem make_problem(const Dataset&, const ProblemOptions&);
  friend Problem make_problem(const Dataset&, const Policy&, const ProblemOptions&);
  Problem(Dataset data, std::vector<double> ratios, std::optional<ActionProbabilities> target,
          const ProblemOptions& options);
  void measure();

  Dataset data_;
  std::shared_ptr<const std::vector<double>> ratios_;
  std::shared_ptr<const std::optional<ActionProbabilities>> computed_target_;  // empty: the data set's own
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
  episode.rewards = data_.rewards().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
  episode.ratios = std::span(*ratios_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
  return episode;
}

// The target policy is the one whose probabilities the logs carry.
Problem make_problem(const Dataset& data, const ProblemOptions& options = {});

// The target policy is a function; the logs need discrete actions, states and behaviour probabilities.
Problem make_problem(const Dataset& data, const Policy& policy, const ProblemOptions& options = {});

// The state of a row of the data set's state table. Bits are first written out as numbers, into `scratch`, which must
// then outlive the view; without a scratch they cannot be viewed (InvalidArgument).
StateView state_view(const Dataset& data, std::int64_t row, std::vector<double>& scratch);
StateView state_view(const Dataset& data, std::int64_t row);

}  // namespace starope
