#include "starope/clustering/one_hot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Centroids as shares. A state is a member of at most one cluster, so centroid k has the coordinate share[s] for its
// own members and 0 elsewhere. With |c_k|^2 = norm[k]:
//
//   |e_s - c_k|^2 = 1 - 2 c_k[s] + |c_k|^2 = 1 - 2 share[s] + norm[k]   for the own cluster, 1 + norm[k] for any other,
//
// so only the own cluster and the (first) one of smallest norm can be nearest.
class OneHotClusters {
 public:
  OneHotClusters(std::span<const std::int64_t> visits, const std::vector<std::size_t>& start)
      : visits_(visits),
        member_(visits.size(), false),
        cluster_(visits.size(), Label{0}),
        share_(visits.size(), 0.0),
        norm_(start.size(), 1.0) {
    for (std::size_t k = 0; k < start.size(); ++k) {
      member_[start[k]] = true;
      cluster_[start[k]] = static_cast<Label>(k);
      share_[start[k]] = 1.0;
    }
  }

  struct Nearest {
    Label cluster;
    double distance;  // squared
  };
  Nearest nearest(std::size_t s, Label flattest) const {
    const Nearest other{flattest, 1.0 + norm_[flattest]};
    if (!member_[s]) return other;
    const Nearest own{cluster_[s], 1.0 - 2.0 * share_[s] + norm_[cluster_[s]]};
    if (own.distance < other.distance) return own;
    return own.distance == other.distance && own.cluster < other.cluster ? own : other;
  }

  Label flattest() const { return static_cast<Label>(std::min_element(norm_.begin(), norm_.end()) - norm_.begin()); }

  // Moves every visited state to its nearest cluster and every centroid to the visit shares of its members.
  struct Step {
    double inertia;
    double moved;  // the farthest that a centroid moved
  };
  Step iterate() {
    const Label flat = flattest();
    std::vector<Label> cluster(visits_.size());
    std::vector<double> total(norm_.size(), 0.0);
    Step step{.inertia = 0.0, .moved = 0.0};
    for (std::size_t s = 0; s < visits_.size(); ++s) {
      if (visits_[s] == 0) continue;
      const Nearest to = nearest(s, flat);
      cluster[s] = to.cluster;
      total[to.cluster] += static_cast<double>(visits_[s]);
      step.inertia += static_cast<double>(visits_[s]) * std::max(0.0, to.distance);
    }
    // No cluster is emptied: |c_k|^2 is at most the largest share in it, so that state's own distance is below 1.
    std::vector<double> moved(norm_.size(), 0.0);
    std::fill(norm_.begin(), norm_.end(), 0.0);
    for (std::size_t s = 0; s < visits_.size(); ++s) {
      if (visits_[s] == 0) continue;
      const double share = static_cast<double>(visits_[s]) / total[cluster[s]];
      if (member_[s] && cluster_[s] == cluster[s]) {
        moved[cluster[s]] += (share - share_[s]) * (share - share_[s]);
      } else {
        moved[cluster[s]] += share * share;
        if (member_[s]) moved[cluster_[s]] += share_[s] * share_[s];
      }
      norm_[cluster[s]] += share * share;
      member_[s] = true;
      cluster_[s] = cluster[s];
      share_[s] = share;
    }
    step.moved = std::sqrt(*std::max_element(moved.begin(), moved.end()));
    return step;
  }

 private:
  std::span<const std::int64_t> visits_;
  std::vector<bool> member_;
  std::vector<Label> cluster_;
  std::vector<double> share_;
  std::vector<double> norm_;
};

// Distinct states, each next one with probability proportional to its visits among those left.
std::vector<std::size_t> draw_states(std::span<const std::int64_t> visits, std::int64_t clusters, Seed seed) {
  std::vector<std::int64_t> left(visits.begin(), visits.end());
  std::int64_t total = std::accumulate(left.begin(), left.end(), std::int64_t{0});
  Random random(seed, Stream::kmeans_init, 0);
  std::vector<std::size_t> chosen;
  while (static_cast<std::int64_t>(chosen.size()) < clusters && total > 0) {
    auto visit = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(total)));
    std::size_t s = 0;
    while (visit >= left[s]) visit -= left[s++];
    chosen.push_back(s);
    total -= left[s];
    left[s] = 0;
  }
  return chosen;
}

// Root mean squared distance of the visits from their mean: sqrt(1 - sum of squared visit shares).
double one_hot_spread(std::span<const std::int64_t> visits) {
  const auto total = static_cast<double>(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}));
  double concentration = 0.0;
  for (const std::int64_t v : visits)
    concentration += (static_cast<double>(v) / total) * (static_cast<double>(v) / total);
  return std::sqrt(std::max(0.0, 1.0 - concentration));
}

}  // namespace

OneHotFit fit_one_hot(std::span<const std::int64_t> visits, const OneHotOptions& options) {
  const std::vector<std::size_t> start = draw_states(visits, options.clusters, options.seed);
  if (start.empty()) {
    throw InvalidArgument(
        fmt::format("k-means needs at least one cluster and one visited state ({} clusters, {} states)",
                    options.clusters, visits.size()));
  }
  OneHotClusters clusters(visits, start);
  OneHotFit fit;
  fit.clusters = static_cast<std::int64_t>(start.size());
  const double limit = options.tolerance * one_hot_spread(visits);
  while (fit.iterations < options.max_iterations && !fit.converged) {
    const auto step = clusters.iterate();
    fit.inertia.push_back(step.inertia);
    fit.converged = step.moved <= limit;
    ++fit.iterations;
  }
  const Label flat = clusters.flattest();
  fit.cluster_of_code.reserve(visits.size());
  for (std::size_t s = 0; s < visits.size(); ++s) fit.cluster_of_code.push_back(clusters.nearest(s, flat).cluster);
  return fit;
}

}  // namespace starope
