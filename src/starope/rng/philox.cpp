#include "starope/rng/philox.hpp"

#include <Random123/philox.h>

namespace starope {

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key) noexcept {
  const r123::Philox4x32::ctr_type c = {{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type k = {{key[0], key[1]}};
  const r123::Philox4x32::ctr_type out = r123::Philox4x32{}(c, k);
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace starope
