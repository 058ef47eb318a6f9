#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starope/arp/episode_weights.hpp"
#include "starope/arp/move_counts.hpp"
#include "starope/base/bytes.hpp"
#include "starope/phi.hpp"
#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"
#include "starope/statistic.hpp"

namespace starope {

// The sums an abstract reward process is made of. With w the weight of a step in cell z, a step adds
//   reward[z] += w r,   and w to one of   move[z, z'] (a step in z' follows), exit[z] (the episode ends here),
//   cut[z] (the recording ends here, what follows is unknown).
// The visits sum w therefore are move's row sums + exit + cut: nothing is counted twice. start counts episodes,
// unweighted. Weights, and with them all sums but start, are in units of 2^(256 unit); only quotients matter.
struct ArpStatistic {
  static constexpr std::string_view kind = "arp statistic";
  static constexpr std::uint32_t version = 1;

  ArpRecipe recipe{};
  double episodes = 0.0;  // a whole number unless some count a fraction of a time
  std::vector<double> start{}, reward{}, exit{}, cut{};
  MoveCounts move{};
  std::optional<int> unit{};  // none: no positive weight so far

  // Merges; InvalidArgument if the other was counted with another recipe.
  ArpStatistic& operator+=(const ArpStatistic& other);
  friend bool operator==(const ArpStatistic&, const ArpStatistic&) = default;
  // Expresses all sums in a larger unit.
  void raise_unit(int larger);

  Bytes to_bytes() const { return sealed(*this); }
  static ArpStatistic from_bytes(std::span<const std::byte> bytes) { return unsealed<ArpStatistic>(bytes); }
  void write(ByteWriter& to) const;
  static ArpStatistic read(ByteReader& from);
};

// The recipe as a fold over episodes. Keeps a reference to the labels.
class ArpFold {
 public:
  using Statistic = ArpStatistic;

  ArpFold(const Labels& labels, const Problem& problem, const ArpOptions& options);
  // The same where the problem is a part of the logs: what must be known of all of them is given.
  ArpFold(const Labels& labels, const Problem& part, const ArpOptions& options, const Survey& whole);

  ArpStatistic identity() const;
  void add(ArpStatistic& total, const LoggedEpisode& episode, double times = 1.0) const;

  const ArpRecipe& recipe() const noexcept { return recipe_; }
  const WeightRule& weights() const noexcept { return weights_; }

  // The cell of a step, and of the state after the last step where it is known and matters.
  Label cell(const LoggedEpisode& episode, std::int64_t t) const {
    const Label z = labels_.of_row[episode.first_row + t];
    return recipe_.options.time == TimeModel::pooled ? z : static_cast<Label>(t * labels_.cells) + z;
  }
  Outcome::Kind outcome_of_last_step(const LoggedEpisode& episode) const;
  Label final_cell(const LoggedEpisode& episode) const;

 private:
  template <class Weights>
  void add_chunks(ArpStatistic& total, const LoggedEpisode& episode, double times, Weights& stream) const;
  void add_steps(ArpStatistic& total, std::span<const Label> cells, const double* weights, const double* rewards) const;
  void add_fused(ArpStatistic& total, const LoggedEpisode& episode) const;
  void add_last_step(ArpStatistic& total, const LoggedEpisode& episode, Label last, double weight) const;

  const Labels& labels_;
  ArpRecipe recipe_;
  WeightRule weights_;
  std::optional<std::int64_t> horizon_;
  enum class Loop { chunks, one_ratio, two_ratios, all_ratios };
  Loop loop_ = Loop::chunks;
};

// The recipe for logs that come in parts: labels each part, and counts it as if it were seen with all others.
struct ArpBlockFold {
  using Statistic = ArpStatistic;

  Phi phi{};
  ArpOptions options{};
  Survey whole{};             // of all parts, up to the horizon
  ProblemOptions question{};  // that is asked of them

  ArpStatistic identity() const;
  void add_block(ArpStatistic& total, const Problem& block) const;
};

}  // namespace starope
