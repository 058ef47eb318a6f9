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
  points.reserve(problem.steps());
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t row = episode.first_row; row < episode.first_row + episode.length(); ++row) {
      points.push_back(features.point_of_row.empty() ? row : features.point_of_row[row]);
    }
  }
  return points;
}

// The first columns of the features, for members that look no further. Every width is copied out once for all of them.
class Prefixes {
 public:
  Prefixes(const BagFeatures& features, const std::vector<std::int64_t>& widths) : features_(features) {
    for (const std::int64_t width : widths) {
      if (width != features.dimension) copies_.try_emplace(width, columns(width));
    }
  }

  Points of_width(std::int64_t width) const {
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

Labels label(const BagFeatures& features, const Points& points, const NearestCentroid& nearest) {
  Labels labels{.cells = nearest.clusters(), .of_row = {}};
  std::vector<Label> of_point = nearest_labels(points, nearest, Threads{1});
  if (features.point_of_row.empty()) {
    labels.of_row = std::move(of_point);
  } else {
    labels.of_row.reserve(features.point_of_row.size());
    for (const std::int32_t p : features.point_of_row) labels.of_row.push_back(of_point[p]);
  }
  return labels;
}

Bag without_members(const BagFeatures& features, std::vector<std::int64_t> ladder, std::size_t seeds) {
  Bag bag{.ladder = std::move(ladder), .seeds = seeds};
  if (!features.point_of_row.empty()) {
    bag.point_of_row = features.point_of_row;
    bag.points = static_cast<std::int64_t>(features.values.size()) / features.dimension;
  }
  bag.members.resize(bag.seeds * bag.levels());
  bag.rules.resize(bag.members.size());
  return bag;
}

class MemberFit {
 public:
  MemberFit(const BagFeatures& features, const std::vector<std::int64_t>& counted, const BagOptions& options)
      : features_(features), prefixes_(features, features.prefixes), counted_(counted), options_(options) {}

  void operator()(std::int64_t cells, std::int64_t seed, std::int64_t member, Labels& labels, MemberRule& rule) const {
    const auto& prefixes = features_.prefixes;
    const Points all = prefixes_.of_width(
        prefixes.empty() ? features_.dimension : prefixes[static_cast<std::size_t>(seed) % prefixes.size()]);
    // The source of the member's own randomness.
    const std::uint64_t item = std::uint64_t{options_.which} << 32U | static_cast<std::uint64_t>(member);
    const std::vector<double> sample = sample_points(all, cells, item);
    const Points points{.dimension = all.dimension, .values = sample};
    const Seed own{random_bits(options_.seed, Stream::bag_seed, item, 0)};
    LloydFit fit = lloyd(points, initial_centroids(KMeansInit::random, points, cells, own, Threads{1}),
                         {.max_iterations = lloyd_iterations,
                          .tolerance = 0.0,
                          .empty = EmptyClusters::keep,
                          .inertia = false,
                          .threads = Threads{1}});
    labels = label(features_, all, NearestCentroid(fit.centroids, all.dimension));
    rule = {.columns = all.dimension, .centroids = std::move(fit.centroids)};
  }

 private:
  std::vector<double> sample_points(const Points& all, std::int64_t cells, std::uint64_t item) const {
    Random random(options_.seed, Stream::bag_sample, item);
    const auto chosen = sample_without_replacement(random, static_cast<std::int64_t>(counted_.size()),
                                                   std::max<std::int64_t>(3000, 20 * cells));
    std::vector<double> sample;
    sample.reserve(chosen.size() * static_cast<std::size_t>(all.dimension));
    for (const std::int64_t i : chosen) {
      const auto point = all.row(counted_[i]);
      sample.insert(sample.end(), point.begin(), point.end());
    }
    return sample;
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
  Bag bag = without_members(features, options.ladder, static_cast<std::size_t>(options.seeds));
  const auto levels = static_cast<std::int64_t>(bag.levels());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t m) {
    const std::int64_t cells = bag.ladder[levels - 1 - m % levels];
    fit(cells, m / levels, m, bag.members[m], bag.rules[m]);
  });
  return bag;
}

void forget_labels(Bag& bag) {
  for (Labels& member : bag.members) member.of_row = std::vector<Label>();
}

Bag bag_of_points(const BagFeatures& features) {
  STAROPE_ASSERT(!features.point_of_row.empty());
  const Points all{.dimension = features.dimension, .values = features.values};
  Bag bag = without_members(features, {static_cast<std::int64_t>(features.values.size()) / features.dimension}, 1);
  // By the rule that other logs are labeled with: points that nothing tells apart are one cell there, too.
  bag.members.front() = label(features, all, NearestCentroid(features.values, features.dimension));
  bag.rules.front() = {.columns = features.dimension, .centroids = features.values};
  return bag;
}

Bag label(const Bag& fitted, std::size_t first, std::size_t count, const BagFeatures& features, Threads threads) {
  STAROPE_ASSERT(first + count <= fitted.rules.size() && count % fitted.levels() == 0);
  std::vector<std::int64_t> widths;
  for (std::size_t m = first; m < first + count; ++m) widths.push_back(fitted.rules[m].columns);
  if (*std::max_element(widths.begin(), widths.end()) > features.dimension)
    throw InvalidArgument("the abstractions of the bag look at more features than these states have");
  const Prefixes prefixes(features, widths);
  Bag bag = without_members(features, fitted.ladder, count / fitted.levels());
  parallel_for(static_cast<std::int64_t>(count), threads, [&](std::int64_t m) {
    const auto at = static_cast<std::size_t>(m);
    const MemberRule& rule = bag.rules[at] = fitted.rules[first + at];
    bag.members[at] = label(features, prefixes.of_width(rule.columns), NearestCentroid(rule.centroids, rule.columns));
  });
  return bag;
}

}  // namespace starope
