// Nearest centroids in two looks.
//
// The quick look compares s(k) = |c_k - m|^2 / 2 - (x - m).(c_k - m) in single precision; s(k) is half the squared
// distance up to a term that is the same for all k, and m, the mean of the centroids, keeps the numbers small. It may
// round as the machine likes, because it is believed only where rounding cannot have decided: with u = 2^-24 every s(k)
// is off by at most
//
//   E = (d + 4) u ( |x - m| |c_k - m| + |c_k - m|^2 / 2 ) <= (d + 4) u ( |x - m|^2 / 2 + C^2 ),   C = max_k |c_k - m|,
//
// (d products and sums; two roundings of their factors, one of the norm; one to spare), and the plain loop in double
// precision by 2^-28 of that. If the runner-up is behind by more than 2 E, it is behind in the plain loop, too. The
// points that are not sure, a few in ten thousand unless there are ties, get the second look: the plain loop itself.
//
// In both looks a vector holds one feature of several points, so no sum runs across the lanes of a vector and the
// plain loop has the same bits for any vector width.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/clustering/nearest.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include <hwy/highway.h>

#include <cfloat>
#include <cmath>
#include <cstddef>

#include "starope/base/doubles.hpp"
#include "starope/clustering/nearest.hpp"

#ifndef STAROPE_ABSTRACTION_NEAREST_TASK
#define STAROPE_ABSTRACTION_NEAREST_TASK
namespace starope::detail {

inline constexpr std::size_t centroids_at_once = 4;  // of the quick look; the last group is filled up
inline constexpr std::size_t most_lanes = 16;        // floats in a vector; longer ones are not used to the full
inline constexpr std::size_t vectors_at_once = 2;

// Plain pointers: code that is compiled for several instruction sets must not instantiate shared templates.
struct NearestTask {
  std::size_t dimension, clusters;
  const double* centroids;
  const double* center;
  const float* quick;  // null: no quick look
  const float* half_norms;
  std::size_t groups;
  float sure_slope, sure_base;

  const Label* which;  // numbers of the rows to look at; null: the first `count`
  std::size_t count;
  const double* rows;
  Label* labels;
  float* leads;  // in the order of `which`; null: not wanted

  std::size_t row(std::size_t i) const { return which == nullptr ? i : which[i]; }

  float* quick_tile;   // scratch: vectors_at_once * most_lanes * dimension
  double* exact_tile;  // scratch: the same
  Label* unsure;       // scratch: count
};

}  // namespace starope::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::CappedTag<float, most_lanes>;
using LabelTag = hn::RebindToUnsigned<FloatTag>;
using DoubleTag = hn::CappedTag<double, most_lanes / 2>;
using WideLabelTag = hn::RebindToUnsigned<DoubleTag>;

// The smallest and second smallest score of every lane so far, and whose the smallest is.
template <class V, class L>
HWY_INLINE void keep_two_best(V score, L k, V& best, V& second, L& label) {
  const LabelTag labels;
  const auto better = hn::Lt(score, best);
  second = hn::Min(second, hn::Max(best, score));
  best = hn::Min(best, score);
  label = hn::IfThenElse(hn::RebindMask(labels, better), k, label);
}

// One tile of points from rows to features: tile[j][p] = row p, feature j, centered. Absent points are at the center.
HWY_INLINE void load_quick_tile(const NearestTask& task, std::size_t first, std::size_t points, std::size_t width) {
  const std::size_t d = task.dimension;
  float* HWY_RESTRICT tile = task.quick_tile;
  for (std::size_t p = 0; p < points; ++p) {
    const double* HWY_RESTRICT row = task.rows + task.row(first + p) * d;
    for (std::size_t j = 0; j < d; ++j) tile[j * width + p] = static_cast<float>(row[j] - task.center[j]);
  }
  for (std::size_t p = points; p < width; ++p) {
    for (std::size_t j = 0; j < d; ++j) tile[j * width + p] = 0.0F;
  }
}

