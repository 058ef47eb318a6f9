#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "starope/io/arrow_array.hpp"

namespace starope::io {

// A column of a chunk as DuckDB has it: values one behind the other, a byte for each truth value.
struct FlatVector {
  bool boolean = false;
  const void* values = nullptr;
  const std::uint64_t* valid = nullptr;  // a bit per row; null: all of them are
};

// The chunk as an Arrow table whose buffers are the vectors themselves: only truth values are copied, to bits. `done`
// is called when the array is released, which the vectors must live until.
ArrowArray borrowed(std::span<const FlatVector> columns, std::int64_t rows, std::function<void()> done);

}  // namespace starope::io
