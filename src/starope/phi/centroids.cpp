#include "starope/phi/centroids.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"

namespace starope {
namespace {

std::string name_of(const CentroidTable& table) {
  return table.source.empty() ? "the centroid table" : "the centroid table " + table.source;
}

void check_table(const CentroidTable& table) {
  if (table.dimension < 1 || table.values.empty() ||
      table.values.size() % static_cast<std::size_t>(table.dimension) != 0) {
    throw InvalidArgument(
        fmt::format("{} must have one row of numbers per centroid, at least one; it has {} numbers in "
                    "{}",
                    name_of(table), table.values.size(), counted(table.dimension, "column")));
  }
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (std::isfinite(table.values[i])) continue;
    const auto d = static_cast<std::size_t>(table.dimension);
    DataLocation at;
    at.file = table.source;
    throw DataError({.code = "bad_centroid",
                     .at = std::move(at),
                     .value = fmt::format("{}", table.values[i]),
                     .rule = fmt::format("is coordinate {} of centroid {}; it must be a finite number", i % d, i / d),
                     .remedy = "Correct it, or leave the centroid out"});
  }
}

}  // namespace

FittedAbstraction fit_centroids(const CentroidTable& table, const Problem& problem, Threads threads) {
  const Dataset& data = problem.data();
  const auto* bits = std::get_if<BinaryStates>(&data.states());
  const std::int64_t dimension =
      bits == nullptr ? require_dense_states(data, name_of(table)).dimension : bits->dimension;
  check_table(table);
  if (table.dimension != dimension) {
    throw InvalidArgument(
        fmt::format("{} has {} per centroid, but the logged states have {}; give one coordinate per "
                    "state feature, in the same order and units",
                    name_of(table), counted(table.dimension, "coordinate"), counted(dimension, "feature")));
  }
  FittedAbstraction fit{.phi = make_phi(CentroidCells{.dimension = dimension, .centroids = table.values})};
  fit.labels = fit.phi->label(data, threads);
  return fit;
}

}  // namespace starope
