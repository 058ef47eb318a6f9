#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/arp/arp_statistic.hpp"
#include "starope/base/bytes.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/estimators/score_sums.hpp"
#include "starope/shards.hpp"
#include "starope/types.hpp"

namespace starope {

// One sum per replicate; none for an estimator that has no replicates.
using EstimatorReplicates = std::variant<std::monostate, std::vector<ScoreSums>, std::vector<WisSums>,
                                         std::vector<WpdisSums>, std::vector<ArpStatistic>>;

struct ReplicatedSums {
  static constexpr std::string_view kind = "shard replicates";
  static constexpr std::uint32_t version = 1;

  Fingerprint of{};  // the sums of all parts
  Seed seed{};
  std::int64_t first = 0, replicates = 0;
  std::int64_t episodes = 0;  // that were drawn for, whether or not they count
  std::vector<EstimatorReplicates> estimators{};

  void write(ByteWriter& to) const;
  static ReplicatedSums read(ByteReader& from);
};

}  // namespace starope
