#include "starope/phi/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/clustering/points.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"

namespace starope {
FittedAbstraction fit_grid(const Grid& options, const Problem& problem, Threads threads) {
  if (options.bins < 1) {
    throw InvalidArgument(fmt::format("a grid needs at least 1 bin per dimension, not {}", options.bins));
  }
  if (std::holds_alternative<BinaryStates>(problem.data().states())) {
    throw InvalidArgument(
        "a grid over features that are all 0 or 1 has a cell for every distinct state; use phi=identity, which says "
        "so, "
        "or clusters=K, which groups similar states");
  }
  const DenseStates& dense = require_dense_states(problem.data(), "the grid abstraction");
  const std::vector<double> counted = counted_features(problem);
  const ColumnSummary range = summarize_columns({.dimension = dense.dimension, .values = counted}, threads);

  const auto d = static_cast<std::size_t>(dense.dimension);
  FittedAbstraction fit;
  fit.labels.of_row.reserve(dense.count());
  DistinctRows cells(dense.dimension);
  std::vector<double> cell(d), scratch;
  for (std::int64_t i = 0; i < dense.count(); ++i) {
    const auto row = dense.row(i, scratch);
    for (std::size_t j = 0; j < d; ++j) cell[j] = grid_bin(row[j], range.lowest[j], range.highest[j], options.bins);
    fit.labels.of_row.push_back(static_cast<Label>(cells.add(cell).number));
  }
  const std::vector<std::int64_t> ranks = cells.ranks();
  for (Label& label : fit.labels.of_row) label = static_cast<Label>(ranks[label]);
  fit.labels.cells = cells.size();
  fit.phi = make_phi(
      GridCells{.lowest = range.lowest, .highest = range.highest, .bins = options.bins, .occupied = cells.sorted()});
  fit.labels.phi = fit.phi->fingerprint();
  fit.findings = many_cells_finding(fit.labels.cells, problem);
  return fit;
}

}  // namespace starope
