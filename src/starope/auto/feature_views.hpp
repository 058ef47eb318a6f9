#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <optional>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/history_features.hpp"
#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// One way to look at states: their features as they are, or in another metric, or with what happened before.
struct FeatureView {
  Eigen::MatrixXd metric{};  // features -> features; empty: as they are
  std::optional<HistoryMap> history{};

  // `states`: the features of the states of the logs.
  BagFeatures apply(const BagFeatures& states, const Dataset& data) const;
  // The same without a copy where they are seen as they are: `states`, or else what is then in `own`.
  const BagFeatures& look(const BagFeatures& states, const Dataset& data, BagFeatures& own) const;

  void write(ByteWriter& to) const;
  static FeatureView read(ByteReader& from);  // DataError `bad_bytes`
  friend bool operator==(const FeatureView& a, const FeatureView& b) {
    return a.metric.rows() == b.metric.rows() && a.metric.cols() == b.metric.cols() && a.metric == b.metric &&
           a.history == b.history;
  }
};

// Seeds of a bag that share a view. `which`: tells the bags of the same logs apart (BagOptions).
struct ViewOfSeeds {
  FeatureView view{};
  int seeds = 1;
  std::uint32_t which = 0;
  friend bool operator==(const ViewOfSeeds&, const ViewOfSeeds&) = default;
};
using Views = std::vector<ViewOfSeeds>;

// Features that are there already: of the states in this metric, without a history.
struct KnownFeatures {
  const Eigen::MatrixXd& metric;
  const BagFeatures& features;
};

// One bag of all of them, the seeds of the first view first. `options`: ladder and seed. `known`: what views may begin
// with.
Bag make_bag(const Views& views, const BagFeatures& states, const Problem& problem, const BagOptions& options,
             Threads threads = Threads::all(), const KnownFeatures* known = nullptr);

// The labels that the members of a bag give to other logs: members, ladder and seeds are those of `fitted`, whose
// labels are not looked at.
Bag label(const Bag& fitted, const Views& views, const BagFeatures& states, const Dataset& data,
          Threads threads = Threads::all());

}  // namespace starope
