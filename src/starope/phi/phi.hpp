#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/clustering/distinct_rows.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/data/dataset.hpp"
#include "starope/phi/labels.hpp"

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

// A fitted abstraction: a value that labels the states of any logs, can be written down, and knows itself again.
class Phi {
 public:
  Phi() : rule_(OneCell{}) {}
  explicit Phi(CellRule rule) : rule_(std::move(rule)) {}

  const CellRule& rule() const noexcept { return rule_; }
  std::int64_t cells() const;

  // The same with one more cell, the last, for states that the fit has not met: for an abstraction that was fitted on a
  // sample of the logs. Without it, such a state is a DataError `unknown_state`.
  Phi with_elsewhere() const;
  bool has_elsewhere() const noexcept { return elsewhere_; }

  // The label of every row of the state table. DataError or InvalidArgument if these logs have no states, states of
  // another kind or of another dimension.
  Labels label(const Dataset& data, Threads threads = Threads::all()) const;

  Fingerprint fingerprint() const;
  Bytes to_bytes() const;
  static Phi from_bytes(std::span<const std::byte> bytes);  // DataError `bad_bytes`

  friend bool operator==(const Phi&, const Phi&) = default;

 private:
  CellRule rule_;
  bool elsewhere_ = false;
};

// What a fit to logs gives: the abstraction, and its labels of these logs, which a fit knows anyway.
struct FittedAbstraction {
  std::optional<Phi> phi{};         // none: cells that are known for the rows of these logs only
  Labels labels{};                  // phi.label(the logs)
  std::vector<Finding> findings{};  // "only 5 distinct states: 5 clusters are used instead of 8", ...
};

// The bin of a number: 0 .. bins-1, the nearest one for numbers outside. Halves, because the distance of two doubles
// may exceed the largest double.
double grid_bin(double x, double lowest, double highest, std::int64_t bins);

}  // namespace starope
