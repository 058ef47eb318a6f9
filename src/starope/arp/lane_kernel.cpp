// One file, compiled once per instruction set. A lane never meets another one, so no result depends on the vector
// width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/arp/lane_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "starope/arp/lane_kernel.hpp"
#include "starope/base/doubles.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Real = hn::CappedTag<double, lanes_at_once>;
constexpr std::size_t width = hn::MaxLanes(Real());
constexpr std::size_t vectors = lanes_at_once / width;

// Eight lanes, in as many vectors as they need.
struct Eight {
  hn::Vec<Real> of[vectors];
};
struct EightTrue {
  hn::Mask<Real> of[vectors];
};

HWY_INLINE Eight load(const double* from) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::LoadU(Real(), from + v * width);
  return x;
}
// To be used twice: else GCC, which takes a number from memory with every operation that it enters, reads it twice.
HWY_INLINE void keep(Eight& x) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) __asm__("" : "+v"(x.of[v].raw));  // NOLINT(hicpp-no-assembler)
#else
  (void)x;
#endif
}
HWY_INLINE void store(const Eight& x, double* to) {
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(x.of[v], Real(), to + v * width);
}
HWY_INLINE Eight all(double value) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Set(Real(), value);  // NOLINT(modernize-loop-convert)
  return x;
}
HWY_INLINE Eight plus(const Eight& a, const Eight& b) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Add(a.of[v], b.of[v]);
  return x;
}
HWY_INLINE Eight minus(const Eight& a, const Eight& b) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Sub(a.of[v], b.of[v]);
  return x;
}
HWY_INLINE Eight times(const Eight& a, const Eight& b) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Mul(a.of[v], b.of[v]);
  return x;
}
HWY_INLINE Eight over(const Eight& a, const Eight& b) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Div(a.of[v], b.of[v]);
  return x;
}
HWY_INLINE EightTrue equal(const Eight& a, const Eight& b) {
  EightTrue x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Eq(a.of[v], b.of[v]);
  return x;
}
HWY_INLINE EightTrue positive(const Eight& a) {
  EightTrue x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::Gt(a.of[v], hn::Zero(Real()));
  return x;
}
HWY_INLINE Eight choose(const EightTrue& where, const Eight& yes, const Eight& no) {
  Eight x;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) x.of[v] = hn::IfThenElse(where.of[v], yes.of[v], no.of[v]);
  return x;
}
HWY_INLINE std::uint32_t bits(const EightTrue& where) {
  std::uint32_t all = 0;
  HWY_UNROLL(8)
  for (std::size_t v = 0; v < vectors; ++v) {
    std::uint8_t some[8] = {};
    hn::StoreMaskBits(Real(), where.of[v], some);
    all |= (std::uint32_t{some[0]} & ((1U << width) - 1U)) << (v * width);
  }
  return all;
}

HWY_INLINE const double* lane_of(std::span<const double> sums, std::size_t entry, std::size_t first) {
  return sums.data() + entry * process_lanes + first;
}

// The model of every lane: discounted shares of the moves. The lanes that have episodes and a weight.
std::uint32_t make_models(const LanePattern& pattern, const LaneSums& sums, std::size_t first, LaneScratch& to) {
  const auto cells = static_cast<std::size_t>(pattern.moves.rows());
  const Eight zero = all(0.0), one = all(1.0), stops = all(1.0 - pattern.discount), scale = all(pattern.discount);
  Eight episodes = zero;
  for (std::size_t z = 0; z < cells; ++z) episodes = plus(episodes, load(lane_of(sums.start, z, first)));
  const EightTrue any = positive(episodes);
  const Eight count = choose(any, episodes, one);
  std::uint32_t weighted = 0;
  for (std::size_t z = 0; z < cells; ++z) {
    const auto begin = static_cast<std::size_t>(pattern.moves.offsets[z]);
    const auto end = static_cast<std::size_t>(pattern.moves.offsets[z + 1]);
    const Eight exits = load(lane_of(sums.exit, z, first));
    Eight seen = exits;
    for (std::size_t e = begin; e < end; ++e) seen = plus(seen, load(lane_of(sums.move, e, first)));
    const Eight visit = plus(seen, load(lane_of(sums.cut, z, first)));
    const EightTrue known = positive(seen), visited = positive(visit);
    weighted |= bits(visited);
    const Eight whole = choose(known, seen, one);
    for (std::size_t e = begin; e < end; ++e)
      store(times(over(load(lane_of(sums.move, e, first)), whole), scale), to.share.data() + e * lanes_at_once);
    const Eight exit = over(exits, whole);
    store(choose(known, plus(exit, times(stops, minus(one, exit))), one), to.leak.data() + z * lanes_at_once);
    const Eight reward = over(load(lane_of(sums.reward, z, first)), choose(visited, visit, one));
    store(choose(visited, reward, zero), to.reward.data() + z * lanes_at_once);
    store(over(load(lane_of(sums.start, z, first)), count), to.start.data() + z * lanes_at_once);
  }
  return weighted & bits(any);
}

