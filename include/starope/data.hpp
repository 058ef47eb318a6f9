#pragma once

// Logged episodes: columns, the data set they make, and sources that yield it in blocks.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "starope/error.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

namespace detail {
// InvalidArgument where a buffer cannot be read as `size` values of that alignment, or a part is not inside the column.
STAROPE_API void check_borrowed(const void* data, std::int64_t size, std::size_t alignment);
STAROPE_API void check_part(std::int64_t first, std::int64_t last, std::int64_t size);
}  // namespace detail

// Values that lie one behind the other and do not change, and whoever keeps them alive: a vector moved in, a numpy or
// Arrow buffer, a memory map. Copies and slices share the values. It is a contiguous range, so it passes as a
// std::span<const T> wherever one is asked for.
//
// There are no strides: they would cost a multiplication at every access and keep the compiler from vectorizing, and
// files, Arrow and the usual numpy array have none. Who has a strided buffer copies it into a vector.
template <class T>
class Column {
 public:
  static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no buffer to share: use std::uint8_t");
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const_iterator;

  Column() = default;
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): a column is what becomes of a filled vector
  Column(std::vector<T>&& values) {
    const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = owner->data();
    size_ = static_cast<std::int64_t>(owner->size());
    owner_ = owner;
  }
  Column(std::initializer_list<T> values) : Column(std::vector<T>(values)) {}

  // A view of somebody else's values, which `owner` keeps alive and nobody changes. InvalidArgument if the size is
  // negative, or the address is none at which a T can lie.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): it is moved; the check does not see that in a template
  static Column borrow(const T* data, std::int64_t size, std::shared_ptr<const void> owner) {
    detail::check_borrowed(data, size, alignof(T));
    Column column;
    column.data_ = data;
    column.size_ = size;
    column.owner_ = std::move(owner);
    return column;
  }

  // Values first .. last-1.
  Column slice(std::int64_t first, std::int64_t last) const {
    detail::check_part(first, last, size_);
    Column part;
    part.data_ = data_ + first;
    part.size_ = last - first;
    part.owner_ = owner_;
    return part;
  }

  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T* data() const noexcept { return data_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  // Signed by nature; places that come from the size of a vector are welcome as they are.
  template <std::integral Index>
  const T& operator[](Index i) const {
    return data_[i];
  }

  std::vector<T> to_vector() const { return {begin(), end()}; }  // a copy, to change and move into another column

  friend bool operator==(const Column& a, const Column& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator==(const Column& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  const T* data_ = nullptr;
  std::int64_t size_ = 0;
  std::shared_ptr<const void> owner_;
};

// Real numbers as they were given, in double or in single precision. Whoever reads them sees doubles: a float is one
// exactly, so results do not depend on how the numbers are kept; only memory does.
class STAROPE_API RealColumn {
 public:
  RealColumn() = default;
  // NOLINTBEGIN(google-explicit-constructor,hicpp-explicit-conversions): as of Column
  RealColumn(Column<double> values) : values_(std::move(values)) {}
  RealColumn(Column<float> values) : values_(std::move(values)) {}
  RealColumn(std::vector<double>&& values) : values_(Column<double>(std::move(values))) {}
  RealColumn(std::vector<float>&& values) : values_(Column<float>(std::move(values))) {}
  // NOLINTEND(google-explicit-constructor,hicpp-explicit-conversions)
  RealColumn(std::initializer_list<double> values) : values_(Column<double>(values)) {}

  // Calls use(const Column<double>&) or use(const Column<float>&).
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    if (const auto* single = std::get_if<Column<float>>(&values_)) return use(*single);
    return use(*std::get_if<Column<double>>(&values_));
  }

  std::int64_t size() const noexcept {
    return visit([](const auto& values) { return values.size(); });
  }
  bool empty() const noexcept { return size() == 0; }
  template <std::integral Index>
  double operator[](Index i) const {
    return visit([i](const auto& values) { return static_cast<double>(values[i]); });
  }

  // The numbers as they are kept; null if that is in the other precision.
  const Column<double>* doubles() const noexcept { return std::get_if<Column<double>>(&values_); }
  const Column<float>* floats() const noexcept { return std::get_if<Column<float>>(&values_); }

  RealColumn slice(std::int64_t first, std::int64_t last) const {
    return visit([&](const auto& values) { return RealColumn(values.slice(first, last)); });
  }

  // Values first .. last-1 as doubles: where they lie, or, if they are floats, in `scratch`, which must then outlive
  // the view.
  std::span<const double> widened(std::int64_t first, std::int64_t last, std::vector<double>& scratch) const;
  Column<double> widened() const;  // all of them; a copy only if they are floats

  // By value: 0.5 is 0.5 in either precision.
  friend STAROPE_API bool operator==(const RealColumn& a, const RealColumn& b);
  friend STAROPE_API bool operator==(const RealColumn& a, const std::vector<double>& b);

 private:
  std::variant<Column<double>, Column<float>> values_;
};

// States whose features are all 0 or 1, one bit each: a 64th of the memory of DenseStates. Row i is the words
// i * words_per_row() and following; feature k is bit k % 64 of word k / 64. Bits beyond the dimension are 0, so rows
// can be compared and hashed word by word.
struct BinaryStates {
  std::int64_t dimension = 0;
  Column<std::uint64_t> words{};
  std::vector<std::string> names{};  // one per feature, for messages and reports; may be empty

  std::size_t words_per_row() const noexcept { return (static_cast<std::size_t>(dimension) + 63) / 64; }
  std::span<const std::uint64_t> row(std::int64_t index) const {
    return std::span(words).subspan(static_cast<std::size_t>(index) * words_per_row(), words_per_row());
  }
  bool bit(std::int64_t index, std::int64_t feature) const {
    const auto k = static_cast<std::size_t>(feature);
    return (row(index)[k / 64] >> (k % 64) & 1U) != 0;
  }
  friend bool operator==(const BinaryStates&, const BinaryStates&) = default;
};

// Appends the bits of one row. A feature that is neither 0 nor 1: InvalidArgument.
STAROPE_API void append_bits(std::vector<std::uint64_t>& words, std::span<const double> features);

// Writes the features of one row as numbers.
STAROPE_API void unpack_bits(std::span<const std::uint64_t> row, std::span<double> features);

// How an episode's last step ends it: the process ended there, or only the recording did.
enum class EpisodeEnd : std::uint8_t { terminated, truncated };

// Discrete states: row i is in state ids[code[i]]. Codes are dense whatever the ids, so tables over states stay small.
struct DiscreteStates {
  Column<std::int32_t> code{};
  Column<std::int64_t> ids{};  // distinct, ascending; each occurs

  std::int64_t id_of(std::int64_t row) const { return ids[code[row]]; }
  friend bool operator==(const DiscreteStates&, const DiscreteStates&) = default;
};

// Real-valued states: row i is values[i * dimension .. (i + 1) * dimension). They stay in the precision they have.
struct DenseStates {
  std::int64_t dimension = 0;
  RealColumn values{};
  std::vector<std::string> names{};  // one per dimension, for messages and reports; may be empty

  std::int64_t count() const noexcept { return dimension < 1 ? 0 : values.size() / dimension; }
  // As doubles; floats are written to `scratch`, which must then outlive the view.
  std::span<const double> row(std::int64_t index, std::vector<double>& scratch) const {
    return rows(index, index + 1, scratch);
  }
  std::span<const double> rows(std::int64_t first, std::int64_t last, std::vector<double>& scratch) const {
    return values.widened(first * dimension, last * dimension, scratch);
  }
  friend bool operator==(const DenseStates&, const DenseStates&) = default;
};

// Absent where the logs have no state: the estimators that need none still work.
using States = std::variant<std::monostate, DiscreteStates, DenseStates, BinaryStates>;

STAROPE_API DiscreteStates make_discrete_states(std::span<const std::int64_t> ids);
STAROPE_API DenseStates to_dense(const BinaryStates& states);                // 64 times the memory
STAROPE_API std::optional<BinaryStates> to_bits(const DenseStates& states);  // none if a feature is neither 0 nor 1

struct DiscreteActions {
  Column<std::int32_t> id{};  // one per step, in [0, count)
  std::int32_t count = 0;
};
struct ContinuousActions {
  std::int64_t dimension = 0;
  Column<double> values{};  // steps x dimension
};
using Actions = std::variant<std::monostate, DiscreteActions, ContinuousActions>;

// Probabilities (or densities) of the logged actions, or their logarithms.
struct LoggedProbabilities {
  enum class Scale { linear, logarithm };
  Column<double> values{};
  Scale scale = Scale::linear;
  bool density = false;  // of a continuous action: may exceed 1
};

// Full action distributions: steps x actions.
struct ActionProbabilities {
  std::int32_t actions = 0;
  Column<double> values{};
};

using EpisodeIds = std::variant<Column<std::int64_t>, Column<std::string>>;

// What a reader or simulator makes: of vectors that it filled and moves in, or of buffers that belong to others.
struct Columns {
  Column<std::int64_t> offsets{};  // episode i has steps offsets[i] .. offsets[i+1]; offsets[0] = 0
  EpisodeIds episode_ids{};        // empty: episodes are numbered
  // Rows 0 .. steps-1 are the states of the steps. Behind them, in episode order, one row for each episode with
  // has_final_state: the state after its last step (useful for truncated episodes).
  States states{};
  Column<std::uint8_t> has_final_state{};  // 0 or 1, one per episode, or empty: none has one
  Actions actions{};
  Column<double> rewards{};
  std::optional<LoggedProbabilities> behavior{};
  // The same where only some were logged: NaN stands for the others. No estimator looks at it; with_behavior
  // (behavior.hpp) fills the gaps.
  std::optional<LoggedProbabilities> behavior_with_gaps{};
  std::optional<LoggedProbabilities> target{};
  std::optional<ActionProbabilities> behavior_distribution{};
  std::optional<ActionProbabilities> target_distribution{};
  Column<EpisodeEnd> ends{};  // one per episode
};

// Immutable logged episodes: ragged columns without padding, checked once when built. Copies share the columns.
class STAROPE_API Dataset {
 public:
  // Where step `row` stands in the source, for messages; the default knows episode and step.
  using Locate = std::function<DataLocation(std::int64_t row)>;

  // Throws DataError at the first value that breaks a rule.
  explicit Dataset(Columns columns, const Locate& locate = {});

  std::int64_t episodes() const noexcept { return columns_->offsets.size() - 1; }
  std::int64_t steps() const noexcept { return columns_->offsets.back(); }
  std::int64_t state_rows() const noexcept { return steps() + final_states_; }
  std::int64_t first_step(std::int64_t episode) const { return columns_->offsets[episode]; }
  std::int64_t length(std::int64_t episode) const { return first_step(episode + 1) - first_step(episode); }
  std::int64_t longest() const noexcept { return longest_; }
  std::int64_t truncated_episodes() const noexcept { return truncated_; }
  EpisodeEnd end(std::int64_t episode) const { return columns_->ends[episode]; }
  // The row in the state table of the state after the last step, where the logs have it.
  std::optional<std::int64_t> final_row(std::int64_t episode) const {
    if (final_states_ == 0 || columns_->has_final_state[episode] == 0) return std::nullopt;
    return steps() + final_rows_before_[episode];
  }
  std::string episode_name(std::int64_t episode) const;
  const EpisodeIds& episode_ids() const noexcept { return columns_->episode_ids; }  // empty: episodes are numbered

  // All of them: a copy shares their values, to exchange one and make another data set.
  const Columns& columns() const noexcept { return *columns_; }
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
  // Episodes first .. last-1. They share the columns of this data set: no value of a step is copied, except states that
  // have final states behind them, and codes of discrete states where an id no longer occurs.
  Dataset take(std::int64_t first, std::int64_t last) const;

  // The same episodes with another column. DataError where its values break a rule.
  Dataset with_behavior(LoggedProbabilities behavior) const;
  Dataset with_target(LoggedProbabilities target) const;
  Dataset with_behavior_distribution(ActionProbabilities distribution) const;
  Dataset with_target_distribution(ActionProbabilities distribution) const;

 private:
  struct Checked {};
  Dataset(Columns columns, Checked);  // columns that obey the rules

  std::shared_ptr<const Columns> columns_;
  Column<std::int64_t> final_rows_before_;  // how many episodes before this one have a final state; empty: none
  std::int64_t final_states_ = 0;
  std::int64_t longest_ = 0;
  std::int64_t truncated_ = 0;
};

// One behind the other. InvalidArgument unless all have the same columns, with states and actions of the same kind.
STAROPE_API Dataset concat(std::span<const Dataset> parts);

// How many steps make a block: enough to hide the cost of merging, few enough to share the work. It belongs to the
// algorithm, not to the machine: partial sums, and with them the last bits of a result, depend on the blocks.
inline constexpr std::int64_t steps_per_block = 65536;

// Episodes first .. last-1.
struct EpisodeRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(EpisodeRange, EpisodeRange) = default;
};

