#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/inspect.hpp"
#include "starope/problem.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/scaled.hpp"
#include "starope/stats/sliding_product.hpp"

namespace starope {

// 1, 2, 5, 10, 20, 50, ... and the longest episode.
std::vector<std::int64_t> checkpoints(std::int64_t longest);

std::vector<WeightsAt> weights_at(const Problem& problem, const std::vector<std::int64_t>& steps);

// The same of episodes that come one after the other, in two passes. Products of thousands of ratios leave the range of
// double, and only their quotients matter: the first pass finds the largest after every number of steps, and in its
// units every weight is a double in [0, 2^128] (and squares still are in range).
class WeightScales {
 public:
  void add(const LoggedEpisode& episode);
  int after(std::int64_t steps) const;  // the exponent of the largest weight; 0 where all are zero

  WeightScales& operator+=(const WeightScales& other);
  void write(ByteWriter& to) const;
  static WeightScales read(ByteReader& from);

 private:
  std::vector<std::optional<int>> running_{};  // of the episodes that take step t
  std::vector<std::optional<int>> ended_{};    // of those that ended before step t: they keep their last weight
};
class WeightsAtSteps {
 public:
  // Steps ascending; `episodes`: how many will be added.
  WeightsAtSteps(std::vector<std::int64_t> steps, const WeightScales& scales, std::int64_t episodes);
  void add(const LoggedEpisode& episode);
  // Other episodes of the same logs; InvalidArgument for those of others.
  WeightsAtSteps& operator+=(const WeightsAtSteps& other);
  std::vector<WeightsAt> finish() const;

  static constexpr std::string_view kind = "weights";
  static constexpr std::uint32_t version = 1;
  Bytes to_bytes() const { return sealed(*this); }
  static WeightsAtSteps from_bytes(std::span<const std::byte> bytes) { return unsealed<WeightsAtSteps>(bytes); }
  void write(ByteWriter& to) const;
  static WeightsAtSteps read(ByteReader& from);

 private:
  WeightsAtSteps() = default;
  void keep_top(std::vector<double>& top, double weight) const;
  struct Sums {
    int scale = 0;
    ScoreMoments scores{};
    double total = 0.0, squares = 0.0, largest = 0.0;
    std::int64_t zeros = 0;
    std::vector<double> top{};  // a heap of the largest, the least of them in front
  };
  std::size_t most_top_ = 1;  // a hundredth of the episodes
  std::vector<std::int64_t> steps_{};
  std::vector<Sums> sums_{};
};

// The effective sample size after 1, 2, ..., longest steps, in one pass over the episodes in their order: logs in
// blocks have the bits of logs in memory.
class EssByStep {
 public:
  EssByStep() = default;
  // Of weights of the last ratios only, among the episodes that take the step: what star sees there.
  explicit EssByStep(Clip clip) : window_(clip) {}
  void add(const LoggedEpisode& episode);
  EssByStep& operator+=(const EssByStep& other);
  std::vector<double> finish() const;
  void write(ByteWriter& to) const;
  void read_sums(ByteReader& from);  // in place of what was added

 private:
  struct Sums {
    ScaledSum weights{};
    ScaledSum squares{};
    void add(const Scaled& weight) {
      weights.add(weight);
      squares.add(weight * weight);
    }
    Sums& operator+=(const Sums& other) {
      weights += other.weights;
      squares += other.squares;
      return *this;
    }
  };
  static void add_all(std::vector<Sums>& to, const std::vector<Sums>& other);
  static void write_all(ByteWriter& to, const std::vector<Sums>& sums);
  static std::vector<Sums> read_all(ByteReader& from);
  std::vector<Sums> running_{};  // of the episodes that take step t
  std::vector<Sums> ended_{};    // of the episodes that ended before step t: they keep their last weight
  std::optional<SlidingProduct> window_{};
};
std::vector<double> ess_by_step(const Problem& problem);
std::vector<double> ess_by_step(const Source& source, const ProblemOptions& question);

// The same of weights of the last `clip` ratios, with their size over all steps.
class ClippedSizes {
 public:
  explicit ClippedSizes(std::int64_t clip) : clip_(clip), by_step_(Clip::last(clip)), window_(Clip::last(clip)) {}
  void add(const LoggedEpisode& episode);
  ClippedSizes& operator+=(const ClippedSizes& other);
  void write(ByteWriter& to) const;
  void read_sums(ByteReader& from);  // in place of what was added
  // At these numbers of steps; `few` effective episodes are too few to speak.
  Inspection::ClippedWeights finish(const std::vector<std::int64_t>& at, double few, const Inspection& logs) const;

 private:
  std::int64_t clip_;
  EssByStep by_step_;
  SlidingProduct window_;
  ScaledSum weights_{}, squares_{};
};

// The mean of the single-step ratios, 1 in expectation at every step, with a standard error over episodes (the steps of
// an episode are not independent). Far lighter tails than W: the sharper check of logged probabilities.
struct MeanRatio {
  double mean = 0.0;
  std::optional<double> std_error{};  // none for a single episode
};
MeanRatio mean_ratio(const Problem& problem);

// The same of episodes that come one after the other. The sum over the steps of an episode of (rho - 1) has mean 0,
// however the episode ends: a martingale stopped at its length. Dividing by the mean length turns it into the deviation
// of the mean ratio from 1.
class RatioMean {
 public:
  void add(const LoggedEpisode& episode);
  RatioMean& operator+=(const RatioMean& other);
  MeanRatio finish() const;
  void write(ByteWriter& to) const;
  static RatioMean read(ByteReader& from);

 private:
  Moments excess_{};
  std::int64_t steps_ = 0;
};

}  // namespace starope
