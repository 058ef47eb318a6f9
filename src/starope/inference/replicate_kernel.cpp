// One file, compiled once per instruction set. Every replicate has sums of its own, in the order of the terms, so no
// result depends on the vector width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/inference/replicate_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "starope/base/bits.hpp"
#include "starope/base/doubles.hpp"
#include "starope/inference/poisson_thresholds.hpp"
#include "starope/inference/replicate_kernel.hpp"
#include "starope/rng/philox.hpp"
#include "starope/rng/random.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Real = hn::CappedTag<double, 8>;
using Wide = hn::RebindToUnsigned<Real>;
constexpr std::size_t lanes = hn::MaxLanes(Real());

// What follows in the order of the counts 1, 2, ... of poisson_thresholds: the upper half of that number as a double.
HWY_INLINE std::uint32_t upper_half(std::size_t count) {
  return static_cast<std::uint32_t>(bits_as<std::uint64_t>(static_cast<double>(count)) >> 32);
}

HWY_INLINE std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
HWY_INLINE std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}

constexpr std::size_t blocks = replicates_together / 4;

#if HWY_TARGET == HWY_SCALAR

void draw(std::uint64_t seed, const std::uint64_t* items, std::size_t count, std::uint32_t first_block,
          const PoissonThresholds& thresholds, CountPair* out) {
  for (std::size_t e = 0; e < count; ++e, out += pairs_together) {
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const auto words =
          philox_block({first_block + b, low(items[e]), high(items[e]), static_cast<std::uint32_t>(Stream::bootstrap)},
                       {low(seed), high(seed)});
      std::uint64_t counts[4];
      for (std::size_t w = 0; w < words.size(); ++w) {
        std::size_t reached = 0;
        for (const std::uint32_t threshold : thresholds) reached += words[w] >= threshold ? 1 : 0;
        counts[w] = upper_half(reached);
      }
      for (std::size_t pair = 0; pair < 2; ++pair)
        out[pair * blocks + b] = counts[2 * pair] | counts[2 * pair + 1] << 32;
    }
  }
}

#else

using Halves = hn::Repartition<std::uint32_t, Wide>;
using Words = hn::Repartition<std::int32_t, Wide>;

constexpr std::uint64_t multiplier0 = 0xD2511F53U, multiplier1 = 0xCD9E8D57U;
constexpr std::size_t rounds = 10;

// Philox4x32-10 of counters that differ in their first word (the block), for one episode after the other. The words are
// 32 bits at the lower end of a lane; what stands above them is never looked at.
//
// The first round multiplies the block and the episode by themselves, the second one still does so crosswise: both are
// known before they meet, so only eight rounds are made for each pair.
class Philox {
 public:
  Philox(std::uint64_t seed, std::uint32_t first_block) {
    for (std::size_t r = 0; r < rounds; ++r) {
      key0_[r] = low(seed) + static_cast<std::uint32_t>(r) * 0x9E3779B9U;
      key1_[r] = high(seed) + static_cast<std::uint32_t>(r) * 0xBB67AE85U;
    }
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::uint64_t first = multiplier0 * std::uint64_t{first_block + static_cast<std::uint32_t>(b)};
      const std::uint32_t word2 = high(first) ^ static_cast<std::uint32_t>(Stream::bootstrap) ^ low(key1_[0]);
      const std::uint64_t second = multiplier1 * std::uint64_t{word2};
      word0_[b] = high(second);
      word1_[b] = low(second);
      word2_[b] = low(first);
    }
  }

  struct Episode {
    std::uint32_t word0, word2, word3;  // what it brings into the second round
  };
  HWY_INLINE Episode episode(std::uint64_t item) const {
    const std::uint64_t first = multiplier1 * std::uint64_t{high(item)};
    const std::uint64_t second = multiplier0 * std::uint64_t{high(first) ^ low(item) ^ key0_[0]};
    return {low(first) ^ low(key0_[1]), high(second) ^ low(key1_[1]), low(second)};
  }

  struct RandomWords {
    hn::Vec<Wide> of[4];
  };
  HWY_INLINE RandomWords words(std::size_t b, const Episode& of) const {
    const Wide wide;
    const Halves halves;
    const auto factor0 = hn::BitCast(halves, hn::Set(wide, multiplier0));
    const auto factor1 = hn::BitCast(halves, hn::Set(wide, multiplier1));
    auto word0 = hn::Xor(hn::LoadU(wide, word0_ + b), hn::Set(wide, of.word0));
    auto word1 = hn::LoadU(wide, word1_ + b);
    auto word2 = hn::Xor(hn::LoadU(wide, word2_ + b), hn::Set(wide, of.word2));
    auto word3 = hn::Set(wide, of.word3);
    HWY_UNROLL(8)
    for (std::size_t r = 2; r < rounds; ++r) {
      const auto p0 = hn::MulEven(hn::BitCast(halves, word0), factor0);
      const auto p1 = hn::MulEven(hn::BitCast(halves, word2), factor1);
      word0 = hn::Xor3(hn::ShiftRight<32>(p1), word1, hn::Set(wide, key0_[r]));
      word1 = p1;
      word2 = hn::Xor3(hn::ShiftRight<32>(p0), word3, hn::Set(wide, key1_[r]));
      word3 = p0;
    }
    return {{word0, word1, word2, word3}};
  }

 private:
  std::uint64_t key0_[rounds], key1_[rounds];
  HWY_ALIGN std::uint64_t word0_[blocks];
  HWY_ALIGN std::uint64_t word1_[blocks];
  HWY_ALIGN std::uint64_t word2_[blocks];
};

