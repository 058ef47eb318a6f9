#include "starope/clustering/assignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/clustering/nearest_bits.hpp"

namespace starope {
namespace {

// A block of points and their labels, from point `first` on.
struct Block {
  const Points& points;
  std::int64_t first;
  std::span<const Label> labels;

  const double* row(std::size_t i) const {
    return points.values.data() + (static_cast<std::size_t>(first) + i) * static_cast<std::size_t>(points.dimension);
  }
  double weight(std::size_t i) const {
    return points.weights.empty() ? 1.0 : points.weights[static_cast<std::size_t>(first) + i];
  }
};

// Calls body(D) with the dimension as a constant where the compiler shall know it, with 0 where it need not.
template <class Body>
auto for_dimension(std::int64_t dimension, const Body& body) {
  switch (dimension) {
    case 1:
      return body(std::integral_constant<std::size_t, 1>{});
    case 2:
      return body(std::integral_constant<std::size_t, 2>{});
    case 3:
      return body(std::integral_constant<std::size_t, 3>{});
    case 4:
      return body(std::integral_constant<std::size_t, 4>{});
    default:
      return body(std::integral_constant<std::size_t, 0>{});
  }
}

// sum += weight * row, written out where the compiler knows the dimension: it would keep the loop.
template <std::size_t fixed>
void add_row(double weight, const double* row, double* sum, std::size_t d) {
  if constexpr (fixed == 0) {
    for (std::size_t j = 0; j < d; ++j) sum[j] += weight * row[j];
  } else {
    [&]<std::size_t... j>(std::index_sequence<j...>) {
      const double x[fixed] = {row[j]...};
      ((sum[j] += weight * x[j]), ...);
    }
    (std::make_index_sequence<fixed>());
  }
}

// Adds the points number(0), number(1), ... of the block to the sums of their clusters, in this order.
template <class Number>
void add_points(const Block& block, std::size_t count, const Number& number, ClusterSums& sums) {
  for_dimension(block.points.dimension, [&](auto known) {
    const std::size_t d = known == 0 ? static_cast<std::size_t>(block.points.dimension) : known;
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t i = number(n), k = block.labels[i];
      const double* row = block.row(i);
      double* sum = sums.sum.data() + k * d;
      const double weight = block.weight(i);
      add_row<known>(weight, row, sum, d);
      sums.weight[k] += weight;
    }
  });
}

void add_all_points(const Block& block, ClusterSums& sums) {
  add_points(
      block, block.labels.size(), [](std::size_t i) { return i; }, sums);
}

// Brings the sums of a block up to date in which the points `which` had the labels `old`. The sum of a cluster whose
// points are the same as before has the same bits; the others are added up again.
void update_sums(const Block& block, std::span<const Label> which, std::span<const Label> old, ClusterSums& sums) {
  std::vector<std::uint8_t> stale(sums.weight.size(), 0);
  bool any = false;
  for (std::size_t n = 0; n < which.size(); ++n) {
    const Label now = block.labels[which[n]];
    if (now == old[n]) continue;
    any = true;
    stale[now] = stale[old[n]] = 1;
  }
  if (!any) return;
  const std::size_t d = sums.sum.size() / sums.weight.size();
  for (std::size_t k = 0; k < stale.size(); ++k) {
    if (stale[k] == 0) continue;
    sums.weight[k] = 0.0;
    std::fill_n(sums.sum.begin() + static_cast<std::ptrdiff_t>(k * d), d, 0.0);
  }
  std::vector<Label> members(block.labels.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < block.labels.size(); ++i) {
    members[count] = static_cast<Label>(i);
    count += stale[block.labels[i]];
  }
  add_points(
      block, count, [&](std::size_t n) { return std::size_t{members[n]}; }, sums);
}

double inertia_of(const Block& block, std::span<const double> centroids) {
  return for_dimension(block.points.dimension, [&](auto known) {
    const std::size_t d = known == 0 ? static_cast<std::size_t>(block.points.dimension) : known;
    double inertia = 0.0;
    for (std::size_t i = 0; i < block.labels.size(); ++i) {
      const double* row = block.row(i);
      const double* centroid = centroids.data() + block.labels[i] * d;
      double distance = 0.0;
      for (std::size_t j = 0; j < d; ++j) distance += (row[j] - centroid[j]) * (row[j] - centroid[j]);
      inertia += block.weight(i) * distance;
    }
    return inertia;
  });
}

// The sums of bits are whole numbers, so they are exact.
void add_bits(std::span<const std::uint64_t> row, std::size_t k, double sign, ClusterSums& sums) {
  double* sum = sums.sum.data() + k * (sums.sum.size() / sums.weight.size());
  for_each_set_bit(row, [&](std::size_t j) { sum[j] += sign; });
  sums.weight[k] += sign;
}

// Of n points of a cluster n_j have the bit j: they are at 1 - c_j, the others at c_j from the centroid.
double inertia_of_bits(const ClusterSums& sums, std::span<const double> centroids) {
  const std::size_t d = sums.sum.size() / sums.weight.size();
  double inertia = 0.0;
  for (std::size_t i = 0; i < sums.sum.size(); ++i) {
    const double c = centroids[i], ones = sums.sum[i], zeros = sums.weight[i / d] - ones;
    inertia += ones * (1.0 - c) * (1.0 - c) + zeros * c * c;
  }
  return inertia;
}

// Leads below this may be lost in the plain loop of NearestBits, which adds up d squares, none negative: its squared
// distances p, q are off by less than (d + 2) u p and (d + 2) u q, u = 2^-53, so it sees which one is smaller if
// sqrt(q) - sqrt(p) > (d + 2) u (sqrt(p) + sqrt(q)); and no distance is larger than sqrt(d) + |c|.
double plain_rounding(std::span<const double> centroids, std::size_t d) {
  double largest = 0.0;
  for (std::size_t at = 0; at < centroids.size(); at += d) {
    double norm = 0.0;
    for (std::size_t j = at; j < at + d; ++j) norm += centroids[j] * centroids[j];
    largest = std::max(largest, norm);
  }
  return static_cast<double>(d + 4) * 0x1p-51 * (std::sqrt(static_cast<double>(d)) + std::sqrt(largest));
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(sum);
}

}  // namespace