// The two best scores of the points of a tile: its first and its second vector of points, against all centroids.
template <class V, class L>
HWY_INLINE void score_tile(const NearestTask& task, V& best0, V& best1, V& second0, V& second1, L& label0, L& label1) {
  const FloatTag f;
  const LabelTag u;
  const std::size_t lanes = hn::Lanes(f);
  const std::size_t d = task.dimension;
  const auto one = hn::Set(u, 1);
  auto k = hn::Zero(u);
  for (std::size_t g = 0; g < task.groups; ++g) {
    const float* HWY_RESTRICT x = task.quick_tile;
    const float* HWY_RESTRICT c = task.quick + g * centroids_at_once * d;
    const float* HWY_RESTRICT h = task.half_norms + g * centroids_at_once;
    auto a0 = hn::Set(f, h[0]), b0 = hn::Set(f, h[1]), c0 = hn::Set(f, h[2]), d0 = hn::Set(f, h[3]);
    auto a1 = a0, b1 = b0, c1 = c0, d1 = d0;
    for (std::size_t j = 0; j < d; ++j, c += centroids_at_once, x += vectors_at_once * lanes) {
      const auto x0 = hn::LoadU(f, x), x1 = hn::LoadU(f, x + lanes);
      const auto ca = hn::Set(f, c[0]), cb = hn::Set(f, c[1]), cc = hn::Set(f, c[2]), cd = hn::Set(f, c[3]);
      a0 = hn::NegMulAdd(ca, x0, a0);
      a1 = hn::NegMulAdd(ca, x1, a1);
      b0 = hn::NegMulAdd(cb, x0, b0);
      b1 = hn::NegMulAdd(cb, x1, b1);
      c0 = hn::NegMulAdd(cc, x0, c0);
      c1 = hn::NegMulAdd(cc, x1, c1);
      d0 = hn::NegMulAdd(cd, x0, d0);
      d1 = hn::NegMulAdd(cd, x1, d1);
    }
    keep_two_best(a0, k, best0, second0, label0);
    keep_two_best(a1, k, best1, second1, label1);
    k = hn::Add(k, one);
    keep_two_best(b0, k, best0, second0, label0);
    keep_two_best(b1, k, best1, second1, label1);
    k = hn::Add(k, one);
    keep_two_best(c0, k, best0, second0, label0);
    keep_two_best(c1, k, best1, second1, label1);
    k = hn::Add(k, one);
    keep_two_best(d0, k, best0, second0, label0);
    keep_two_best(d1, k, best1, second1, label1);
    k = hn::Add(k, one);
  }
}

// |x - m|^2 of the points of one vector of the tile.
HWY_INLINE hn::Vec<FloatTag> squared_norms(const NearestTask& task, std::size_t vector) {
  const FloatTag f;
  const std::size_t lanes = hn::Lanes(f);
  auto norm = hn::Zero(f);
  for (std::size_t j = 0; j < task.dimension; ++j) {
    const auto x = hn::LoadU(f, task.quick_tile + (j * vectors_at_once + vector) * lanes);
    norm = hn::MulAdd(x, x, norm);
  }
  return norm;
}

// How far the runner-up must be behind.
template <class V>
HWY_INLINE V least_lead(const NearestTask& task, V norm) {
  const FloatTag f;
  return hn::MulAdd(hn::Set(f, task.sure_slope), norm, hn::Set(f, task.sure_base));
}

// A lower bound of |x - second| - |x - nearest|, from |x - c_k|^2 = 2 s(k) + |x - m|^2. The bound of least_lead is 3 E,
// and |x - m|^2 is off by less than that, too: 2 E + 3 E < 2 least leads. The last term is for the roots themselves.
template <class V>
HWY_INLINE V lower_bound_of_lead(V best, V second, V norm, V needed) {
  const FloatTag f;
  const auto slack = hn::Add(needed, needed);
  const auto nearest = hn::Sqrt(hn::Max(hn::Zero(f), hn::Add(hn::Add(hn::Add(best, best), norm), slack)));
  const auto other = hn::Sqrt(hn::Max(hn::Zero(f), hn::Sub(hn::Add(hn::Add(second, second), norm), slack)));
  const auto lead = hn::NegMulAdd(hn::Set(f, 1e-6F), hn::Add(nearest, other), hn::Sub(other, nearest));
  return hn::Max(hn::Zero(f), lead);
}

