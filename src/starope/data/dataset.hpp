#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/error.hpp"
#include "starope/data/binary_states.hpp"
#include "starope/data/episode.hpp"

namespace starope {

// Discrete states: row i is in state ids[code[i]]. Codes are dense whatever the ids, so tables over states stay small.
struct DiscreteStates {
  std::vector<std::int32_t> code{};
  std::vector<std::int64_t> ids{};  // distinct, ascending
  friend bool operator==(const DiscreteStates&, const DiscreteStates&) = default;
};

// Real-valued states: row i is values[i * dimension .. (i + 1) * dimension).
struct DenseStates {
  std::int64_t dimension = 0;
  std::vector<double> values{};
  std::vector<std::string> names{};  // one per dimension, for messages and reports; may be empty
  friend bool operator==(const DenseStates&, const DenseStates&) = default;
};

// Absent where the logs have no state: the estimators that need none still work.
using States = std::variant<std::monostate, DiscreteStates, DenseStates, BinaryStates>;

DiscreteStates make_discrete_states(std::span<const std::int64_t> ids);
DenseStates to_dense(const BinaryStates& states);                // 64 times the memory
std::optional<BinaryStates> to_bits(const DenseStates& states);  // none if a feature is neither 0 nor 1

struct DiscreteActions {
  std::vector<std::int32_t> id{};  // one per step, in [0, count)
  std::int32_t count = 0;
};
struct ContinuousActions {
  std::int64_t dimension = 0;
  std::vector<double> values{};  // steps x dimension
};
using Actions = std::variant<std::monostate, DiscreteActions, ContinuousActions>;

// Probabilities (or densities) of the logged actions, or their logarithms.
struct LoggedProbabilities {
  enum class Scale { linear, logarithm };
  std::vector<double> values{};
  Scale scale = Scale::linear;
  bool density = false;  // of a continuous action: may exceed 1
};

// Full action distributions: steps x actions.
struct ActionProbabilities {
  std::int32_t actions = 0;
  std::vector<double> values{};
};

using EpisodeIds = std::variant<std::vector<std::int64_t>, std::vector<std::string>>;

// What a reader or simulator fills in. All vectors are moved into the Dataset, none is copied.
struct Columns {
  std::vector<std::int64_t> offsets{};  // episode i has steps offsets[i] .. offsets[i+1]; offsets[0] = 0
  EpisodeIds episode_ids{};             // empty: episodes are numbered
  // Rows 0 .. steps-1 are the states of the steps. Behind them, in episode order, one row for each episode with
  // has_final_state: the state after its last step (useful for truncated episodes).
  States states{};
  std::vector<bool> has_final_state{};  // one per episode, or empty: none has one
  Actions actions{};
  std::vector<double> rewards{};
  std::optional<LoggedProbabilities> behavior{};
  std::optional<LoggedProbabilities> target{};
  std::optional<ActionProbabilities> behavior_distribution{};
  std::optional<ActionProbabilities> target_distribution{};
  std::vector<EpisodeEnd> ends{};  // one per episode
};

// Immutable logged episodes: ragged columns without padding, checked once when built. Copies share the columns.
class Dataset {
 public:
  // Where step `row` stands in the source, for messages; the default knows episode and step.
  using Locate = std::function<DataLocation(std::int64_t row)>;

  // Throws DataError at the first value that breaks a rule.
  explicit Dataset(Columns columns, const Locate& locate = {});

  std::int64_t episodes() const noexcept { return static_cast<std::int64_t>(columns_->offsets.size()) - 1; }
  std::int64_t steps() const noexcept { return columns_->offsets.back(); }
  std::int64_t state_rows() const noexcept { return steps() + final_states_; }
  std::int64_t first_step(std::int64_t episode) const { return columns_->offsets[static_cast<std::size_t>(episode)]; }
  std::int64_t length(std::int64_t episode) const { return first_step(episode + 1) - first_step(episode); }
  std::int64_t longest() const noexcept { return longest_; }
  std::int64_t truncated_episodes() const noexcept { return truncated_; }
  EpisodeEnd end(std::int64_t episode) const { return columns_->ends[static_cast<std::size_t>(episode)]; }
  // The row in the state table of the state after the last step, where the logs have it.
  std::optional<std::int64_t> final_row(std::int64_t episode) const {
    const auto i = static_cast<std::size_t>(episode);
    if (final_states_ == 0 || !columns_->has_final_state[i]) return std::nullopt;
    return steps() + final_rows_before_[i];
  }
  std::string episode_name(std::int64_t episode) const;
  const EpisodeIds& episode_ids() const noexcept { return columns_->episode_ids; }  // empty: episodes are numbered

  const States& states() const noexcept { return columns_->states; }
  const Actions& actions() const noexcept { return columns_->actions; }
  std::span<const double> rewards() const noexcept { return columns_->rewards; }
  const std::optional<LoggedProbabilities>& behavior() const noexcept { return columns_->behavior; }
  const std::optional<LoggedProbabilities>& target() const noexcept { return columns_->target; }
  const std::optional<ActionProbabilities>& behavior_distribution() const noexcept {
    return columns_->behavior_distribution;
  }
  const std::optional<ActionProbabilities>& target_distribution() const noexcept {
    return columns_->target_distribution;
  }

  // The episodes with these numbers, in this order; one may come several times. They keep their names.
  Dataset take(std::span<const std::int64_t> episodes) const;
  Dataset take(std::int64_t first, std::int64_t last) const;  // episodes first .. last-1

  // The same episodes with another column. DataError where its values break a rule.
  Dataset with_behavior(LoggedProbabilities behavior) const;
  Dataset with_target(LoggedProbabilities target) const;
  Dataset with_behavior_distribution(ActionProbabilities distribution) const;
  Dataset with_target_distribution(ActionProbabilities distribution) const;

 private:
  std::shared_ptr<const Columns> columns_;
  std::vector<std::int64_t> final_rows_before_;  // how many episodes before this one have a final state; empty: none
  std::int64_t final_states_ = 0;
  std::int64_t longest_ = 0;
  std::int64_t truncated_ = 0;
};

}  // namespace starope
