// Nearest centroids of rows of bits, in two looks as in nearest.cpp.
//
// With x_j in {0,1},  |x - c_k|^2 / 2 = |x|^2 / 2 + s(k),   s(k) = |c_k|^2 / 2 - sum over set bits j of c_kj,
// and |x|^2 is the same for all k: a row of m set bits costs m additions per centroid, whatever its dimension.
//
// The quick look computes s(k) in single precision, u = 2^-24. It rounds the norm, the m coordinates and m sums, none
// of which is larger in size than |c_k|^2 / 2 + sum |c_kj| <= C^2 + m/2 with C = max_k |c_k| (as |c| <= (1 + c^2) / 2),
// so every s(k) is off by at most E = (m + 2) u (C^2 + m) to first order. The plain loop in double precision adds up
// d + 1 numbers and is off by less than another u (C^2 + m) while d < 2^28. Centroids that are not behind by more than
// 2 E (with room for the higher orders) may be nearest in the plain loop: if there are several, it is asked about
// these.
//
// Centroids of small integers, such as rows of bits themselves, make no rounding errors in either look; there ties are
// common, and need no second look.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "starope/clustering/nearest_bits.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set

#include <hwy/highway.h>

#include <cfloat>
#include <cstddef>
#include <cstdint>

#ifndef STAROPE_ABSTRACTION_NEAREST_BITS_TASK
#define STAROPE_ABSTRACTION_NEAREST_BITS_TASK
namespace starope::detail {

inline constexpr std::size_t lanes_at_most = 16;  // floats in a vector; longer ones are not used to the full
inline constexpr std::size_t group_vectors = 2;
inline constexpr std::size_t bits_at_once = 3;
inline constexpr std::size_t group_floats = group_vectors * lanes_at_most;  // the width of the table is a multiple

// Plain pointers: code that is compiled for several instruction sets must not instantiate shared templates.
struct BitScoreTask {
  const float* by_feature;
  const float* half_norms;
  std::size_t width;
  std::size_t clusters;  // the first ones of the width
  double largest_norm;
  bool exact;
  const std::uint64_t* row;
  std::size_t words;

  std::uint32_t* bits;  // scratch: dimension + bits_at_once
  float* scores;        // out: width
};
struct BitScores {
  std::size_t bits;        // how many are set
  double slack;            // 3 E
  std::size_t first;       // candidate
  std::size_t candidates;  // how many
  float limit;             // candidates have scores up to this
  float least, next;       // score; that of the best one that is no candidate
};

}  // namespace starope::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace starope::detail {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The numbers of the set bits, and how many there are. The first few of every word are written whether they are set or
// not: most words hold no more, and no branch depends on how many.
HWY_INLINE std::size_t list_bits(const BitScoreTask& task) {
  constexpr std::uint64_t never_zero = std::uint64_t{1} << 63U;
  std::uint32_t* HWY_RESTRICT out = task.bits;
  for (std::size_t w = 0; w < task.words; ++w) {
    const std::uint64_t word = task.row[w];
    const auto number = [w](std::uint64_t left) {
      return static_cast<std::uint32_t>(w * 64 + hwy::Num0BitsBelowLS1Bit_Nonzero64(left | never_zero));
    };
    const std::uint64_t second = word & (word - 1), third = second & (second - 1);
    out[0] = number(word);
    out[1] = number(second);
    out[2] = number(third);
    const std::size_t set = hwy::PopCount(word);
    std::uint64_t left = third & (third - 1);
    for (std::size_t i = bits_at_once; i < set; ++i, left &= left - 1) out[i] = number(left);
    out += set;
  }
  return static_cast<std::size_t>(out - task.bits);
}

