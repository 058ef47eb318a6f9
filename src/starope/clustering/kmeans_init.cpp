#include "starope/clustering/kmeans_init.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

DistinctRows no_rows_yet(const Points& points) {
  return DistinctRows(points.dimension);
}
DistinctBitRows no_rows_yet(const BitPoints& points) {
  return DistinctBitRows(static_cast<std::int64_t>(points.words_per_row()));
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double distance = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) distance += (a[j] - b[j]) * (a[j] - b[j]);
  return distance;
}
double squared_distance(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return static_cast<double>(differing_bits(a, b));
}

// The numbers of the chosen points. Draws without replacement until there are enough distinct points.
template <class SomePoints>
std::vector<std::int64_t> random_points(const SomePoints& points, std::int64_t clusters, Random random) {
  std::vector<std::int64_t> left(points.count());
  std::iota(left.begin(), left.end(), std::int64_t{0});
  auto seen = no_rows_yet(points);
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < left.size() && seen.size() < clusters; ++i) {
    std::swap(left[i], left[i + random.below(left.size() - i)]);
    if (seen.add(points.row(left[i])).is_new) chosen.push_back(left[i]);
  }
  return chosen;
}

// Squared distances from the nearest centroid so far, and how they add up.
template <class SomePoints>
class Distances {
 public:
  Distances(const SomePoints& points, Threads threads)
      : points_(points),
        threads_(threads),
        nearest_(static_cast<std::size_t>(points.count()), std::numeric_limits<double>::infinity()) {}

  void add_centroid(std::int64_t point) {
    const auto centroid = points_.row(point);
    block_sums_.clear();
    total_ = 0.0;
    merge_point_blocks(
        points_.count(), threads_,
        [&](std::int64_t first, std::int64_t last) {
          double sum = 0.0;
          for (std::int64_t i = first; i < last; ++i) {
            double& nearest = nearest_[i];
            nearest = std::min(nearest, squared_distance(points_.row(i), centroid));
            sum += nearest;
          }
          return sum;
        },
        [&](double sum) {
          block_sums_.push_back(sum);
          total_ += sum;
        });
  }

  double total() const noexcept { return total_; }

  // The point at which the running sum of the distances passes share * total; never one at distance zero.
  std::int64_t point_at(double share) const {
    double remaining = share * total_;
    std::size_t block = 0;
    bool passed = false;
    for (std::size_t b = 0; b < block_sums_.size() && !passed; ++b) {
      if (!(block_sums_[b] > 0.0)) continue;
      block = b;
      passed = remaining < block_sums_[b];
      if (!passed) remaining -= block_sums_[b];
    }
    // Rounding may leave a little more than there is: then the last candidate is meant.
    if (!passed) remaining = total_;
    const std::int64_t first = static_cast<std::int64_t>(block) * points_per_block;
    std::int64_t last_candidate = first;
    for (std::int64_t i = first; i < std::min(points_.count(), first + points_per_block); ++i) {
      const double distance = nearest_[i];
      if (!(distance > 0.0)) continue;
      last_candidate = i;
      if (remaining < distance) break;
      remaining -= distance;
    }
    return last_candidate;
  }

 private:
  const SomePoints& points_;
  Threads threads_;
  std::vector<double> nearest_;
  std::vector<double> block_sums_{};
  double total_ = 0.0;
};

template <class SomePoints>
std::vector<std::int64_t> plus_plus_points(const SomePoints& points, std::int64_t clusters, Random random,
                                           Threads threads) {
  Distances<SomePoints> distances(points, threads);
  std::vector<std::int64_t> chosen;
  auto next = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(points.count())));
  for (std::int64_t k = 0; k < clusters; ++k) {
    chosen.push_back(next);
    if (k + 1 == clusters) break;
    distances.add_centroid(next);
    if (!(distances.total() > 0.0)) break;  // every point is a centroid already
    next = distances.point_at(random.uniform());
  }
  return chosen;
}

template <class SomePoints>
std::vector<std::int64_t> choose(KMeansInit init, const SomePoints& points, std::int64_t clusters, Seed seed,
                                 Threads threads) {
  check_points(points);
  if (clusters < 1) throw InvalidArgument(fmt::format("clusters must be at least 1, not {}", clusters));
  const Random random(seed, Stream::kmeans_init, 0);
  return init == KMeansInit::random ? random_points(points, clusters, random)
                                    : plus_plus_points(points, clusters, random, threads);
}

}  // namespace

std::vector<double> initial_centroids(KMeansInit init, const Points& points, std::int64_t clusters, Seed seed,
                                      Threads threads) {
  if (!points.weights.empty()) throw InvalidArgument("initial centroids are chosen among points without weights");
  std::vector<double> centroids;
  for (const std::int64_t i : choose(init, points, clusters, seed, threads)) {
    const auto row = points.row(i);
    centroids.insert(centroids.end(), row.begin(), row.end());
  }
  return centroids;
}

std::vector<double> initial_centroids(KMeansInit init, const BitPoints& points, std::int64_t clusters, Seed seed,
                                      Threads threads) {
  const std::vector<std::int64_t> chosen = choose(init, points, clusters, seed, threads);
  const auto d = static_cast<std::size_t>(points.dimension);
  std::vector<double> centroids(chosen.size() * d);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    unpack_bits(points.row(chosen[k]), std::span(centroids).subspan(k * d, d));
  }
  return centroids;
}

}  // namespace starope