// Consecutive whole episodes; a block is closed by the episode that fills it. Every logged step counts, whatever the
// horizon: where blocks end is a matter of the data alone, so all questions see the same ones.
STAROPE_API std::vector<EpisodeRange> make_blocks(const Dataset& data, std::int64_t steps = steps_per_block);

// Logged episodes that may be more than memory holds: blocks of whole episodes, one after the other, as often as they
// are wanted. A block is a small data set of its own. Every opening yields the same blocks, and at least one.
class STAROPE_API Source {
 public:
  using Next = std::function<std::optional<Dataset>()>;  // the next block; none: that was all

  explicit Source(std::function<Next()> open) : open_(std::move(open)) {}
  Next open() const { return open_(); }

 private:
  std::function<Next()> open_;
};

// Logs in memory, in the blocks that a fold over them makes; or in blocks of the caller's choice.
STAROPE_API Source dataset_source(const Dataset& data, std::int64_t steps = steps_per_block);
STAROPE_API Source dataset_source(const Dataset& data, std::vector<EpisodeRange> blocks);

// All blocks in one piece.
STAROPE_API Dataset read_all(const Source& source);

// Some whole episodes of a source: all of them if they have at most `most_steps` steps, else those whose ids have the
// smallest hashes, as many as fit, in order of their hashes. Which ones are chosen is a matter of the ids alone, not of
// their order or their blocks.
struct EpisodeSample {
  Dataset episodes;
  bool whole = true;
};
STAROPE_API EpisodeSample sample_episodes(const Source& source, std::int64_t most_steps);

}  // namespace starope