BitScores score_bits(const BitScoreTask& task) {
  const std::size_t bit_count = list_bits(task);
  const auto m = static_cast<double>(bit_count);
  const double slack = 3.0 * (m + 3.0) * 0x1p-24 * (task.largest_norm + m) + static_cast<double>(FLT_MIN);
  const hn::CappedTag<float, lanes_at_most> f;
  const std::size_t lanes = hn::Lanes(f);
  const std::size_t step = group_vectors * lanes;
  auto least = hn::Set(f, FLT_MAX);
  std::size_t end = 0;  // of the scores: whole groups, no more of them than there are clusters
  for (std::size_t k = 0; k < task.clusters; k += step) {
    auto a = hn::LoadU(f, task.half_norms + k);
    auto b = hn::LoadU(f, task.half_norms + k + lanes);
    for (std::size_t i = 0; i < bit_count; ++i) {
      const float* HWY_RESTRICT c = task.by_feature + std::size_t{task.bits[i]} * task.width + k;
      a = hn::Sub(a, hn::LoadU(f, c));
      b = hn::Sub(b, hn::LoadU(f, c + lanes));
    }
    hn::StoreU(a, f, task.scores + k);
    hn::StoreU(b, f, task.scores + k + lanes);
    least = hn::Min(least, hn::Min(a, b));
    end = k + step;
  }
  BitScores found{bit_count, slack, 0, 0, 0.0F, hn::GetLane(hn::MinOfLanes(f, least)), 0.0F};
  // A centroid must be behind the best by so much not to be a candidate.
  found.limit = found.least + (task.exact ? 0.0F : static_cast<float>(slack));
  const auto limit = hn::Set(f, found.limit);
  auto next = hn::Set(f, FLT_MAX);
  for (std::size_t k = end; k > 0; k -= lanes) {  // from behind: the first one found stays
    const auto score = hn::LoadU(f, task.scores + k - lanes);
    const auto near = hn::Le(score, limit);
    next = hn::Min(next, hn::IfThenElse(near, hn::Set(f, FLT_MAX), score));
    if (hn::AllFalse(f, near)) continue;
    found.candidates += hn::CountTrue(f, near);
    found.first = k - lanes + static_cast<std::size_t>(hn::FindFirstTrue(f, near));
  }
  found.next = hn::GetLane(hn::MinOfLanes(f, next));
  return found;
}

}  // namespace HWY_NAMESPACE
}  // namespace starope::detail
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/base/assert.hpp"
#include "starope/base/dispatch.hpp"
#include "starope/clustering/nearest_bits.hpp"
#include "starope/clustering/points.hpp"
#include "starope/error.hpp"

namespace starope {
namespace detail {
HWY_EXPORT(score_bits);
}

namespace {

// The definition: (x_j - c_j)^2 added up in the order of the features.
double plain_distance(std::span<const std::uint64_t> row, const double* centroid, std::size_t dimension) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dimension; ++j) {
    const double away = static_cast<double>(row[j / 64] >> (j % 64) & 1U) - centroid[j];
    sum += away * away;
  }
  return sum;
}

template <class IsCandidate>
Label plain_nearest(std::span<const std::uint64_t> row, std::span<const double> centroids, std::size_t dimension,
                    const IsCandidate& is_candidate) {
  Label best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k * dimension < centroids.size(); ++k) {
    if (!is_candidate(k)) continue;
    const double distance = plain_distance(row, centroids.data() + k * dimension, dimension);
    if (distance < least) {
      least = distance;
      best = static_cast<Label>(k);
    }
  }
  return best;
}

// A lower bound of |x - second| - |x - nearest|, from |x - c_k|^2 = m + 2 s(k) for a row of m set bits. The scores are
// off by at most E each and the slack is 3 E; what it leaves over is far more than the rounding here.
double lower_bound_of_lead(const detail::BitScores& found) {
  const auto m = static_cast<double>(found.bits);
  const double least = m + 2.0 * static_cast<double>(found.least) + found.slack;
  const double next = m + 2.0 * static_cast<double>(found.next) - found.slack;
  return std::max(0.0, std::sqrt(std::max(0.0, next)) - std::sqrt(std::max(0.0, least)));
}

bool small_integer(double x) {
  return std::abs(x) <= 1.0 && x == std::trunc(x);
}

}  // namespace