ClusterSums::ClusterSums(std::int64_t clusters, std::int64_t dimension)
    : weight(static_cast<std::size_t>(clusters), 0.0), sum(static_cast<std::size_t>(clusters * dimension), 0.0) {}

ClusterSums& ClusterSums::operator+=(const ClusterSums& other) noexcept {
  STAROPE_ASSERT(weight.size() == other.weight.size() && sum.size() == other.sum.size());
  for (std::size_t k = 0; k < weight.size(); ++k) weight[k] += other.weight[k];
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other.sum[i];
  inertia += other.inertia;
  return *this;
}

ClusterSums assign_points(const Points& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points.count());
  const NearestCentroid nearest(centroids, points.dimension);
  ClusterSums total(nearest.clusters(), points.dimension);
  merge_point_blocks(
      points.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto mine = labels.subspan(first, last - first);
        nearest.label(points.rows(first, last), mine);
        ClusterSums part(nearest.clusters(), points.dimension);
        const Block block{.points = points, .first = first, .labels = mine};
        add_all_points(block, part);
        part.inertia = inertia_of(block, centroids);
        return part;
      },
      [&](ClusterSums&& part) { total += part; });
  return total;
}

void LabelLeads::start(std::size_t points, std::size_t clusters) {
  moved_.assign(clusters, 0.0);
  used_up_.assign(points, 0.0);
  rounds_ = 0;
}

// How much of its lead a point of each cluster may have lost: its own centroid went away by so much, and of the others
// the one that moved most came nearer. A little more for the rounding of all of this.
void LabelLeads::move(std::span<const double> before, std::span<const double> after, std::size_t dimension) {
  std::vector<double> moved;
  for (std::size_t at = 0; at < after.size(); at += dimension) {
    moved.push_back(distance(after.subspan(at, dimension), before.subspan(at, dimension)));
  }
  const auto most = std::max_element(moved.begin(), moved.end());
  double most_of_others = 0.0;
  for (auto m = moved.begin(); m != moved.end(); ++m)
    most_of_others = m == most ? most_of_others : std::max(most_of_others, *m);
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const double other = moved.begin() + static_cast<std::ptrdiff_t>(k) == most ? most_of_others : *most;
    moved_[k] += 1.00001 * (moved[k] + other);
  }
  ++rounds_;
}

std::vector<Label> LabelLeads::open(std::size_t first, std::span<const Label> labels, double rounding) const {
  std::vector<double> reached(moved_);
  // Every round has rounded the sum once, and so has the point.
  for (double& x : reached) x += rounding + static_cast<double>(rounds_ + 2) * 0x1p-52 * x;
  std::vector<Label> open(labels.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    open[count] = static_cast<Label>(i);
    count += used_up_[first + i] > reached[labels[i]] ? 0U : 1U;
  }
  open.resize(count);
  return open;
}

RepeatedAssignment::Relabeled RepeatedAssignment::relabel(const NearestCentroid& nearest, std::int64_t first,
                                                          std::span<Label> labels, double rounding) {
  const auto from = static_cast<std::size_t>(first);
  Relabeled result{.which = leads_.open(from, labels, rounding), .old = {}};
  result.old.reserve(result.which.size());
  for (const Label i : result.which) result.old.push_back(labels[i]);
  std::vector<float> leads(result.which.size());
  nearest.label_some(result.which, points_.rows(first, first + static_cast<std::int64_t>(labels.size())), labels,
                     leads);
  leads_.set<float>(from, result.which, labels, leads);
  return result;
}