// Compared as signed numbers: both sides lose the same half of their range.
constexpr std::uint32_t sign = 0x80000000U;

// How many thresholds the bits reach, as the upper half of a double. Beyond the sixth there is hardly ever one.
HWY_INLINE hn::Vec<Words> counts_of(hn::Vec<Words> bits, const std::int32_t* thresholds) {
  constexpr std::size_t common = 6;
  const Words words;
  const auto value = hn::Xor(bits, hn::Set(words, static_cast<std::int32_t>(sign)));
  auto count = hn::Zero(words);
  const auto below = [&](std::size_t k) { return hn::Lt(value, hn::Set(words, thresholds[k])); };
  const auto look = [&](std::size_t k) {
    count = hn::IfThenElse(below(k), count, hn::Set(words, static_cast<std::int32_t>(upper_half(k + 1))));
  };
  HWY_UNROLL(8)
  for (std::size_t k = 0; k < common; ++k) look(k);
  if (!hn::AllTrue(words, below(common - 1))) {
    for (std::size_t k = common; k < PoissonThresholds().size(); ++k) look(k);
  }
  return count;
}

void draw(std::uint64_t seed, const std::uint64_t* items, std::size_t count, std::uint32_t first_block,
          const PoissonThresholds& thresholds, CountPair* out) {
  const Philox philox(seed, first_block);
  std::int32_t reached[PoissonThresholds().size()];  // a copy: nothing that is written below can change it
  for (std::size_t k = 0; k < thresholds.size(); ++k) reached[k] = static_cast<std::int32_t>(thresholds[k] ^ sign);
  const Wide wide;
  const Halves halves;
  for (std::size_t e = 0; e < count; ++e, out += pairs_together) {
    const Philox::Episode episode = philox.episode(items[e]);
    for (std::size_t b = 0; b < blocks; b += lanes) {
      const auto words = philox.words(b, episode);
      for (std::size_t pair = 0; pair < 2; ++pair) {
        const auto upper = hn::BitCast(halves, hn::ShiftLeft<32>(words.of[2 * pair + 1]));
        const auto both = hn::OddEven(upper, hn::BitCast(halves, words.of[2 * pair]));
        const auto counts = counts_of(hn::BitCast(Words(), both), reached);
        hn::StoreU(hn::BitCast(wide, counts), wide, out + pair * blocks + b);
      }
    }
  }
}

#endif

// Pairs of counts at a time: twice as many sums stay in registers.
constexpr std::size_t vectors = 4;

HWY_INLINE void add_place(const PlacedTerms& terms, std::size_t k, const CountPair* counts, double* sums) {
  const Real real;
  const Wide wide;
  const auto upper = hn::Set(wide, 0xffffffff00000000ULL);
  hn::Vec<Real> first[vectors], second[vectors];
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < vectors; ++v) {
    first[v] = hn::LoadU(real, sums + v * lanes);
    second[v] = hn::LoadU(real, sums + pairs_together + v * lanes);
  }
  const std::size_t end = terms.begin[k + 1];
  for (std::size_t i = terms.begin[k]; i < end; ++i) {
    const CountPair* const times = counts + std::size_t{terms.episode[i]} * pairs_together;
    const auto weight = hn::Set(real, terms.weight[i]);
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < vectors; ++v) {
      const auto pairs = hn::LoadU(wide, times + v * lanes);
      first[v] = hn::MulAdd(weight, hn::BitCast(real, hn::And(pairs, upper)), first[v]);
      second[v] = hn::MulAdd(weight, hn::BitCast(real, hn::ShiftLeft<32>(pairs)), second[v]);
    }
  }
  HWY_UNROLL(4)
  for (std::size_t v = 0; v < vectors; ++v) {
    hn::StoreU(first[v], real, sums + v * lanes);
    hn::StoreU(second[v], real, sums + pairs_together + v * lanes);
  }
}

void add(const PlacedTerms& terms, const CountPair* counts, double* sums) {
  for (std::size_t k = 0; k < terms.place.size(); ++k) {
    double* const to = sums + std::size_t{terms.place[k]} * replicates_together;
    for (std::size_t b = 0; b < pairs_together; b += vectors * lanes) add_place(terms, k, counts + b, to + b);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/assert.hpp"
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(draw);
HWY_EXPORT(add);
}  // namespace detail

void draw_counts(Seed seed, std::span<const std::uint64_t> items, std::int64_t first, std::span<CountPair> out) {
  STAROPE_ASSERT(first % 4 == 0 && out.size() >= items.size() * pairs_together);
  STAROPE_DISPATCH(draw)
  (seed.value, items.data(), items.size(), static_cast<std::uint32_t>(first / 4), poisson_thresholds(), out.data());
}

void add_terms(const PlacedTerms& terms, std::span<const CountPair> counts, std::span<double> sums) {
  STAROPE_DISPATCH(add)(terms, counts.data(), sums.data());
}

}  // namespace starope
#endif
