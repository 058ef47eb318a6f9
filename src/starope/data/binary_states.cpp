#include "starope/data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/bits.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

// Negative zero passes: it is zero.
void check_zero_or_one(std::span<const double> features, std::size_t first) {
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (features[k] == 0.0 || features[k] == 1.0) continue;
    throw InvalidArgument(fmt::format("state feature {} is {}; only features that are 0 or 1 can be stored as bits",
                                      first + k, features[k]));
  }
}

}  // namespace

void append_bits(std::vector<std::uint64_t>& words, std::span<const double> features) {
  for (std::size_t first = 0; first < features.size(); first += 64) {
    std::uint64_t word = 0;
    const auto part = features.subspan(first, std::min<std::size_t>(64, features.size() - first));
    // 1.0 is the exponent 0x3ff and nothing else, so bit 52 tells it from 0.0; what differs from both leaves a trace in
    // `other`. A comparison and a branch per feature would take three times as long.
    constexpr std::uint64_t one = bits_as<std::uint64_t>(1.0);
    std::uint64_t other = 0;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const auto pattern = bits_as<std::uint64_t>(part[k]);
      const std::uint64_t set = pattern >> 52 & 1U;
      word |= set << k;
      other |= pattern ^ (one & (std::uint64_t{0} - set));
    }
    if (other != 0) check_zero_or_one(part, first);
    words.push_back(word);
  }
}

void unpack_bits(std::span<const std::uint64_t> row, std::span<double> features) {
  for (std::size_t k = 0; k < features.size(); ++k) features[k] = static_cast<double>(row[k / 64] >> (k % 64) & 1U);
}

DenseStates to_dense(const BinaryStates& states) {
  const auto dimension = static_cast<std::size_t>(states.dimension);
  const std::size_t rows = states.words.empty() ? 0 : std::span(states.words).size() / states.words_per_row();
  std::vector<double> values(rows * dimension);
  for (std::size_t i = 0; i < rows; ++i)
    unpack_bits(states.row(static_cast<std::int64_t>(i)), std::span(values).subspan(i * dimension, dimension));
  return {.dimension = states.dimension, .values = std::move(values), .names = states.names};
}

std::optional<BinaryStates> to_bits(const DenseStates& states) {
  const auto are_bits = [](const auto& values) {
    return std::all_of(values.begin(), values.end(), [](auto x) { return x == 0 || x == 1; });
  };
  if (!states.values.visit(are_bits)) return std::nullopt;
  BinaryStates bits{.dimension = states.dimension, .words = {}, .names = states.names};
  std::vector<std::uint64_t> words;
  words.reserve(static_cast<std::size_t>(states.count()) * bits.words_per_row());
  std::vector<double> scratch;
  for (std::int64_t i = 0; i < states.count(); ++i) append_bits(words, states.row(i, scratch));
  bits.words = std::move(words);
  return bits;
}

}  // namespace starope
