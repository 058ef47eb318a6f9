#pragma once

#include <array>
#include <cstdint>

namespace starope {

// Philox4x32-10 (Salmon et al. 2011): a bijection of 128-bit counters, one for every 64-bit key.
std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key) noexcept;

}  // namespace starope
