#pragma once

#include <type_traits>

namespace starope {

// The bits of one type as a value of another of the same size: std::bit_cast, which not every standard library of C++20
// has (emscripten's of Debian 12 has not), though every compiler does.
template <class To, class From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
         std::is_trivially_copyable_v<From>) constexpr To bits_as(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}  // namespace starope
