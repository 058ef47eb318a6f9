#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/estimators/score_sums.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/problem.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {

// The returns that naive, is and pdis take the mean of: as they were, times the product of all ratios, or every reward
// times the ratios up to it.
enum class ReturnWeight { none, whole, per_decision };
struct ReturnScore {
  ReturnWeight weight = ReturnWeight::none;
  double gamma = 1.0;
  double operator()(const LoggedEpisode& episode) const;
};
ScoreFold<ReturnScore> make_return_fold(ReturnWeight weight, const ProblemOptions& question);

// wis: the sums of W G and of W over episodes, W the product of all ratios and G the discounted return.
struct WisSums {
  static constexpr std::string_view kind = "wis statistic";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  double episodes = 0.0;
  ScaledSum weighted_return{}, weight{};

  WisSums& operator+=(const WisSums& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const WisSums&, const WisSums&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static WisSums from_bytes(std::span<const std::byte> bytes) { return unsealed<WisSums>(bytes); }
  void write(ByteWriter& to) const;
  static WisSums read(ByteReader& from);
};

struct WisFold {
  using Statistic = WisSums;
  ProblemOptions question{};

  WisSums identity() const { return {.recipe = {.of = "wis", .question = question}}; }
  void add(WisSums& total, const LoggedEpisode& episode, double times = 1.0) const;
};

// The finished sums: the value, and how an episode moves it. DegenerateModel if all weights are zero.
class WisValue {
 public:
  explicit WisValue(const WisSums& sums);
  double value() const noexcept { return value_; }
  double influence(const LoggedEpisode& episode) const;

 private:
  WisSums sums_;
  double value_;
};

// wpdis, for every step t: the sum of rho_{0:t} r_t and of rho_{0:t} over the episodes that reach it, and the last
// products of the episodes that ended just before it (they stay in the denominator of t and of all later steps).
struct WpdisSums {
  static constexpr std::string_view kind = "wpdis statistic";
  static constexpr std::uint32_t version = 1;

  SumRecipe recipe{};
  double episodes = 0.0;
  std::vector<ScaledSum> reward{}, weight{}, ended{};  // one more than the longest episode has steps, or none

  WpdisSums& operator+=(const WpdisSums& other);  // InvalidArgument if the recipes differ
  friend bool operator==(const WpdisSums&, const WpdisSums&) = default;
  void resize(std::size_t steps);

  Bytes to_bytes() const { return sealed(*this); }
  static WpdisSums from_bytes(std::span<const std::byte> bytes) { return unsealed<WpdisSums>(bytes); }
  void write(ByteWriter& to) const;
  static WpdisSums read(ByteReader& from);
};

struct WpdisFold {
  using Statistic = WpdisSums;
  ProblemOptions question{};

  WpdisSums identity() const { return {.recipe = {.of = "wpdis", .question = question}}; }
  void add(WpdisSums& total, const LoggedEpisode& episode, double times = 1.0) const;
};

// The finished sums. DegenerateModel if all weights of the first step are zero.
class WpdisValue {
 public:
  explicit WpdisValue(const WpdisSums& sums);
  double value() const noexcept { return value_; }
  std::optional<std::int64_t> unsupported_from() const noexcept { return unsupported_from_; }  // step without weight
  double influence(const LoggedEpisode& episode) const;

 private:
  double gamma_;
  double episodes_;
  double value_ = 0.0;
  std::optional<std::int64_t> unsupported_from_{};
  std::vector<double> mean_reward_{};     // R_t = sum rho_{0:t} r_t / sum rho_{0:t}
  std::vector<ScaledSum> all_weights_{};  // its denominator, over all episodes
  std::vector<ScaledSum> tail_{};         // of the influence of an episode that has ended
};

}  // namespace starope
