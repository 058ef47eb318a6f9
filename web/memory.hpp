#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starope::web {

// What a page in a browser can have: WebAssembly counts bytes with 32 bits.
inline constexpr std::int64_t most_memory = std::int64_t{4} << 30;

// About what a table of this size takes in the page: its text twice (as it came and as it is read), its values, and
// what estimators make of them. `values`: bytes of the values, if that is known.
std::int64_t memory_for(std::int64_t size, std::optional<std::int64_t> values);

// What to say, and what to do instead.
std::string too_large(const std::string& name, std::int64_t size, std::int64_t needed);
std::string out_of_memory();

}  // namespace starope::web
