#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/finding.hpp"
#include "starope/phi/phi.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/types.hpp"

namespace starope {

// How a state becomes numbers. `tabular` and `clusters`: the indicator of a cell. `linear`: a constant and the features
// of the state. `rbf`: these and random Fourier features. `raw`: the features alone, for networks.
enum class FeatureKind { tabular, linear, rbf, clusters, raw };

struct FeatureOptions {
  FeatureKind kind = FeatureKind::tabular;
  std::int64_t clusters = 32;
  std::int64_t waves = 64;  // random Fourier features
  Seed seed{};
  friend bool operator==(const FeatureOptions&, const FeatureOptions&) = default;
};

// The features of every row of the state table: the number of a cell, or numbers.
struct StateFeatures {
  std::int64_t width = 0;           // features, or cells
  std::vector<Label> cell{};        // one per row; empty: numbers
  std::vector<float> values{};      // rows x width; empty: cells
  std::vector<Finding> findings{};  // of the clusters
  std::string description{};        // "one value per state and action"

  bool indicator() const noexcept { return !cell.empty(); }
  std::span<const float> row(std::int64_t i) const {
    const auto w = static_cast<std::size_t>(width);
    return std::span(values).subspan(static_cast<std::size_t>(i) * w, w);
  }
};

// The numbers of some rows as doubles, row by row: what dense products are made of.
void copy_rows(const StateFeatures& features, std::span<const std::int64_t> rows, double* out);

// The indicators of clusters that are known already.
StateFeatures cluster_features(FittedAbstraction clusters);

// Features are standardized over the logged states; columns that hold nothing but 0 and 1 stay as they are.
StateFeatures make_features(const FeatureOptions& options, const QLogs& logs, Threads threads = Threads::all());

}  // namespace starope
