#include "starope/auto/slow_features.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

#include "starope/auto/slow_ids.hpp"
#include "starope/base/assert.hpp"
#include "starope/fold/fold.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

constexpr std::int64_t fewest_pixels = 16;
constexpr std::int64_t rows_per_block = 4096;

using Columns32 = std::vector<std::int32_t>;

std::int64_t dimension_of(const States& states) {
  if (const auto* bits = std::get_if<BinaryStates>(&states)) return bits->dimension;
  return std::get<DenseStates>(states).dimension;
}

// The columns of a row that are 1, ascending.
void ones_of(const States& states, std::int64_t row, Columns32& ones) {
  ones.clear();
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    std::int32_t base = 0;
    for (std::uint64_t word : bits->row(row)) {
      for (; word != 0; word &= word - 1) ones.push_back(base + std::countr_zero(word));
      base += 64;
    }
  } else {
    const auto& dense = std::get<DenseStates>(states);
    dense.values.visit([&](const auto& values) {
      const auto* const x = values.data() + row * dense.dimension;
      for (std::int32_t j = 0; j < dense.dimension; ++j) {
        if (x[j] != 0) ones.push_back(j);
      }
    });
  }
}

// How often columns are 1 together: in one state (once for every pair the state belongs to), and in successive states.
struct PairCounts {
  std::int64_t dimension = 0;
  std::int64_t pairs = 0;
  std::vector<double> ones{};      // [column], over both states of all pairs
  std::vector<double> together{};  // [column][column], likewise
  std::vector<double> successive{};

  PairCounts& operator+=(const PairCounts& other) {
    pairs += other.pairs;
    for (std::size_t i = 0; i < ones.size(); ++i) ones[i] += other.ones[i];
    for (std::size_t i = 0; i < together.size(); ++i) together[i] += other.together[i];
    for (std::size_t i = 0; i < successive.size(); ++i) successive[i] += other.successive[i];
    return *this;
  }
};

class PairFold {
 public:
  using Statistic = PairCounts;

  explicit PairFold(const States& states) : states_(states), dimension_(dimension_of(states)) {}

  PairCounts identity() const {
    const auto d = static_cast<std::size_t>(dimension_);
    PairCounts counts{.dimension = dimension_};
    counts.ones.assign(d, 0.0);
    counts.together.assign(d * d, 0.0);
    counts.successive.assign(d * d, 0.0);
    return counts;
  }

  void add(PairCounts& total, const LoggedEpisode& episode) const {
    const std::int64_t last = episode.length() - 1;
    if (last < 1) return;
    total.pairs += last;
    const auto d = static_cast<std::size_t>(dimension_);
    Columns32 now, before;
    for (std::int64_t t = 0; t <= last; ++t) {
      ones_of(states_, episode.first_row + t, now);
      const double times = t == 0 || t == last ? 1.0 : 2.0;
      for (const std::int32_t a : now) {
        const auto row = static_cast<std::size_t>(a) * d;
        total.ones[a] += times;
        for (const std::int32_t b : now) total.together[row + static_cast<std::size_t>(b)] += times;
        for (const std::int32_t b : before) total.successive[row + static_cast<std::size_t>(b)] += 1.0;
      }
      std::swap(now, before);
    }
  }

 private:
  const States& states_;
  std::int64_t dimension_;
};

// Columns x features: x -> lambda^3 u' x.
Eigen::MatrixXd slow_directions(const PairCounts& counts, const SlowFeatureOptions& options) {
  const Eigen::Index d = counts.dimension;
  std::vector<Eigen::Index> varying;
  const double states = 2.0 * static_cast<double>(counts.pairs);
  for (Eigen::Index j = 0; j < d; ++j) {
    const double ones = counts.ones[j];
    if (ones > 0.0 && ones < states) varying.push_back(j);
  }
  const auto size = static_cast<Eigen::Index>(varying.size());
  if (size == 0) return {};
  Eigen::MatrixXd c0(size, size), c1(size, size);
  for (Eigen::Index a = 0; a < size; ++a) {
    for (Eigen::Index b = 0; b < size; ++b) {
      const Eigen::Index i = varying[a], j = varying[b];
      const double product = counts.ones[i] * counts.ones[j] / (states * states);
      c0(a, b) = counts.together[i * d + j] / states - product;
      c1(a, b) = (counts.successive[i * d + j] + counts.successive[j * d + i]) / states - product;
    }
  }
  c0.diagonal().array() += options.ridge * c0.trace() / static_cast<double>(size);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(c1, c0);
  const Eigen::Index features = std::min<Eigen::Index>(options.most, size);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(d, features);
  for (Eigen::Index j = 0; j < features; ++j) {
    const Eigen::Index from = size - 1 - j;  // eigenvalues ascend
    const double lambda = solver.eigenvalues()(from);
    for (Eigen::Index a = 0; a < size; ++a) {
      directions(varying[a], j) = lambda * lambda * lambda * solver.eigenvectors()(a, from);
    }
  }
  return directions;
}

}  // namespace

