#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "starope/base/bytes.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"

namespace starope {

// One number per episode, as moments: an estimate that is the mean of its scores, or the influence that gives another
// one its standard error.
struct ScoreSums {
  static constexpr std::string_view kind = "score statistic";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  ScoreMoments scores{};

  ScoreSums& operator+=(const ScoreSums& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const ScoreSums&, const ScoreSums&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static ScoreSums from_bytes(std::span<const std::byte> bytes) { return unsealed<ScoreSums>(bytes); }
  void write(ByteWriter& to) const;
  static ScoreSums read(ByteReader& from);
};

// `score` maps an episode to its number. What it was made of besides the episode must be in the recipe.
template <class Score>
struct ScoreFold {
  using Statistic = ScoreSums;

  SumRecipe recipe;
  Score score;

  ScoreSums identity() const { return {.recipe = recipe}; }
  void add(ScoreSums& total, const LoggedEpisode& episode, double times = 1.0) const {
    const double x = score(episode);
    times == 1.0 ? total.scores.add(x) : total.scores.add(x, times);
  }
};

}  // namespace starope
