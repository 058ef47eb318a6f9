#pragma once

#include <cstdint>
#include <string_view>

namespace starope {

// FNV-1a of 64 bits: against accidents, not against somebody who wants to deceive.
inline std::uint64_t fnv1a(std::string_view bytes, std::uint64_t hash = 0xcbf29ce484222325U) noexcept {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash;
}

}  // namespace starope