// Labels all rows and returns how many of them are not sure; their numbers are in task.unsure.
std::size_t quick_look(const NearestTask& task) {
  const FloatTag f;
  const LabelTag u;
  const std::size_t lanes = hn::Lanes(f);
  const std::size_t width = vectors_at_once * lanes;
  const auto far = hn::Set(f, FLT_MAX);
  const auto one = hn::Set(u, 1);
  std::size_t unsure = 0;
  for (std::size_t first = 0; first < task.count; first += width) {
    const std::size_t points = task.count - first < width ? task.count - first : width;
    load_quick_tile(task, first, points, width);
    auto best0 = far, best1 = far, second0 = far, second1 = far;
    auto label0 = hn::Zero(u), label1 = label0;
    score_tile(task, best0, best1, second0, second1, label0, label1);
    // Infinite or undefined numbers are never sure.
    const auto norm0 = squared_norms(task, 0), norm1 = squared_norms(task, 1);
    const auto needed0 = least_lead(task, norm0), needed1 = least_lead(task, norm1);
    const auto sure0 = hn::Gt(hn::Sub(second0, best0), needed0);
    const auto sure1 = hn::Gt(hn::Sub(second1, best1), needed1);
    if (task.leads != nullptr) {
      HWY_ALIGN float lead[vectors_at_once * most_lanes];
      hn::Store(hn::IfThenElseZero(sure0, lower_bound_of_lead(best0, second0, norm0, needed0)), f, lead);
      hn::Store(hn::IfThenElseZero(sure1, lower_bound_of_lead(best1, second1, norm1, needed1)), f, lead + lanes);
      for (std::size_t p = 0; p < points; ++p) task.leads[first + p] = lead[p];
    }

    HWY_ALIGN Label lane[vectors_at_once * most_lanes];
    hn::Store(label0, u, lane);
    hn::Store(label1, u, lane + lanes);
    for (std::size_t p = 0; p < points; ++p) task.labels[task.row(first + p)] = lane[p];
    if (hn::AllTrue(f, hn::And(sure0, sure1))) continue;
    hn::Store(hn::IfThenElseZero(hn::RebindMask(u, sure0), one), u, lane);
    hn::Store(hn::IfThenElseZero(hn::RebindMask(u, sure1), one), u, lane + lanes);
    for (std::size_t p = 0; p < points; ++p) {
      if (lane[p] == 0) task.unsure[unsure++] = static_cast<Label>(task.row(first + p));
    }
  }
  return unsure;
}

// The plain loop for the rows numbered in task.unsure.
void exact_look(const NearestTask& task, std::size_t count) {
  const DoubleTag f;
  const WideLabelTag u;
  const std::size_t lanes = hn::Lanes(f);
  const std::size_t width = vectors_at_once * lanes;
  const std::size_t d = task.dimension;
  double* HWY_RESTRICT tile = task.exact_tile;

  for (std::size_t first = 0; first < count; first += width) {
    const std::size_t points = count - first < width ? count - first : width;
    for (std::size_t p = 0; p < width; ++p) {
      const double* row = task.rows + std::size_t{task.unsure[first + (p < points ? p : 0)]} * d;
      for (std::size_t j = 0; j < d; ++j) tile[j * width + p] = row[j];
    }
    auto best0 = hn::Set(f, HUGE_VAL), best1 = best0;
    auto label0 = hn::Zero(u), label1 = label0;
    for (std::size_t k = 0; k < task.clusters; ++k) {
      const double* HWY_RESTRICT c = task.centroids + k * d;
      auto distance0 = hn::Zero(f), distance1 = hn::Zero(f);
      for (std::size_t j = 0; j < d; ++j) {
        const auto cj = hn::Set(f, c[j]);
        const auto away0 = hn::Sub(hn::LoadU(f, tile + j * width), cj);
        const auto away1 = hn::Sub(hn::LoadU(f, tile + j * width + lanes), cj);
        distance0 = hn::Add(distance0, hn::Mul(away0, away0));  // not fused: every machine rounds twice
        distance1 = hn::Add(distance1, hn::Mul(away1, away1));
      }
      const auto better0 = hn::Lt(distance0, best0), better1 = hn::Lt(distance1, best1);
      const auto number = hn::Set(u, k);
      best0 = hn::IfThenElse(better0, distance0, best0);
      best1 = hn::IfThenElse(better1, distance1, best1);
      label0 = hn::IfThenElse(hn::RebindMask(u, better0), number, label0);
      label1 = hn::IfThenElse(hn::RebindMask(u, better1), number, label1);
    }
    HWY_ALIGN std::uint64_t lane[vectors_at_once * most_lanes];
    hn::Store(label0, u, lane);
    hn::Store(label1, u, lane + lanes);
    for (std::size_t p = 0; p < points; ++p) task.labels[task.unsure[first + p]] = static_cast<Label>(lane[p]);
  }
}

void nearest(const NearestTask& task) {
  std::size_t unsure = task.count;
  if (task.quick != nullptr) {
    unsure = quick_look(task);
  } else {
    for (std::size_t i = 0; i < task.count; ++i) task.unsure[i] = static_cast<Label>(task.row(i));
  }
  exact_look(task, unsure);
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "starope/base/assert.hpp"
#include "starope/base/dispatch.hpp"
#include "starope/error.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(nearest);
}

namespace {

constexpr std::int64_t fewest_for_quick_look = 4;

}  // namespace

