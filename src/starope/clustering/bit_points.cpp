#include "starope/clustering/bit_points.hpp"

#include <fmt/format.h>

#include "starope/error.hpp"

namespace starope {

void check_points(const BitPoints& points) {
  if (points.dimension < 1 || points.words.empty() || points.words.size() % points.words_per_row() != 0) {
    throw InvalidArgument(
        fmt::format("points must be one row of bits each, at least one; got {} words of 64 bits for dimension {}",
                    points.words.size(), points.dimension));
  }
}

std::vector<std::uint64_t> gather_rows(const BitPoints& points, std::span<const std::int64_t> rows) {
  std::vector<std::uint64_t> words;
  words.reserve(rows.size() * points.words_per_row());
  for (const std::int64_t i : rows) {
    if (i < 0 || i >= points.count()) {
      throw InvalidArgument(fmt::format("there is no row {} among {} rows of bits", i, points.count()));
    }
    const auto row = points.row(i);
    words.insert(words.end(), row.begin(), row.end());
  }
  return words;
}

}  // namespace starope
