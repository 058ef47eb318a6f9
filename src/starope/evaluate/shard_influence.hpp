#pragma once

#include "starope/data.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/shards.hpp"
#include "starope/types.hpp"

namespace starope {

// The second pass over a part: what every episode adds to the estimates that all parts give together.
ShardInfluence influence(const Source& part, const ShardSums& total, Threads threads);

}  // namespace starope
