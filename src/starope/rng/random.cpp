#include "starope/rng/random.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <unordered_map>

#include "starope/base/assert.hpp"
#include "starope/rng/philox.hpp"

namespace starope {
namespace {

struct TwoDraws {
  std::uint64_t first, second;
};

TwoDraws block(Seed seed, Stream stream, std::uint64_t item, std::uint32_t index) noexcept {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto word = philox_block({index, low(item), high(item), static_cast<std::uint32_t>(stream)},
                                 {low(seed.value), high(seed.value)});
  return {(std::uint64_t{word[1]} << 32) | word[0], (std::uint64_t{word[3]} << 32) | word[2]};
}

double to_unit_interval(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

std::uint64_t random_bits(Seed seed, Stream stream, std::uint64_t item, std::uint32_t draw) noexcept {
  const TwoDraws pair = block(seed, stream, item, draw / 2);
  return draw % 2 == 0 ? pair.first : pair.second;
}

std::uint64_t Random::bits() noexcept {
  const std::uint32_t draw = draw_++;
  if (draw % 2 == 1) return second_half_;
  const TwoDraws pair = block(seed_, stream_, item_, draw / 2);
  second_half_ = pair.second;
  return pair.first;
}

double Random::uniform() noexcept {
  return to_unit_interval(bits());
}

double Random::uniform(double low, double high) noexcept {
  return low + (high - low) * uniform();
}

std::uint64_t Random::below(std::uint64_t count) noexcept {
  STAROPE_ASSERT(count >= 1);
  // The high half of a 64 x 64 bit product: always one draw; no value is favored by more than count / 2^64.
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{bits()} * count) >> 64);
}

double Random::normal() noexcept {
  // Box-Muller, one of the pair: a normal then always costs two draws, whoever asks. 1 - u lies in (0, 1].
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

int poisson_one(std::uint64_t bits) noexcept {
  const double u = to_unit_interval(bits);
  double term = std::exp(-1.0);
  double cumulative = term;
  int k = 0;
  while (u >= cumulative && k < 20) {  // P(X > 20) < 1e-19: below the resolution of u
    ++k;
    term /= k;
    cumulative += term;
  }
  return k;
}

std::vector<std::int64_t> sample_without_replacement(Random& random, std::int64_t population, std::int64_t count) {
  // Fisher-Yates over 0..population-1. Where only a few are drawn of many, it stores only the positions it has touched.
  count = std::min(count, population);
  constexpr std::int64_t many = 64;
  if (population <= many * count) {
    std::vector<std::int64_t> order(population), chosen;
    std::iota(order.begin(), order.end(), std::int64_t{0});
    chosen.reserve(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t j = i + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(population - i)));
      chosen.push_back(order[j]);
      order[j] = order[i];
    }
    return chosen;
  }
  std::unordered_map<std::int64_t, std::int64_t> moved;
  const auto at = [&moved](std::int64_t i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  std::vector<std::int64_t> chosen;
  chosen.reserve(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t j = i + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(population - i)));
    chosen.push_back(at(j));
    moved[j] = at(i);
  }
  return chosen;
}

}  // namespace starope
