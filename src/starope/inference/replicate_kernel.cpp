// One file, compiled once per instruction set. Every replicate has sums of its own, in the order of the terms, so no
// result depends on the vector width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/inference/replicate_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

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
using Narrow = hn::Rebind<float, Real>;

#if HWY_TARGET == HWY_SCALAR

void draw(std::uint64_t seed, std::uint64_t item, std::uint32_t first_block, const PoissonThresholds& thresholds,
          float* out) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  for (std::uint32_t b = 0; b < replicates_together / 4; ++b) {
    const auto words =
        philox_block({first_block + b, low(item), high(item), static_cast<std::uint32_t>(Stream::bootstrap)},
                     {low(seed), high(seed)});
    for (std::size_t w = 0; w < words.size(); ++w) {
      float count = 0.0F;
      for (const std::uint32_t threshold : thresholds) count += words[w] >= threshold ? 1.0F : 0.0F;
      out[replicate_place(4 * b + w)] = count;
    }
  }
}

#else

using Wide = hn::RebindToUnsigned<Real>;  // 64 bits that hold 32
using Words = hn::Repartition<std::int32_t, Wide>;
using Counts = hn::RebindToFloat<Words>;

// Philox4x32-10 of as many counters as there are lanes, which differ in their first word.
struct RandomWords {
  hn::Vec<Wide> of[4];
};

HWY_INLINE RandomWords philox(hn::Vec<Wide> first, std::uint64_t item, std::uint32_t stream, std::uint64_t key) {
  const Wide wide;
  const hn::Repartition<std::uint32_t, Wide> halves;
  const auto low = hn::Set(wide, 0xffffffffU);
  const auto product = [&](hn::Vec<Wide> x, std::uint32_t factor) {
    return hn::MulEven(hn::BitCast(halves, x), hn::BitCast(halves, hn::Set(wide, factor)));
  };
  RandomWords words{{first, hn::Set(wide, item & 0xffffffffU), hn::Set(wide, item >> 32), hn::Set(wide, stream)}};
  auto key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const auto p0 = product(words.of[0], 0xD2511F53U), p1 = product(words.of[2], 0xCD9E8D57U);
    const auto c1 = words.of[1], c3 = words.of[3];
    words.of[0] = hn::Xor(hn::Xor(hn::ShiftRight<32>(p1), c1), hn::Set(wide, key0));
    words.of[1] = hn::And(p1, low);
    words.of[2] = hn::Xor(hn::Xor(hn::ShiftRight<32>(p0), c3), hn::Set(wide, key1));
    words.of[3] = hn::And(p0, low);
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return words;
}

// How many thresholds the bits reach. Beyond the eighth there is hardly ever one.
HWY_INLINE hn::Vec<Counts> counts_of(hn::Vec<Words> bits, const PoissonThresholds& thresholds) {
  constexpr std::size_t common = 8;
  const Words words;
  // Compared as signed numbers: both sides lose the same half of their range.
  constexpr std::uint32_t sign = 0x80000000U;
  const auto value = hn::Xor(bits, hn::Set(words, static_cast<std::int32_t>(sign)));
  auto count = hn::Zero(words);
  const auto below = [&](std::size_t k) {
    return hn::Lt(value, hn::Set(words, static_cast<std::int32_t>(thresholds[k] ^ sign)));
  };
  const auto add = [&](std::size_t k) { count = hn::Add(count, hn::VecFromMask(words, below(k))); };
  for (std::size_t k = 0; k < common; ++k) add(k);  // minus one where it is not reached
  std::int32_t looked_at = common;
  if (!hn::AllTrue(words, below(common - 1))) {
    for (std::size_t k = common; k < thresholds.size(); ++k) add(k);
    looked_at = static_cast<std::int32_t>(thresholds.size());
  }
  return hn::ConvertTo(Counts(), hn::Add(count, hn::Set(words, looked_at)));
}

void draw(std::uint64_t seed, std::uint64_t item, std::uint32_t first_block, const PoissonThresholds& thresholds,
          float* out) {
  constexpr std::size_t blocks = replicates_together / 4;
  const Wide wide;
  const std::size_t lanes = hn::Lanes(wide);
  for (std::size_t b = 0; b < blocks; b += lanes) {
    const auto counter =
        hn::And(hn::Add(hn::Iota(wide, 0), hn::Set(wide, first_block + b)), hn::Set(wide, 0xffffffffU));
    const RandomWords words = philox(counter, item, static_cast<std::uint32_t>(Stream::bootstrap), seed);
    for (std::size_t pair = 0; pair < 2; ++pair) {
      const auto both = hn::Or(words.of[2 * pair], hn::ShiftLeft<32>(words.of[2 * pair + 1]));
      hn::StoreU(counts_of(hn::BitCast(Words(), both), thresholds), Counts(), out + 2 * (pair * blocks + b));
    }
  }
}

#endif

// As many sums at a time as stay in registers.
constexpr std::size_t lanes = hn::MaxLanes(Real());
constexpr std::size_t vectors = replicates_together / lanes < 8 ? replicates_together / lanes : 8;

HWY_INLINE void add_place(const PlacedTerms& terms, std::size_t k, const float* counts, double* sums) {
  const Real real;
  const Narrow narrow;
  hn::Vec<Real> sum[vectors];
  for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::LoadU(real, sums + v * lanes);
  const std::size_t end = terms.begin[k + 1];
  for (std::size_t i = terms.begin[k]; i < end; ++i) {
    const float* const times = counts + std::size_t{terms.episode[i]} * replicates_together;
    const auto weight = hn::Set(real, terms.weight[i]);
    for (std::size_t v = 0; v < vectors; ++v)
      sum[v] = hn::Add(sum[v], hn::Mul(weight, hn::PromoteTo(real, hn::LoadU(narrow, times + v * lanes))));
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(sum[v], real, sums + v * lanes);
}

void add(const PlacedTerms& terms, const float* counts, double* sums) {
  for (std::size_t k = 0; k < terms.place.size(); ++k) {
    double* const to = sums + std::size_t{terms.place[k]} * replicates_together;
    for (std::size_t b = 0; b < replicates_together; b += vectors * lanes) add_place(terms, k, counts + b, to + b);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(draw);
HWY_EXPORT(add);
}  // namespace detail

void draw_counts(Seed seed, std::uint64_t item, std::int64_t first, std::span<float, replicates_together> out) {
  STAROPE_DISPATCH(draw)
  (seed.value, item, static_cast<std::uint32_t>(first / 4), poisson_thresholds(), out.data());
}

void add_terms(const PlacedTerms& terms, std::span<const float> counts, std::span<double> sums) {
  STAROPE_DISPATCH(add)(terms, counts.data(), sums.data());
}

}  // namespace starope
#endif