NearestCentroid::NearestCentroid(std::span<const double> centroids, std::int64_t dimension)
    : dimension_(dimension), centroids_(centroids.begin(), centroids.end()) {
  if (dimension < 1 || centroids.empty() || centroids.size() % static_cast<std::size_t>(dimension) != 0) {
    throw InvalidArgument("centroids must be one row of numbers per cluster, at least one");
  }
  const std::int64_t k = clusters();
  // Beyond a million dimensions the rounding errors of the quick look would no longer be small numbers.
  if (k < fewest_for_quick_look || dimension > 1'000'000) return;

  const auto d = static_cast<std::size_t>(dimension);
  std::vector<double> center(d, 0.0);
  for (std::size_t i = 0; i < centroids_.size(); ++i) center[i % d] += centroids_[i] / static_cast<double>(k);

  constexpr std::size_t group = detail::centroids_at_once;
  const std::size_t groups = (static_cast<std::size_t>(k) + group - 1) / group;
  std::vector<float> quick(groups * group * d, 0.0F);
  std::vector<float> half_norms(groups * group, FLT_MAX);  // a centroid that only fills up a group never wins
  double largest = 0.0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(k); ++c) {
    double norm = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const double x = centroids_[c * d + j] - center[j];
      norm += x * x;
      quick[(c / group * d + j) * group + c % group] = static_cast<float>(x);
    }
    half_norms[c] = static_cast<float>(norm / 2.0);
    largest = std::max(largest, norm);
  }
  if (!(largest < 1e30)) return;  // products might overflow

  // 2 E with half as much again for the rounding of |x - m|^2 and of this bound itself; FLT_MIN for products that
  // underflow.
  const double twice = 3.0 * static_cast<double>(d + 4) * 0x1p-24;
  sure_slope_ = static_cast<float>(twice / 2.0);
  sure_base_ = static_cast<float>(twice * largest) + static_cast<float>(d) * FLT_MIN;
  center_ = std::move(center);
  quick_ = std::move(quick);
  half_norms_ = std::move(half_norms);
}

void NearestCentroid::label(std::span<const double> rows, std::span<Label> labels) const {
  STAROPE_ASSERT(rows.size() == labels.size() * static_cast<std::size_t>(dimension_));
  if (clusters() == 1) return std::fill(labels.begin(), labels.end(), Label{0});
  look(nullptr, labels.size(), rows.data(), labels.data(), nullptr);
}

void NearestCentroid::label_some(std::span<const Label> which, std::span<const double> rows, std::span<Label> labels,
                                 std::span<float> leads) const {
  STAROPE_ASSERT(rows.size() == labels.size() * static_cast<std::size_t>(dimension_) && leads.size() == which.size());
  if (clusters() == 1 || quick_.empty()) {
    for (const Label i : which) labels[i] = 0;
    std::fill(leads.begin(), leads.end(), 0.0F);
  }
  if (clusters() > 1) look(which.data(), which.size(), rows.data(), labels.data(), leads.data());
}

void NearestCentroid::look(const Label* which, std::size_t count, const double* rows, Label* labels,
                           float* leads) const {
  const auto d = static_cast<std::size_t>(dimension_);
  const std::size_t tile = detail::vectors_at_once * detail::most_lanes * d;
  std::vector<float> quick_tile(quick_.empty() ? 0 : tile);
  std::vector<double> exact_tile(tile);
  std::vector<Label> unsure(count);
  const detail::NearestTask task{.dimension = d,
                                 .clusters = static_cast<std::size_t>(clusters()),
                                 .centroids = centroids_.data(),
                                 .center = center_.data(),
                                 .quick = quick_.empty() ? nullptr : quick_.data(),
                                 .half_norms = half_norms_.data(),
                                 .groups = half_norms_.size() / detail::centroids_at_once,
                                 .sure_slope = sure_slope_,
                                 .sure_base = sure_base_,
                                 .which = which,
                                 .count = count,
                                 .rows = rows,
                                 .labels = labels,
                                 .leads = leads,
                                 .quick_tile = quick_tile.data(),
                                 .exact_tile = exact_tile.data(),
                                 .unsure = unsure.data()};
  STAROPE_DISPATCH(nearest)(task);
}

std::vector<Label> nearest_labels(const Points& points, const NearestCentroid& nearest, Threads threads) {
  STAROPE_ASSERT(points.dimension == nearest.dimension());
  std::vector<Label> labels(points.count());
  for_each_point_block(points.count(), threads, [&](std::int64_t first, std::int64_t last) {
    nearest.label(points.rows(first, last), std::span(labels).subspan(first, last - first));
  });
  return labels;
}

}  // namespace starope
#endif