NearestBits::NearestBits(std::span<const double> centroids, std::int64_t dimension)
    : dimension_(dimension), centroids_(centroids.begin(), centroids.end()) {
  if (dimension < 1 || centroids.empty() || centroids.size() % static_cast<std::size_t>(dimension) != 0) {
    throw InvalidArgument("centroids must be one row of numbers per cluster, at least one");
  }
  const auto d = static_cast<std::size_t>(dimension);
  const auto k = static_cast<std::size_t>(clusters());
  width_ = (k + detail::group_floats - 1) / detail::group_floats * detail::group_floats;
  std::vector<float> by_feature(d * width_, 0.0F);
  std::vector<float> half_norms(width_, FLT_MAX);  // a centroid that only fills up the width never is a candidate
  exact_ = true;
  for (std::size_t c = 0; c < k; ++c) {
    double norm = 0.0;
    for (std::size_t j = 0; j < d; ++j) {
      const double x = centroids_[c * d + j];
      norm += x * x;
      exact_ = exact_ && small_integer(x);
      by_feature[j * width_ + c] = static_cast<float>(x);
    }
    half_norms[c] = static_cast<float>(norm / 2.0);
    largest_norm_ = std::max(largest_norm_, norm);
  }
  // Halves of integers are exact up to 2^23. Sums that might overflow, and dimensions beyond those of the error bound,
  // are left to the plain loop.
  exact_ = exact_ && d < (1U << 20U);
  if (!(largest_norm_ < 1e30) || d >= (1U << 28U)) return;
  by_feature_ = std::move(by_feature);
  half_norms_ = std::move(half_norms);
}

void NearestBits::label(const BitPoints& points, std::span<Label> labels) const {
  STAROPE_ASSERT(points.dimension == dimension_ && static_cast<std::size_t>(points.count()) == labels.size());
  look(nullptr, labels.size(), points, labels.data(), nullptr);
}

void NearestBits::label_some(std::span<const Label> which, const BitPoints& points, std::span<Label> labels,
                             std::span<double> leads) const {
  STAROPE_ASSERT(points.dimension == dimension_ && static_cast<std::size_t>(points.count()) == labels.size());
  STAROPE_ASSERT(leads.size() == which.size());
  look(which.data(), which.size(), points, labels.data(), leads.data());
}

// which: null for the first `count` points; leads: null where they are not wanted.
void NearestBits::look(const Label* which, std::size_t count, const BitPoints& points, Label* labels,
                       double* leads) const {
  const auto d = static_cast<std::size_t>(dimension_);
  const std::size_t words = points.words_per_row();
  std::vector<std::uint32_t> bits(d + detail::bits_at_once);
  std::vector<float> scores(width_);
  detail::BitScoreTask task{.by_feature = by_feature_.data(),
                            .half_norms = half_norms_.data(),
                            .width = width_,
                            .clusters = static_cast<std::size_t>(clusters()),
                            .largest_norm = largest_norm_,
                            .exact = exact_,
                            .row = nullptr,
                            .words = words,
                            .bits = bits.data(),
                            .scores = scores.data()};
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t i = which == nullptr ? n : which[n];
    const auto row = points.words.subspan(i * words, words);
    if (leads != nullptr) leads[n] = 0.0;
    if (by_feature_.empty()) {
      labels[i] = plain_nearest(row, centroids_, d, [](std::size_t) { return true; });
      continue;
    }
    task.row = row.data();
    const detail::BitScores found = STAROPE_DISPATCH(score_bits)(task);
    labels[i] = found.candidates == 1 || exact_
                    ? static_cast<Label>(found.first)
                    : plain_nearest(row, centroids_, d, [&](std::size_t k) { return scores[k] <= found.limit; });
    if (leads != nullptr && found.candidates == 1) leads[n] = lower_bound_of_lead(found);
  }
}

std::vector<Label> nearest_labels(const BitPoints& points, const NearestBits& nearest, Threads threads) {
  STAROPE_ASSERT(points.dimension == nearest.dimension());
  std::vector<Label> labels(points.count());
  for_each_point_block(points.count(), threads, [&](std::int64_t first, std::int64_t last) {
    nearest.label(points.rows(first, last), std::span(labels).subspan(first, last - first));
  });
  return labels;
}

}  // namespace starope
#endif