// The elimination of DenseElimination, without what is zero in all lanes. The lanes without a pivot.
std::uint32_t eliminate(const LaneComponent& component, LaneScratch& in) {
  const std::size_t n = component.states.size();
  const Eight zero = all(0.0), one = all(1.0);
  std::uint32_t trapped = 0;
  for (std::size_t k = n; k-- > 0;) {
    const LaneComponent::Below& below = component.below[k];
    const double* const row_k = in.matrix.data() + k * n * lanes_at_once;
    const Eight out = load(in.out.data() + k * lanes_at_once);
    Eight pivot = out;
    for (const std::uint32_t j : below.to) pivot = plus(pivot, load(row_k + j * lanes_at_once));
    const EightTrue none = equal(pivot, zero);
    trapped |= bits(none);
    pivot = choose(none, one, pivot);
    store(pivot, in.pivot.data() + k * lanes_at_once);
    for (const std::uint32_t i : below.from) {
      double* const row_i = in.matrix.data() + i * n * lanes_at_once;
      const Eight f = over(load(row_i + k * lanes_at_once), pivot);
      store(f, row_i + k * lanes_at_once);
      double* const out_i = in.out.data() + i * lanes_at_once;
      store(plus(load(out_i), times(f, out)), out_i);
      for (const std::uint32_t j : below.to) {
        double* const at = row_i + j * lanes_at_once;
        store(plus(load(at), times(f, load(row_k + j * lanes_at_once))), at);
      }
    }
  }
  return trapped;
}

// Puts a component's moves, what leaves it and what is earned into its arrays.
void fill(const LaneComponent& component, LaneScratch& in) {
  const std::size_t n = component.states.size();
  std::fill_n(in.matrix.begin(), n * n * lanes_at_once, 0.0);
  for (const LaneComponent::Move& move : component.inner) {
    store(load(in.share.data() + move.entry * lanes_at_once),
          in.matrix.data() + (move.from * n + move.to) * lanes_at_once);
  }
  for (std::size_t i = 0; i < n; ++i) {
    store(load(in.leak.data() + component.states[i] * lanes_at_once), in.out.data() + i * lanes_at_once);
    store(load(in.reward.data() + component.states[i] * lanes_at_once), in.x.data() + i * lanes_at_once);
  }
  for (const LaneComponent::Move& move : component.outer) {
    const Eight share = load(in.share.data() + move.entry * lanes_at_once);
    double* const out = in.out.data() + move.from * lanes_at_once;
    store(plus(load(out), share), out);
    double* const x = in.x.data() + move.from * lanes_at_once;
    store(plus(load(x), times(share, load(in.value.data() + move.to * lanes_at_once))), x);
  }
}

