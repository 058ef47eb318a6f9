#pragma once

// What all targets share. Whatever is wrong with an input must be an exception of ours; anything else (another
// exception, a crash, what a sanitizer sees, memory or time without bound) ends the fuzzer with the input that did it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "starope/error.hpp"

namespace starope::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

template <class Work>
void tried(const Work& work) {
  try {
    work();
  } catch (const Error&) {  // the way out for wrong input
  }
}

// Takes an input apart into numbers; behind its end there are zeros.
class Draws {
 public:
  Draws(const std::uint8_t* data, std::size_t size) : rest_(text_of(data, size)) {}
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::int64_t below(std::int64_t count) { return byte() % count; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace starope::fuzz
