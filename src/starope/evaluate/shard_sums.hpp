#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/arp/arp_statistic.hpp"
#include "starope/auto/auto_counts.hpp"
#include "starope/auto/auto_model.hpp"
#include "starope/base/bytes.hpp"
#include "starope/checks/twins.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/estimators/score_sums.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/phi.hpp"
#include "starope/shards.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {

inline constexpr std::size_t shard_groups = 64;

// One statistic per group of episodes.
template <class Sums>
using Grouped = std::vector<Sums>;

// A star's sums, and what it asks of the logs: horizons may differ from the question's.
struct StarSums {
  Phi phi{};
  ArpOptions options{};
  ProblemOptions asked{};
  Grouped<ArpStatistic> process{};
  WeightSums weights{};
  SeenLogs logs{};
  friend bool operator==(const StarSums&, const StarSums&) = default;
};

// The sums of `auto`, its model, and what the fit of the model said: that is about the part it was fitted to.
struct AutoCounted {
  std::shared_ptr<const AutoModel> model{};
  std::vector<Detail> details{};
  std::vector<FamilyAnswer> families{};
  std::vector<Finding> findings{};
  Grouped<AutoCounts> counts{};
  WeightSums weights{};
  SeenLogs logs{};
  friend bool operator==(const AutoCounted& a, const AutoCounted& b);
};

// A time-indexed process has a layer per step up to the horizon, whatever the longest episode of a part.
Survey survey_of(const StarSums& star, const SeenLogs& logs);

struct CountedEstimator {
  std::string text{};
  std::variant<Grouped<ScoreSums>, Grouped<WisSums>, Grouped<WpdisSums>, StarSums, AutoCounted> sums{};
  friend bool operator==(const CountedEstimator&, const CountedEstimator&) = default;
};

struct ShardSums {
  static constexpr std::string_view kind = "shard statistic";
  static constexpr std::uint32_t version = 3;

  ProblemOptions question{};
  std::string target{};  // what the target policy is, where the logs do not say
  SeenLogs logs{};
  ScaledSum weights{}, squares{};    // of whole episodes
  Grouped<ScoreSums> logged{};       // what the logged policy earned
  std::vector<Finding> noted{};      // what the readers of the parts found: counts add up
  std::vector<Finding> checked{};    // what is wrong with any part: the worst of each kind
  TwinSample twins{};                // to find episodes that are in several parts; none in files of version 2
  std::vector<Fingerprint> parts{};  // what each part that was counted said
  std::vector<CountedEstimator> estimators{};

  std::string recipe() const;                     // in words
  std::vector<Finding> between_parts() const;     // what no part shows alone
  void add_sums(const ShardSums& other);          // of the same recipe; parts are not looked at
  ShardSums& operator+=(const ShardSums& other);  // InvalidArgument for strangers, and for what is in here already
  friend bool operator==(const ShardSums&, const ShardSums&) = default;

  Bytes to_bytes() const { return sealed(*this); }
  static ShardSums from_bytes(std::span<const std::byte> bytes);
  void write(ByteWriter& to) const;
  static ShardSums read(ByteReader& from, std::uint32_t written = version);
};

}  // namespace starope
