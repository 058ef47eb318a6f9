#include "starope/darp/bag.hpp"

#include <algorithm>

#include "starope/abstraction/kmeans_init.hpp"
#include "starope/abstraction/lloyd.hpp"
#include "starope/abstraction/nearest.hpp"
#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr int lloyd_iterations = 7;

// The points of the states that count, in order of the steps.
std::vector<std::int64_t> counted_points(const BagFeatures& features, const Problem& problem) {
  std::vector<std::int64_t> points;
  points.reserve(static_cast<std::size_t>(problem.steps()));
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t row = episode.first_row; row < episode.first_row + episode.length(); ++row) {
      points.push_back(features.point_of_row.empty() ? row : features.point_of_row[static_cast<std::size_t>(row)]);
    }
  }
  return points;
}

void copy_point(const BagFeatures& features, std::int64_t point, std::int64_t width, std::vector<double>& out) {
  const auto from = features.values.begin() + static_cast<std::ptrdiff_t>(point * features.dimension);
  out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(width));
}

class MemberFit {
 public:
  MemberFit(const BagFeatures& features, const std::vector<std::int64_t>& counted, const BagOptions& options)
      : features_(features), counted_(counted), options_(options) {}

  Labels operator()(std::int64_t cells, std::int64_t seed, std::int64_t member) const {
    const std::int64_t width = width_of(seed);
    // The source of the member's own randomness.
    const std::uint64_t item = std::uint64_t{options_.which} << 32U | static_cast<std::uint64_t>(member);
    const std::vector<double> sample = sample_points(cells, width, item);
    const Points points{.dimension = width, .values = sample};
    const Seed own{random_bits(options_.seed, Stream::bag_seed, item, 0)};
    const LloydFit fit = lloyd(
        points, initial_centroids(KMeansInit::random, points, cells, own, Threads{1}),
        {.max_iterations = lloyd_iterations, .tolerance = 0.0, .empty = EmptyClusters::keep, .threads = Threads{1}});
    return label(NearestCentroid(fit.centroids, width));
  }

 private:
  std::int64_t width_of(std::int64_t seed) const {
    if (features_.prefixes.empty()) return features_.dimension;
    return features_.prefixes[static_cast<std::size_t>(seed) % features_.prefixes.size()];
  }

  std::vector<double> sample_points(std::int64_t cells, std::int64_t width, std::uint64_t item) const {
    Random random(options_.seed, Stream::bag_sample, item);
    const auto chosen = sample_without_replacement(random, static_cast<std::int64_t>(counted_.size()),
                                                   std::max<std::int64_t>(3000, 20 * cells));
    std::vector<double> sample;
    sample.reserve(chosen.size() * static_cast<std::size_t>(width));
    for (const std::int64_t i : chosen) copy_point(features_, counted_[static_cast<std::size_t>(i)], width, sample);
    return sample;
  }

  Labels label(const NearestCentroid& nearest) const {
    const std::int64_t width = nearest.dimension();
    Labels labels{.cells = nearest.clusters(), .of_row = {}};
    std::vector<Label> of_point;
    if (width == features_.dimension) {
      of_point = nearest_labels({.dimension = width, .values = features_.values}, nearest, Threads{1});
    } else {
      const std::int64_t points = static_cast<std::int64_t>(features_.values.size()) / features_.dimension;
      std::vector<double> narrow;
      narrow.reserve(static_cast<std::size_t>(points * width));
      for (std::int64_t p = 0; p < points; ++p) copy_point(features_, p, width, narrow);
      of_point = nearest_labels({.dimension = width, .values = narrow}, nearest, Threads{1});
    }
    if (features_.point_of_row.empty()) {
      labels.of_row = std::move(of_point);
    } else {
      labels.of_row.reserve(features_.point_of_row.size());
      for (const std::int32_t p : features_.point_of_row)
        labels.of_row.push_back(of_point[static_cast<std::size_t>(p)]);
    }
    return labels;
  }

  const BagFeatures& features_;
  const std::vector<std::int64_t>& counted_;
  const BagOptions& options_;
};

}  // namespace

Bag make_bag(const BagFeatures& features, const Problem& problem, const BagOptions& options, Threads threads) {
  STAROPE_ASSERT(!options.ladder.empty());
  if (options.seeds < 1) throw InvalidArgument("a bag of abstractions needs at least one seed");
  const std::vector<std::int64_t> counted = counted_points(features, problem);
  const MemberFit fit(features, counted, options);
  Bag bag{.ladder = options.ladder, .seeds = static_cast<std::size_t>(options.seeds), .members = {}};
  bag.members.resize(bag.seeds * bag.levels());
  const auto levels = static_cast<std::int64_t>(bag.levels());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t m) {
    const std::int64_t cells = bag.ladder[static_cast<std::size_t>(levels - 1 - m % levels)];
    bag.members[static_cast<std::size_t>(m)] = fit(cells, m / levels, m);
  });
  return bag;
}

}  // namespace starope
