#include "starope/phi/random_centroids.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/phi/centroids.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

Random random_of_centroid(const RandomCentroids& options, std::int64_t k) {
  return {options.seed, Stream::random_centroids, static_cast<std::uint64_t>(k)};
}

FittedAbstraction fit_features(const RandomCentroids& options, std::int64_t dimension, const Problem& problem,
                               Threads threads) {
  CentroidTable table{.dimension = dimension};
  for (std::int64_t k = 0; k < options.clusters; ++k) {
    Random random = random_of_centroid(options, k);
    for (std::int64_t j = 0; j < dimension; ++j) table.values.push_back(random.uniform());
  }
  return fit_centroids(table, problem, threads);
}

// The nearest centroid of the unit vector e_s minimizes |e_s - c_k|^2 - 1 = |c_k|^2 - 2 c_k[s]: one pass over the
// codes per centroid, and only a few centroids exist at a time.
FittedAbstraction fit_discrete(const RandomCentroids& options, const Dataset& data, const DiscreteStates& states,
                               Threads threads) {
  const auto codes = static_cast<std::size_t>(states.ids.size());
  std::vector<double> smallest(codes, std::numeric_limits<double>::infinity());
  std::vector<Label> nearest(codes, Label{0});
  Label next = 0;
  ordered_merge(
      options.clusters, threads,
      [&](std::int64_t k) {
        Random random = random_of_centroid(options, k);
        std::vector<double> centroid(codes);
        for (double& x : centroid) x = random.normal();
        return centroid;
      },
      [&](std::vector<double>&& centroid) {
        double norm = 0.0;
        for (const double x : centroid) norm += x * x;
        for (std::size_t s = 0; s < codes; ++s) {
          const double score = norm - 2.0 * centroid[s];
          if (score < smallest[s]) {
            smallest[s] = score;
            nearest[s] = next;
          }
        }
        ++next;
      });
  FittedAbstraction fit{.phi = make_phi(IdCells{.ids = {states.ids.begin(), states.ids.end()},
                                                .cell = std::move(nearest),
                                                .cells = options.clusters,
                                                .origin = "the logs of the fit"})};
  fit.labels = fit.phi->label(data, threads);
  return fit;
}

double width_of(const std::monostate&) {
  return 0.0;
}
double width_of(const DiscreteStates& states) {
  return static_cast<double>(states.ids.size());
}
template <class Features>
double width_of(const Features& states) {
  return static_cast<double>(states.dimension);
}

}  // namespace

FittedAbstraction fit_random_centroids(const RandomCentroids& options, const Problem& problem, Threads threads) {
  if (options.clusters < 1 || options.clusters > std::numeric_limits<std::int32_t>::max()) {
    throw InvalidArgument(fmt::format("clusters must be a number from 1 to 2147483647, not {}", options.clusters));
  }
  require_states(problem, "the abstraction by random centroids");
  const States& states = problem.data().states();
  const auto* discrete = std::get_if<DiscreteStates>(&states);
  const auto rows = static_cast<double>(discrete ? 1 : problem.data().state_rows());
  const double width = std::visit([](const auto& of) { return width_of(of); }, states);
  refuse_absurd({.what = fmt::format("an abstraction by {}", counted(options.clusters, "random centroid")),
                 .operations = static_cast<double>(options.clusters) * width * rows,
                 .bytes = discrete ? 0.0 : 8.0 * static_cast<double>(options.clusters) * width,
                 .remedy = "Ask for fewer clusters"});
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    return fit_features(options, dense->dimension, problem, threads);
  }
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    return fit_features(options, bits->dimension, problem, threads);
  }
  return fit_discrete(options, problem.data(), std::get<DiscreteStates>(states), threads);
}

}  // namespace starope