ClusterSums RepeatedAssignment::assign(std::span<const double> centroids, std::span<Label> labels, Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points_.count());
  const NearestCentroid nearest(centroids, points_.dimension);
  const auto d = static_cast<std::size_t>(points_.dimension);
  if (!leads_.known() || centroids_.size() != centroids.size()) {
    leads_.start(labels.size(), centroids.size() / d);
    std::fill(labels.begin(), labels.end(), Label{0});
    blocks_.clear();
  } else {
    leads_.move(centroids_, centroids, d);
  }
  // The sums of the blocks are kept where they take less than half of the memory of the points.
  const bool keep = 2 * (centroids.size() + centroids.size() / d) < static_cast<std::size_t>(points_per_block) * d;
  const bool kept = keep && !blocks_.empty();
  if (keep && !kept) {
    blocks_.assign(point_blocks(points_.count()), ClusterSums(nearest.clusters(), points_.dimension));
  }
  // A lead that is no more than rounding is none.
  double size = 0.0;
  for (const double x : centroids) size = std::max(size, std::abs(x));
  const double rounding = 1e-6 * static_cast<double>(d) * size;
  struct Part {
    const ClusterSums* kept;
    ClusterSums fresh;
    double inertia;
  };
  ClusterSums total(nearest.clusters(), points_.dimension);
  merge_point_blocks(
      points_.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto mine = labels.subspan(first, last - first);
        const Relabeled relabeled = relabel(nearest, first, mine, rounding);
        const Block block{.points = points_, .first = first, .labels = mine};
        Part part{.kept = nullptr, .fresh = ClusterSums(0, 0), .inertia = 0.0};
        if (inertia_) part.inertia = inertia_of(block, centroids);
        if (!keep) {
          part.fresh = ClusterSums(nearest.clusters(), points_.dimension);
          add_all_points(block, part.fresh);
          return part;
        }
        ClusterSums& sums = blocks_[first / points_per_block];
        if (kept) {
          update_sums(block, relabeled.which, relabeled.old, sums);
        } else {
          add_all_points(block, sums);
        }
        part.kept = &sums;
        return part;
      },
      [&](Part&& part) {
        total += part.kept != nullptr ? *part.kept : part.fresh;
        total.inertia += part.inertia;
      });
  centroids_.assign(centroids.begin(), centroids.end());
  return total;
}

ClusterSums assign_points(const BitPoints& points, std::span<const double> centroids, std::span<Label> labels,
                          Threads threads) {
  return RepeatedBitAssignment(points).assign(centroids, labels, threads);
}

// In the first round all points come to a cluster, block by block; then those move that have another label.
ClusterSums RepeatedBitAssignment::assign(std::span<const double> centroids, std::span<Label> labels, Threads threads) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.size()) == points_.count());
  const NearestBits nearest(centroids, points_.dimension);
  const auto d = static_cast<std::size_t>(points_.dimension);
  const bool first_round = !leads_.known() || centroids_.size() != centroids.size();
  if (first_round) {
    leads_.start(labels.size(), centroids.size() / d);
    std::fill(labels.begin(), labels.end(), Label{0});
    sums_ = ClusterSums(nearest.clusters(), points_.dimension);
  } else {
    leads_.move(centroids_, centroids, d);
  }
  const double rounding = plain_rounding(centroids, d);
  struct Move {
    std::int64_t point;
    Label from;
  };
  struct Part {
    ClusterSums sums;
    std::vector<Move> moves;
  };
  merge_point_blocks(
      points_.count(), threads,
      [&](std::int64_t first, std::int64_t last) {
        const auto from = static_cast<std::size_t>(first), count = static_cast<std::size_t>(last - first);
        const auto mine = labels.subspan(from, count);
        const std::vector<Label> open = leads_.open(from, mine, rounding);
        std::vector<Label> old;
        for (const Label i : open) old.push_back(mine[i]);
        std::vector<double> leads(open.size());
        nearest.label_some(open, points_.rows(first, last), mine, leads);
        leads_.set<double>(from, open, mine, leads);
        Part part{.sums = first_round ? ClusterSums(nearest.clusters(), points_.dimension) : ClusterSums(0, 0),
                  .moves = {}};
        for (std::size_t n = 0; n < open.size(); ++n) {
          const std::int64_t point = first + std::int64_t{open[n]};
          if (first_round) {
            add_bits(points_.row(point), mine[open[n]], 1.0, part.sums);
          } else if (mine[open[n]] != old[n]) {
            part.moves.push_back({.point = point, .from = old[n]});
          }
        }
        return part;
      },
      [&](Part&& part) {
        if (first_round) sums_ += part.sums;
        for (const Move& move : part.moves) {
          add_bits(points_.row(move.point), move.from, -1.0, sums_);
          add_bits(points_.row(move.point), labels[move.point], 1.0, sums_);
        }
      });
  if (inertia_) sums_.inertia = inertia_of_bits(sums_, centroids);
  centroids_.assign(centroids.begin(), centroids.end());
  return sums_;
}

}  // namespace starope
