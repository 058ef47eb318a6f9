// One file, compiled once per instruction set. Vectors hold the same sum of several parts, never terms of one sum.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/auto/part_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "starope/auto/part_sweeps.hpp"
#include "starope/base/doubles.hpp"

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, part_lanes>;

// The lanes of one sum, in as many vectors as that takes.
struct Lanes {
  hn::Vec<Tag> part[part_lanes / hn::MaxLanes(Tag())];
};

template <class Body>
HWY_INLINE void for_lanes(const Body& body) {
  const std::size_t lanes = hn::Lanes(Tag());
  for (std::size_t v = 0, at = 0; at < part_lanes; ++v, at += lanes) body(v, at);
}

void add_part_steps(const PartSteps& s, double* weights, double* rewards) {
  const Tag tag;
  HWY_ALIGN double counted[256 * part_lanes];  // 1 where a set of parts has the lane's
  for (std::size_t set = 0; set < 256; ++set) {
    for (std::size_t l = 0; l < part_lanes; ++l) counted[set * part_lanes + l] = (set >> l & 1U) != 0 ? 1.0 : 0.0;
  }
  for (std::size_t i = 0; i < s.count; ++i) {
    const double* const in = counted + s.parts[i] * part_lanes;
    double* const weight = weights + s.entry[i] * part_lanes;
    double* const reward = rewards + s.cell[i] * part_lanes;
    const auto w = hn::Set(tag, s.weight[i]), r = hn::Set(tag, s.weighted_reward[i]);
    for_lanes([&](std::size_t, std::size_t at) {
      const auto mine = hn::Load(tag, in + at);
      hn::StoreU(hn::Add(hn::LoadU(tag, weight + at), hn::Mul(w, mine)), tag, weight + at);
      hn::StoreU(hn::Add(hn::LoadU(tag, reward + at), hn::Mul(r, mine)), tag, reward + at);
    });
  }
}

void sweep_back(const PartProcess& p, const double* next, double* here) {
  const Tag tag;
  const auto gamma = hn::Set(tag, p.gamma);
  for (std::size_t z = 0; z < p.cells; ++z) {
    Lanes sum;
    for_lanes([&](std::size_t v, std::size_t) { sum.part[v] = hn::Zero(tag); });
    for (std::size_t e = p.offsets[z]; e < p.offsets[z + 1]; ++e) {
      const double* const share = p.share + e * part_lanes;
      const double* const to = next + p.columns[e] * part_lanes;
      for_lanes([&](std::size_t v, std::size_t at) {
        sum.part[v] = hn::Add(sum.part[v], hn::Mul(hn::LoadU(tag, share + at), hn::LoadU(tag, to + at)));
      });
    }
    for_lanes([&](std::size_t v, std::size_t at) {
      const auto reward = hn::LoadU(tag, p.reward + z * part_lanes + at);
      hn::StoreU(hn::Add(reward, hn::Mul(gamma, sum.part[v])), tag, here + z * part_lanes + at);
    });
  }
}

void sweep_ahead(const PartProcess& p, const double* here, double* next) {
  const Tag tag;
  const auto gamma = hn::Set(tag, p.gamma);
  for (std::size_t i = 0; i < p.cells * part_lanes; i += hn::Lanes(tag)) hn::StoreU(hn::Zero(tag), tag, next + i);
  for (std::size_t z = 0; z < p.cells; ++z) {
    Lanes mass;
    for_lanes([&](std::size_t v, std::size_t at) { mass.part[v] = hn::LoadU(tag, here + z * part_lanes + at); });
    for (std::size_t e = p.offsets[z]; e < p.offsets[z + 1]; ++e) {
      const double* const share = p.share + e * part_lanes;
      double* const to = next + p.columns[e] * part_lanes;
      for_lanes([&](std::size_t v, std::size_t at) {
        const auto moved = hn::Mul(hn::Mul(gamma, hn::LoadU(tag, share + at)), mass.part[v]);
        hn::StoreU(hn::Add(hn::LoadU(tag, to + at), moved), tag, to + at);
      });
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
HWY_EXPORT(add_part_steps);
HWY_EXPORT(sweep_back);
HWY_EXPORT(sweep_ahead);
}  // namespace detail

void add_part_steps(const PartSteps& steps, double* weights, double* rewards) {
  STAROPE_DISPATCH(add_part_steps)(steps, weights, rewards);
}

void sweep_back(const PartProcess& process, const double* next, double* here) {
  STAROPE_DISPATCH(sweep_back)(process, next, here);
}

void sweep_ahead(const PartProcess& process, const double* here, double* next) {
  STAROPE_DISPATCH(sweep_ahead)(process, here, next);
}

}  // namespace starope
#endif