void substitute(const LaneComponent& component, LaneScratch& in) {
  const std::size_t n = component.states.size();
  for (std::size_t k = n; k-- > 0;) {
    const Eight x = load(in.x.data() + k * lanes_at_once);
    for (const std::uint32_t i : component.below[k].from) {
      double* const to = in.x.data() + i * lanes_at_once;
      store(plus(load(to), times(load(in.matrix.data() + (i * n + k) * lanes_at_once), x)), to);
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    Eight sum = load(in.x.data() + k * lanes_at_once);
    for (const std::uint32_t j : component.below[k].to) {
      const Eight a = load(in.matrix.data() + (k * n + j) * lanes_at_once);
      sum = plus(sum, times(a, load(in.x.data() + j * lanes_at_once)));
    }
    const Eight value = over(sum, load(in.pivot.data() + k * lanes_at_once));
    store(value, in.x.data() + k * lanes_at_once);
    store(value, in.value.data() + component.states[k] * lanes_at_once);
  }
}

HWY_INLINE Eight product(const AlignedVector<double>& a, const AlignedVector<double>& b) {
  Eight sum = all(0.0);
  for (std::size_t at = 0; at < a.size(); at += lanes_at_once)
    sum = plus(sum, times(load(a.data() + at), load(b.data() + at)));
  return sum;
}

// Values back from the horizon and visits on from the start, until they meet in the middle: every share is read once
// for both, and reading is what steps cost. The value and the visits of a cell stand beside each other.
constexpr std::size_t pair = 2 * lanes_at_once;

template <bool on>
HWY_INLINE void step_back(const LanePattern& pattern, const LaneScratch& in, const double* HWY_RESTRICT now,
                          double* HWY_RESTRICT then) {
  const auto cells = static_cast<std::size_t>(pattern.moves.rows());
  const double* HWY_RESTRICT share = in.share.data();
  const std::uint32_t* HWY_RESTRICT column = pattern.column_at.data();
  if (on) {
    for (std::size_t z = 0; z < cells; ++z) store(all(0.0), then + z * pair + lanes_at_once);
  }
  for (std::size_t z = 0; z < cells; ++z) {
    const std::uint32_t* const end = pattern.column_at.data() + pattern.moves.offsets[z + 1];
    const Eight visits = load(now + z * pair + lanes_at_once);
    Eight sum = all(0.0);
    for (; column != end; ++column, share += lanes_at_once) {
      Eight part = load(share);
      if (on) keep(part);
      sum = plus(sum, times(part, load(now + *column)));
      double* const to = then + *column + lanes_at_once;
      if (on) store(plus(load(to), times(visits, part)), to);
    }
    store(plus(load(in.reward.data() + z * lanes_at_once), sum), then + z * pair);
  }
}

// The lanes in which a step changed no value.
HWY_INLINE std::uint32_t unchanged(const double* now, const double* then, std::size_t cells) {
  std::uint32_t same = (1U << lanes_at_once) - 1U;
  for (std::size_t at = 0; at < cells * pair && same != 0; at += pair)
    same &= bits(equal(load(now + at), load(then + at)));
  return same;
}

// The values of the pairs times `by`, which has the next cell `stride` further on.
HWY_INLINE Eight value_of(const double* pairs, std::size_t cells, const double* by, std::size_t stride) {
  Eight sum = all(0.0);
  for (std::size_t z = 0; z < cells; ++z) sum = plus(sum, times(load(by + z * stride), load(pairs + z * pair)));
  return sum;
}

void meet(const LanePattern& pattern, LaneScratch& in, double* values) {
  constexpr std::uint32_t every = (1U << lanes_at_once) - 1U;
  constexpr std::int64_t between_looks = 16;  // what no step changes, no later one will
  const auto cells = static_cast<std::size_t>(pattern.moves.rows());
  const std::int64_t middle = *pattern.horizon / 2;
  double* now = in.pairs.data();
  double* then = now + in.pairs.size() / 2;
  for (std::size_t z = 0; z < cells; ++z) {
    store(all(0.0), now + z * pair);
    store(load(in.start.data() + z * lanes_at_once), now + z * pair + lanes_at_once);
  }
  std::uint32_t settled = 0;
  for (std::int64_t k = 1; k <= middle && settled != every; ++k) {
    step_back<true>(pattern, in, now, then);
    if (k % between_looks == 0 || k == middle) settled = unchanged(now, then, cells);
    std::swap(now, then);
  }
  store(value_of(now, cells, in.start.data(), lanes_at_once), values);
  if (settled == every) return;
  const double* const visits = now + lanes_at_once;
  if (*pattern.horizon % 2 != 0) {
    step_back<false>(pattern, in, now, then);
    std::swap(now, then);
  }
  HWY_ALIGN double more[lanes_at_once];
  store(value_of(now, cells, visits, pair), more);
  for (std::size_t lane = 0; lane < lanes_at_once; ++lane) {
    if ((settled >> lane & 1U) == 0) values[lane] += more[lane];
  }
}

std::uint32_t solve_some(const LanePattern& pattern, const LaneSums& sums, std::size_t first, LaneScratch& in,
                         double* values) {
  std::uint32_t solved = make_models(pattern, sums, first, in);
  if (pattern.horizon) {
    meet(pattern, in, values);
  } else {
    std::fill(in.value.begin(), in.value.end(), 0.0);
    for (const LaneComponent& component : pattern.components) {
      fill(component, in);
      solved &= ~eliminate(component, in);
      substitute(component, in);
    }
    store(product(in.start, in.value), values);
  }
  const Eight value = load(values);
  return solved & bits(equal(minus(value, value), all(0.0)));  // not where it is infinite or no number
}

void with_weight(const double* sums, std::size_t entries, std::uint64_t* lanes) {
  const Eight zero = all(0.0);
  for (std::size_t e = 0; e < entries; ++e) {
    lanes[e] = 0;
    for (std::size_t at = 0; at < process_lanes; at += lanes_at_once) {
      const std::uint32_t none = bits(equal(load(sums + e * process_lanes + at), zero));
      lanes[e] |= std::uint64_t{~none & ((1U << lanes_at_once) - 1U)} << at;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "starope/base/dispatch.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(solve_some);
HWY_EXPORT(with_weight);
}  // namespace detail

std::uint32_t solve_lanes(const LanePattern& pattern, const LaneSums& sums, std::size_t first, LaneScratch& scratch,
                          std::span<double, lanes_at_once> values) {
  return STAROPE_DISPATCH(solve_some)(pattern, sums, first, scratch, values.data());
}

void lanes_with_weight(std::span<const double> sums, std::span<std::uint64_t> lanes) {
  STAROPE_DISPATCH(with_weight)(sums.data(), lanes.size(), lanes.data());
}

}  // namespace starope
#endif
