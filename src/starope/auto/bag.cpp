#include "starope/auto/bag.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/clustering/kmeans_init.hpp"
#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/error.hpp"
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

// The first columns of the features, for members that look no further. Every width is copied out once for all of them.
class Prefixes {
 public:
  explicit Prefixes(const BagFeatures& features) : features_(features) {
    for (const std::int64_t width : features.prefixes) {
      if (width != features.dimension) copies_.try_emplace(width, columns(width));
    }
  }

  Points of_seed(std::int64_t seed) const {
    const auto& prefixes = features_.prefixes;
    const std::int64_t width =
        prefixes.empty() ? features_.dimension : prefixes[static_cast<std::size_t>(seed) % prefixes.size()];
    return {.dimension = width, .values = width == features_.dimension ? features_.values : copies_.at(width)};
  }

 private:
  std::vector<double> columns(std::int64_t width) const {
    std::vector<double> narrow;
    narrow.reserve(features_.values.size() / static_cast<std::size_t>(features_.dimension) *
                   static_cast<std::size_t>(width));
    for (auto row = features_.values.begin(); row != features_.values.end(); row += features_.dimension) {
      narrow.insert(narrow.end(), row, row + width);
    }
    return narrow;
  }

  const BagFeatures& features_;
  std::map<std::int64_t, std::vector<double>> copies_{};
};

class MemberFit {
 public:
  MemberFit(const BagFeatures& features, const std::vector<std::int64_t>& counted, const BagOptions& options)
      : features_(features), prefixes_(features), counted_(counted), options_(options) {}

  Labels operator()(std::int64_t cells, std::int64_t seed, std::int64_t member) const {
    const Points all = prefixes_.of_seed(seed);
    // The source of the member's own randomness.
    const std::uint64_t item = std::uint64_t{options_.which} << 32U | static_cast<std::uint64_t>(member);
    const std::vector<double> sample = sample_points(all, cells, item);
    const Points points{.dimension = all.dimension, .values = sample};
    const Seed own{random_bits(options_.seed, Stream::bag_seed, item, 0)};
    const LloydFit fit = lloyd(points, initial_centroids(KMeansInit::random, points, cells, own, Threads{1}),
                               {.max_iterations = lloyd_iterations,
                                .tolerance = 0.0,
                                .empty = EmptyClusters::keep,
                                .inertia = false,
                                .threads = Threads{1}});
    return label(all, NearestCentroid(fit.centroids, all.dimension));
  }

 private:
  std::vector<double> sample_points(const Points& all, std::int64_t cells, std::uint64_t item) const {
    Random random(options_.seed, Stream::bag_sample, item);
    const auto chosen = sample_without_replacement(random, static_cast<std::int64_t>(counted_.size()),
                                                   std::max<std::int64_t>(3000, 20 * cells));
    std::vector<double> sample;
    sample.reserve(chosen.size() * static_cast<std::size_t>(all.dimension));
    for (const std::int64_t i : chosen) {
      const auto point = all.row(counted_[static_cast<std::size_t>(i)]);
      sample.insert(sample.end(), point.begin(), point.end());
    }
    return sample;
  }

  Labels label(const Points& all, const NearestCentroid& nearest) const {
    Labels labels{.cells = nearest.clusters(), .of_row = {}};
    std::vector<Label> of_point = nearest_labels(all, nearest, Threads{1});
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
  Prefixes prefixes_;
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
  if (!features.point_of_row.empty()) {
    bag.point_of_row = features.point_of_row;
    bag.points = static_cast<std::int64_t>(features.values.size()) / features.dimension;
  }
  bag.members.resize(bag.seeds * bag.levels());
  const auto levels = static_cast<std::int64_t>(bag.levels());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t m) {
    const std::int64_t cells = bag.ladder[static_cast<std::size_t>(levels - 1 - m % levels)];
    bag.members[static_cast<std::size_t>(m)] = fit(cells, m / levels, m);
  });
  return bag;
}

}  // namespace starope
