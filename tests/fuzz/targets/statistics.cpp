// Bytes of statistics and of fitted abstractions. The checksum is made right, so that what is behind it is reached.
#include <cstring>
#include <vector>

#include "fuzz.hpp"
#include "starope/auto/auto_model.hpp"
#include "starope/base/bytes.hpp"
#include "starope/phi.hpp"
#include "starope/shards.hpp"
#include "starope/statistic.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  constexpr std::size_t check = 16;
  if (size > check) {
    const Fingerprint right = fingerprint_of(std::span<const std::byte>(bytes).first(size - check));
    std::memcpy(bytes.data() + size - check, &right.high, 8);
    std::memcpy(bytes.data() + size - 8, &right.low, 8);
  }
  fuzz::tried([&] { finish(ShardStatistics::from_bytes(bytes)); });
  fuzz::tried([&] { Statistic::from_bytes(bytes); });
  fuzz::tried([&] { Phi::from_bytes(bytes); });
  fuzz::tried([&] { AutoModel::from_bytes(bytes); });
  fuzz::tried([&] { AutoSums::from_bytes(bytes); });
  return 0;
}

}  // namespace starope