bool are_pixels(const Dataset& data, Threads threads) {
  if (const auto* bits = std::get_if<BinaryStates>(&data.states())) return bits->dimension >= fewest_pixels;
  const auto* dense = std::get_if<DenseStates>(&data.states());
  if (dense == nullptr || dense->dimension < fewest_pixels) return false;
  std::atomic<bool> all{true};
  const std::int64_t count = dense->values.size();
  parallel_for((count + rows_per_block - 1) / rows_per_block, threads, [&](std::int64_t b) {
    const RealColumn block = dense->values.slice(b * rows_per_block, std::min(count, (b + 1) * rows_per_block));
    const bool bits = !all || block.visit([](const auto& values) {
      return std::all_of(values.begin(), values.end(), [](auto x) { return x == 0 || x == 1; });
    });
    if (!bits) all = false;
  });
  return all;
}

namespace {

// Members of different seeds look at different numbers of features.
std::vector<std::int64_t> prefixes_of(std::int64_t dimension) {
  std::vector<std::int64_t> prefixes;
  for (const std::int64_t width : {8, 16, 32}) {
    if (width < dimension) prefixes.push_back(width);
  }
  prefixes.push_back(dimension);
  return prefixes;
}

}  // namespace

SlowColumns fit_slow_columns(const Problem& problem, const SlowFeatureOptions& options, Threads threads) {
  const PairCounts counts = fold(PairFold(problem.data().states()), problem, {.threads = threads});
  if (counts.pairs == 0) return {};
  // Row-major, so that a 1 adds one contiguous row.
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = slow_directions(counts, options);
  return {.features = rows.cols(), .of_column = {rows.data(), rows.data() + rows.size()}};
}

SlowIds fit_slow_ids(const Problem& problem, const SlowFeatureOptions& options, Threads threads) {
  SlowDirections directions = slow_directions_of_ids(problem, {.most = options.most, .ridge = options.ridge}, threads);
  if (directions.features == 0) return {};
  const auto& states = std::get<DiscreteStates>(problem.data().states());
  return {.features = directions.features,
          .ids = {states.ids.begin(), states.ids.end()},
          .of_id = std::move(directions.of_id)};
}

BagFeatures apply(const SlowColumns& slow, const Dataset& data, Threads threads) {
  BagFeatures features{.dimension = slow.features, .prefixes = prefixes_of(slow.features)};
  const auto width = static_cast<std::size_t>(slow.features);
  const std::int64_t points = data.state_rows();
  features.values.assign(static_cast<std::size_t>(points) * width, 0.0);
  parallel_for((points + rows_per_block - 1) / rows_per_block, threads, [&](std::int64_t b) {
    Columns32 ones;
    for (std::int64_t p = b * rows_per_block; p < std::min(points, (b + 1) * rows_per_block); ++p) {
      ones_of(data.states(), p, ones);
      double* const out = features.values.data() + static_cast<std::size_t>(p) * width;
      for (const std::int32_t column : ones) {
        const double* const row = slow.of_column.data() + static_cast<std::size_t>(column) * width;
        for (std::size_t j = 0; j < width; ++j) out[j] += row[j];
      }
    }
  });
  return features;
}

// Points are numbered in the order in which the logs show them, so that the names of ids do not matter to the last bit.
BagFeatures apply(const SlowIds& slow, const Dataset& data) {
  constexpr std::int32_t unmet = -1;
  const auto& states = std::get<DiscreteStates>(data.states());
  const auto width = static_cast<std::size_t>(slow.features);
  BagFeatures features{.dimension = slow.features, .prefixes = prefixes_of(slow.features)};
  std::vector<std::int32_t> point_of_code(states.ids.size(), unmet);
  std::int32_t points = 0, stranger = unmet;
  const auto add_point = [&](std::int64_t id) {
    const auto known = std::lower_bound(slow.ids.begin(), slow.ids.end(), id);
    if (known != slow.ids.end() && *known == id) {
      const auto from = slow.of_id.begin() + (known - slow.ids.begin()) * slow.features;
      features.values.insert(features.values.end(), from, from + slow.features);
      return points++;
    }
    if (stranger == unmet) {
      features.values.resize(features.values.size() + width, 0.0);
      stranger = points++;
    }
    return stranger;
  };
  features.point_of_row.reserve(states.code.size());
  for (const std::int32_t code : states.code) {
    std::int32_t& point = point_of_code[code];
    if (point == unmet) point = add_point(states.ids[code]);
    features.point_of_row.push_back(point);
  }
  return features;
}

}  // namespace starope
