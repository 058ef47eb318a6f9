#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/slow_features.hpp"
#include "starope/base/bytes.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

struct StandardColumns {  // numbers, standardized; only the columns that matter
  FeatureScaling scaling{};
  std::vector<std::int64_t> kept{};  // ascending
  friend bool operator==(const StandardColumns&, const StandardColumns&) = default;
};
struct PlainBits {  // a few columns of zeros and ones, as they are
  std::int64_t columns = 0;
  friend bool operator==(const PlainBits&, const PlainBits&) = default;
};
struct OnePoint {  // nothing moves, so nothing is slow: all states are one
  friend bool operator==(const OnePoint&, const OnePoint&) = default;
};

// What the abstractions of a bag measure distances in, by the kind of the logged states: numbers are standardized over
// the states that count (0/1 columns stay as they are), and columns that do not matter are left out; many 0/1 columns,
// and ids, become slow features. Fitted once, it makes the features of any logs with such states.
class FeatureMap {
 public:
  using Rule = std::variant<StandardColumns, PlainBits, SlowColumns, SlowIds, OnePoint>;

  FeatureMap() : rule_(OnePoint{}) {}
  explicit FeatureMap(Rule rule) : rule_(std::move(rule)) {}

  // Features of every state row. InvalidArgument if these logs have states of another kind or dimension.
  BagFeatures apply(const Dataset& data, Threads threads = Threads::all()) const;

  void write(ByteWriter& to) const;
  static FeatureMap read(ByteReader& from);  // DataError `bad_bytes`

  friend bool operator==(const FeatureMap&, const FeatureMap&) = default;

 private:
  Rule rule_;
};

// DataError if the logs have no states.
FeatureMap fit_features(const Problem& problem, Threads threads = Threads::all());

// The same, applied to the logs of the fit.
BagFeatures bag_features(const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
