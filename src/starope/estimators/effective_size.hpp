#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "starope/arp/episode_weights.hpp"
#include "starope/base/bytes.hpp"
#include "starope/finding.hpp"
#include "starope/fold/passes.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// (sum W)^2 / sum W^2 over episodes, W the product of all ratios of an episode: how many equally weighted episodes
// carry the information that whole-episode importance sampling finds in the logs.
double effective_episodes(const Problem& problem, Threads threads = Threads::all());

// The same for the weights that a clip leaves, over steps, as a number of episodes: n (sum w)^2 / (steps sum w^2).
double effective_episodes(const Problem& problem, Clip clip, Threads threads = Threads::all());

// The same for logs that come in blocks, with the mean of the weights. Two passes: the first finds the largest weight.
struct WholeWeights {
  double ess = 0.0;
  double mean = 0.0;
  std::int64_t episodes = 0;
};
WholeWeights whole_weights(const LogsInBlocks& logs);

// Sum and sum of squares of the weights that a clip leaves, of all steps, in units of 2^(256 unit) and its square.
struct WeightSums {
  static constexpr std::string_view kind = "weight statistic";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  double sum = 0.0;
  double squares = 0.0;
  std::optional<int> unit{};

  void raise_unit(int larger);
  WeightSums& operator+=(const WeightSums& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const WeightSums&, const WeightSums&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static WeightSums from_bytes(std::span<const std::byte> bytes) { return unsealed<WeightSums>(bytes); }
  void write(ByteWriter& to) const;
  static WeightSums read(ByteReader& from);
};

struct WeightFold {
  using Statistic = WeightSums;
  WeightRule rule{};
  ProblemOptions question{};

  WeightSums identity() const;
  void add(WeightSums& total, const LoggedEpisode& episode, double times = 1.0) const;
};
double effective_episodes(const WeightSums& sums, const Survey& logs);

// A finding if fewer than ten episodes carry the weights.
std::optional<Finding> low_ess(double ess, std::int64_t episodes);

// The products of all ratios have mean 1 over many episodes: a finding if that of ten or more is below a tenth. Weights
// may all be equal, and the effective sample size perfect, while the episodes that the target policy is about were
// never logged.
std::optional<Finding> missing_weight(const Problem& problem, Threads threads = Threads::all());
std::optional<Finding> missing_weight(double mean_weight, std::int64_t episodes);

}  // namespace starope
