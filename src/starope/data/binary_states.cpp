#include "starope/data/binary_states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/error.hpp"

namespace starope {

void append_bits(std::vector<std::uint64_t>& words, std::span<const double> features) {
  for (std::size_t first = 0; first < features.size(); first += 64) {
    std::uint64_t word = 0;
    const auto part = features.subspan(first, std::min<std::size_t>(64, features.size() - first));
    std::uint64_t other = 0;  // whether some feature is neither 0 nor 1; without a branch per feature
    for (std::size_t k = 0; k < part.size(); ++k) {
      word |= static_cast<std::uint64_t>(part[k] == 1.0) << k;
      other |= static_cast<std::uint64_t>(part[k] != 0.0) & static_cast<std::uint64_t>(part[k] != 1.0);
    }
    if (other != 0) {
      const auto wrong = std::find_if(part.begin(), part.end(), [](double x) { return x != 0.0 && x != 1.0; });
      throw InvalidArgument(fmt::format("state feature {} is {}; only features that are 0 or 1 can be stored as bits",
                                        first + static_cast<std::size_t>(wrong - part.begin()), *wrong));
    }
    words.push_back(word);
  }
}

void unpack_bits(std::span<const std::uint64_t> row, std::span<double> features) {
  for (std::size_t k = 0; k < features.size(); ++k) features[k] = static_cast<double>(row[k / 64] >> (k % 64) & 1U);
}

}  // namespace starope
