#include "starope/data.hpp"

#include <fmt/format.h>

#include "starope/error.hpp"

namespace starope::detail {

void check_borrowed(const void* data, std::int64_t size, std::size_t alignment) {
  if (size < 0) throw InvalidArgument(fmt::format("a column cannot have {} values", size));
  if (data == nullptr && size > 0)
    throw InvalidArgument(fmt::format("a column of {} values needs their address", size));
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the number of the address is what alignment is about
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) {
    throw InvalidArgument(
        fmt::format("a column of values of {} bytes each cannot begin at address {}, which is no multiple of {}; copy "
                    "the values to an aligned buffer",
                    alignment, data, alignment));
  }
}

void check_part(std::int64_t first, std::int64_t last, std::int64_t size) {
  if (0 <= first && first <= last && last <= size) return;
  throw InvalidArgument(fmt::format("there is no slice {}..{} of a column of {} values", first, last, size));
}

}  // namespace starope::detail
