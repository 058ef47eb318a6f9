#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/phi.hpp"
#include "starope/types.hpp"

namespace starope {

// The rules by which a fitted abstraction finds the cell of a state.
struct OneCell {
  friend bool operator==(const OneCell&, const OneCell&) = default;
};
struct TimeCells {  // the cell is the step
  std::int64_t cells = 0;
  friend bool operator==(const TimeCells&, const TimeCells&) = default;
};
struct IdCells {                    // a table over ids
  std::vector<std::int64_t> ids{};  // ascending
  std::vector<Label> cell{};        // one per id
  std::int64_t cells = 0;
  std::string origin{};  // what knows the ids, for messages: "the lookup table z.csv"
  friend bool operator==(const IdCells&, const IdCells&) = default;
};
struct RowCells {  // every distinct row of features is a cell; a row's number is its label
  std::variant<DistinctRows, DistinctBitRows> rows;
  friend bool operator==(const RowCells&, const RowCells&) = default;
};
struct GridCells {  // equal-width bins per feature; the occupied ones are numbered
  std::vector<double> lowest{}, highest{};
  std::int64_t bins = 1;
  DistinctRows occupied;
  friend bool operator==(const GridCells&, const GridCells&) = default;
};
struct CentroidCells {  // the nearest centroid, the first on ties
  std::int64_t dimension = 0;
  std::vector<double> centroids{};  // clusters x dimension, where distances are measured
  FeatureScaling scaling{};         // into that space; empty: the units of the logs
  friend bool operator==(const CentroidCells&, const CentroidCells&) = default;
};
using CellRule = std::variant<OneCell, TimeCells, IdCells, RowCells, GridCells, CentroidCells>;

namespace detail {
struct PhiRule {
  CellRule rule;
};
}  // namespace detail

// An abstraction with this rule, and the way back.
Phi make_phi(CellRule rule);
inline const CellRule& rule_of(const Phi& phi) noexcept {
  return phi.rule().rule;
}

// The bin of a number: 0 .. bins-1, the nearest one for numbers outside. Halves, because the distance of two doubles
// may exceed the largest double.
double grid_bin(double x, double lowest, double highest, std::int64_t bins);

}  // namespace starope
