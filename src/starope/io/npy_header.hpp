#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starope::io {

// What the values of a NumPy array are: little-endian numbers or truth values; or texts, for who asks for them.
struct NpyType {
  enum class Kind : std::uint8_t { real, signed_integer, unsigned_integer, boolean, text };
  Kind kind = Kind::real;
  std::size_t size = 8;  // bytes per value
  friend bool operator==(const NpyType&, const NpyType&) = default;
};

struct NpyHeader {
  NpyType type{};
  std::vector<std::int64_t> shape{};  // empty: a single number
  bool fortran = false;               // column by column
  std::int64_t values() const;        // product of the shape
  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

// What is allowed besides numbers row by row: columns of a table may be transposed, as pandas has them; so may small
// arrays that are parameters, not logs, or be words.
enum class NpyContent { rows, columns, parameters };

// The dictionary in front of an array, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}. What cannot be read
// (objects, records, big-endian numbers, sizes beyond 2^60 bytes; of rows also texts and column-major order) is a
// DataError that names file and array.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& file, const std::string& array,
                               NpyContent content = NpyContent::rows);

// Magic number, version and dictionary, padded to a multiple of 64 bytes.
std::string format_npy_header(const NpyHeader& header);

// "(3, 4)"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace starope::io
