#include "starope/auto/bag_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "starope/auto/relevant_columns.hpp"
#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/error.hpp"
#include "starope/phi/counted_states.hpp"

namespace starope {
namespace {

std::vector<double> doubles_of(const RealColumn& column) {
  return column.visit([](const auto& values) { return std::vector<double>(values.begin(), values.end()); });
}

StandardColumns standardizing(const Problem& problem, const DenseStates& states, Threads threads) {
  const std::vector<double> counted = counted_features(problem);
  const Points points{.dimension = states.dimension, .values = counted};
  FeatureScaling scaling = make_scaling(FeatureScale::standard, points, threads);
  const auto d = static_cast<std::size_t>(states.dimension);
  std::vector<bool> is_flag(d, true);
  for (std::size_t i = 0; i < counted.size(); ++i) {
    if (counted[i] != 0.0 && counted[i] != 1.0) is_flag[i % d] = false;
  }
  for (std::size_t j = 0; j < d; ++j) {
    if (is_flag[j]) {
      scaling.center[j] = 0.0;
      scaling.scale[j] = 1.0;
    }
  }
  std::vector<double> values = doubles_of(states.values);
  scaling.apply(values, values);
  std::vector<std::int64_t> kept = relevant_columns(problem, values, states.dimension);
  return {.scaling = std::move(scaling), .kept = std::move(kept)};
}

[[noreturn]] void fail_kind(const char* wanted) {
  throw InvalidArgument(fmt::format("the features were fitted to states with {}; these logs have others", wanted));
}

struct Apply {
  const Dataset& data;
  Threads threads;

  BagFeatures operator()(const StandardColumns& columns) const {
    const auto* dense = std::get_if<DenseStates>(&data.states());
    const std::size_t width = columns.scaling.scale.size();
    if (dense == nullptr || static_cast<std::size_t>(dense->dimension) != width)
      fail_kind(counted(static_cast<std::int64_t>(width), "number").c_str());
    BagFeatures features{.dimension = static_cast<std::int64_t>(columns.kept.size()),
                         .values = doubles_of(dense->values)};
    columns.scaling.apply(features.values, features.values);
    if (columns.kept.size() == width) return features;
    std::size_t to = 0;
    for (std::size_t row = 0; row < features.values.size() / width; ++row) {
      for (const std::int64_t column : columns.kept)
        features.values[to++] = features.values[row * width + static_cast<std::size_t>(column)];
    }
    features.values.resize(to);
    return features;
  }
  BagFeatures operator()(const PlainBits& plain) const {
    const auto* bits = std::get_if<BinaryStates>(&data.states());
    if (bits == nullptr || bits->dimension != plain.columns)
      fail_kind(counted(plain.columns, "column of zeros and ones").c_str());
    return {.dimension = bits->dimension, .values = doubles_of(to_dense(*bits).values)};
  }
  BagFeatures operator()(const SlowColumns& slow) const {
    const std::int64_t columns = static_cast<std::int64_t>(slow.of_column.size()) / slow.features;
    const auto* bits = std::get_if<BinaryStates>(&data.states());
    const auto* dense = std::get_if<DenseStates>(&data.states());
    if ((bits == nullptr || bits->dimension != columns) && (dense == nullptr || dense->dimension != columns))
      fail_kind(counted(columns, "column of zeros and ones").c_str());
    return starope::apply(slow, data, threads);
  }
  BagFeatures operator()(const SlowIds& slow) const {
    if (!std::holds_alternative<DiscreteStates>(data.states())) fail_kind("ids");
    return starope::apply(slow, data);
  }
  BagFeatures operator()(const OnePoint&) const {
    return {.dimension = 1, .values = {0.0}, .point_of_row = std::vector<std::int32_t>(data.state_rows(), 0)};
  }
};

struct Write {
  ByteWriter& to;

  void operator()(const StandardColumns& columns) const {
    to.numbers(columns.scaling.center);
    to.numbers(columns.scaling.scale);
    to.numbers(columns.kept);
  }
  void operator()(const PlainBits& plain) const { to.number(plain.columns); }
  void operator()(const SlowColumns& slow) const {
    to.number(slow.features);
    to.numbers(slow.of_column);
  }
  void operator()(const SlowIds& slow) const {
    to.number(slow.features);
    to.numbers(slow.ids);
    to.numbers(slow.of_id);
  }
  void operator()(const OnePoint&) const {}
};

}  // namespace

BagFeatures FeatureMap::apply(const Dataset& data, Threads threads) const {
  return std::visit(Apply{data, threads}, rule_);
}

void FeatureMap::write(ByteWriter& to) const {
  to.number(static_cast<std::uint64_t>(rule_.index()));
  std::visit(Write{to}, rule_);
}

FeatureMap FeatureMap::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto require = [&](bool holds) {
    if (!holds) from.fail("sizes of features do not fit together");
  };
  switch (from.number_within(0, static_cast<std::int64_t>(std::variant_size_v<Rule>) - 1)) {
    case 0: {
      FeatureScaling scaling{.center = from.finites(), .scale = from.finites()};
      require(!scaling.scale.empty() && scaling.center.size() == scaling.scale.size());
      for (const double scale : scaling.scale) require(scale > 0.0);
      StandardColumns columns{.scaling = std::move(scaling), .kept = from.integers()};
      require(!columns.kept.empty() && columns.kept.front() >= 0 &&
              columns.kept.back() < static_cast<std::int64_t>(columns.scaling.scale.size()));
      require(std::adjacent_find(columns.kept.begin(), columns.kept.end(), std::greater_equal<>()) ==
              columns.kept.end());
      return FeatureMap(std::move(columns));
    }
    case 1:
      return FeatureMap(PlainBits{.columns = from.number_within(1, most)});
    case 2: {
      SlowColumns slow{.features = from.number_within(1, most), .of_column = from.finites()};
      require(!slow.of_column.empty() && slow.of_column.size() % static_cast<std::size_t>(slow.features) == 0);
      return FeatureMap(std::move(slow));
    }
    case 3: {
      SlowIds slow{.features = from.number_within(1, most), .ids = from.integers(), .of_id = from.finites()};
      require(slow.of_id.size() / static_cast<std::size_t>(slow.features) == slow.ids.size() &&
              slow.of_id.size() % static_cast<std::size_t>(slow.features) == 0);
      require(std::adjacent_find(slow.ids.begin(), slow.ids.end(), std::greater_equal<>()) == slow.ids.end());
      return FeatureMap(std::move(slow));
    }
    default:
      return FeatureMap(OnePoint{});
  }
}

FeatureMap fit_features(const Problem& problem, Threads threads) {
  require_states(problem, "auto");
  const Dataset& data = problem.data();
  if (std::holds_alternative<DiscreteStates>(data.states())) {
    SlowIds slow = fit_slow_ids(problem, {}, threads);
    return slow.features == 0 ? FeatureMap() : FeatureMap(std::move(slow));
  }
  if (are_pixels(data, threads)) {
    SlowColumns slow = fit_slow_columns(problem, {}, threads);
    return slow.features == 0 ? FeatureMap() : FeatureMap(std::move(slow));
  }
  if (const auto* bits = std::get_if<BinaryStates>(&data.states()))
    return FeatureMap(PlainBits{.columns = bits->dimension});
  return FeatureMap(standardizing(problem, std::get<DenseStates>(data.states()), threads));
}

BagFeatures bag_features(const Problem& problem, Threads threads) {
  return fit_features(problem, threads).apply(problem.data(), threads);
}

}  // namespace starope
