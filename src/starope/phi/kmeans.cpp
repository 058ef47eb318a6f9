#include "starope/phi/kmeans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "starope/clustering/bit_points.hpp"
#include "starope/clustering/kmeans_init.hpp"
#include "starope/clustering/lloyd.hpp"
#include "starope/clustering/one_hot.hpp"
#include "starope/error.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"

namespace starope {
namespace {

void check(const Clusters& options) {
  if (options.clusters < 1 || options.clusters > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgument(fmt::format("clusters must be a number from 1 to 2147483647, not {}", options.clusters));
  }
  if (options.max_iterations < 1) {
    throw InvalidArgument(fmt::format("k-means needs at least 1 iteration, not {}", options.max_iterations));
  }
  if (!(options.tolerance >= 0.0)) {
    throw InvalidArgument(fmt::format("the tolerance of k-means must be 0 or larger, not {}", options.tolerance));
  }
}

void add_common_findings(const Clusters& options, KMeansFit& fit) {
  if (fit.clusters < options.clusters) {
    fit.findings.push_back(
        {Severity::info, "fewer_clusters", {{"distinct", fit.clusters}, {"asked", options.clusters}}});
  }
  if (!fit.converged) {
    fit.findings.push_back({Severity::info, "kmeans_not_converged", {{"iterations", fit.iterations}}});
  }
}

LloydOptions lloyd_options(const Clusters& options, Threads threads) {
  return {.max_iterations = options.max_iterations,
          .tolerance = options.tolerance,
          .empty = EmptyClusters::repair,
          .inertia = options.inertia,
          .threads = threads};
}

void fit_dense(std::vector<double> values, std::int64_t dimension, const Clusters& options, Threads threads,
               KMeansFit& fit) {
  const Points points{.dimension = dimension, .values = values};
  fit.scaling = make_scaling(options.scale, points, threads);
  fit.scaling.apply(values, values);

  LloydFit lloyd_fit = lloyd(points, initial_centroids(options.init, points, options.clusters, options.seed, threads),
                             lloyd_options(options, threads));
  fit.scaled_centroids = std::move(lloyd_fit.centroids);
  fit.centroids.resize(fit.scaled_centroids.size());
  fit.scaling.undo(fit.scaled_centroids, fit.centroids);
  fit.inertia = std::move(lloyd_fit.inertia);
  fit.iterations = lloyd_fit.iterations;
  fit.converged = lloyd_fit.converged;
  CentroidCells cells{.dimension = dimension, .centroids = fit.scaled_centroids};
  if (options.scale != FeatureScale::none) cells.scaling = fit.scaling;
  fit.phi = make_phi(std::move(cells));
}

// Bits are measured as they are: zeros and ones have a common unit, and dividing by the standard deviation would make
// the rarest features count most.
void fit_bits(const Problem& problem, const BinaryStates& states, const Clusters& options, Threads threads,
              KMeansFit& fit) {
  const std::vector<std::uint64_t> words = counted_bits(problem);
  const BitPoints points{.dimension = states.dimension, .words = words};
  const auto d = static_cast<std::size_t>(states.dimension);
  fit.scaling = {.center = std::vector<double>(d, 0.0), .scale = std::vector<double>(d, 1.0)};
  LloydFit lloyd_fit = lloyd(points, initial_centroids(options.init, points, options.clusters, options.seed, threads),
                             lloyd_options(options, threads));
  fit.centroids = lloyd_fit.centroids;
  fit.scaled_centroids = std::move(lloyd_fit.centroids);
  fit.inertia = std::move(lloyd_fit.inertia);
  fit.iterations = lloyd_fit.iterations;
  fit.converged = lloyd_fit.converged;
  fit.phi = make_phi(CentroidCells{.dimension = states.dimension, .centroids = fit.centroids});
}

void fit_ids(const Problem& problem, const DiscreteStates& states, const Clusters& options, KMeansFit& fit) {
  OneHotFit one_hot = fit_one_hot(counted_visits(problem), {.clusters = options.clusters,
                                                            .max_iterations = options.max_iterations,
                                                            .tolerance = options.tolerance,
                                                            .seed = options.seed});
  if (options.inertia) fit.inertia = std::move(one_hot.inertia);
  fit.iterations = one_hot.iterations;
  fit.converged = one_hot.converged;
  fit.phi = make_phi(IdCells{.ids = {states.ids.begin(), states.ids.end()},
                             .cell = std::move(one_hot.cluster_of_code),
                             .cells = one_hot.clusters,
                             .origin = "the logs of the fit"});
  fit.labels = fit.phi.label(problem.data());
  const std::vector<std::int64_t> visits = visits_of_cells(fit.labels, problem);
  const double share =
      static_cast<double>(*std::max_element(visits.begin(), visits.end())) / static_cast<double>(problem.steps());
  fit.findings.push_back({Severity::warning, "one_hot_clusters", {{"clusters", fit.labels.cells}, {"share", share}}});
}

}  // namespace

KMeansFit fit_kmeans(const Problem& problem, const Clusters& options, Threads threads) {
  check(options);
  require_states(problem, "k-means");
  KMeansFit fit;
  const States& states = problem.data().states();
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    fit_dense(counted_features(problem), dense->dimension, options, threads, fit);
  } else if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    fit_bits(problem, *bits, options, threads, fit);
  } else {
    fit_ids(problem, std::get<DiscreteStates>(states), options, fit);
  }
  fit.clusters = fit.phi.cells();
  if (fit.labels.of_row.empty()) fit.labels = fit.phi.label(problem.data(), threads);
  add_common_findings(options, fit);
  return fit;
}

KMeansFit fit_kmeans(std::vector<double> features, std::int64_t dimension, const Clusters& options, Threads threads) {
  check(options);
  KMeansFit fit;
  fit_dense(std::move(features), dimension, options, threads, fit);
  fit.clusters = fit.phi.cells();
  add_common_findings(options, fit);
  return fit;
}

}  // namespace starope
