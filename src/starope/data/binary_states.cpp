#include "starope/data/binary_states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/error.hpp"

namespace starope {

void append_bits(std::vector<std::uint64_t>& words, std::span<const double> features) {
  for (std::size_t first = 0; first < features.size(); first += 64) {
    std::uint64_t word = 0;
    const auto part = features.subspan(first, std::min<std::size_t>(64, features.size() - first));
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (part[k] != 0.0 && part[k] != 1.0) {
        throw InvalidArgument(fmt::format("state feature {} is {}; only features that are 0 or 1 can be stored as bits",
                                          first + k, part[k]));
      }
      word |= static_cast<std::uint64_t>(part[k] == 1.0) << k;
    }
    words.push_back(word);
  }
}

void unpack_bits(std::span<const std::uint64_t> row, std::span<double> features) {
  for (std::size_t k = 0; k < features.size(); ++k) features[k] = static_cast<double>(row[k / 64] >> (k % 64) & 1U);
}

}  // namespace starope
