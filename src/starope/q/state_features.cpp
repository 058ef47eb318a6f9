#include "starope/q/state_features.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/phi/kmeans.hpp"
#include "starope/phi/simple.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct ColumnScale {
  std::vector<double> center{}, scale{};
  double spread = 1.0;  // root of the total variance after scaling: the typical distance of two states
};

ColumnScale scale_of(const Problem& problem, std::size_t dimension) {
  std::vector<double> sum(dimension, 0.0), squares(dimension, 0.0), scratch;
  std::vector<bool> bits(dimension, true);
  const Dataset& data = problem.data();
  const auto n = static_cast<double>(data.steps());
  // Two passes: the mean first, so that a large offset costs no digits of the variance.
  for (std::int64_t row = 0; row < data.steps(); ++row) {
    const auto x = state_view(data, row, scratch).features;
    for (std::size_t k = 0; k < dimension; ++k) {
      sum[k] += x[k];
      bits[k] = bits[k] && (x[k] == 0.0 || x[k] == 1.0);
    }
  }
  ColumnScale result;
  for (const double s : sum) result.center.push_back(s / n);
  for (std::int64_t row = 0; row < data.steps(); ++row) {
    const auto x = state_view(data, row, scratch).features;
    for (std::size_t k = 0; k < dimension; ++k) squares[k] += (x[k] - result.center[k]) * (x[k] - result.center[k]);
  }
  double variance = 0.0;
  for (std::size_t k = 0; k < dimension; ++k) {
    const double sd = std::sqrt(squares[k] / n);
    result.scale.push_back(bits[k] || sd == 0.0 ? 1.0 : sd);
    if (bits[k]) result.center[k] = 0.0;
    variance += squares[k] / n / (result.scale[k] * result.scale[k]);
  }
  if (variance > 0.0) result.spread = std::sqrt(variance);
  return result;
}

template <class Use>
void for_each_one(std::span<const std::uint64_t> bits, const Use& use) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1)
      use(64 * w + static_cast<std::size_t>(std::countr_zero(rest)));
  }
}

// The spread of states that are bits, none of which is scaled: the variance of a bit that is 1 in a share p is p (1-p).
double spread_of_bits(const BinaryStates& states, std::int64_t steps) {
  std::vector<std::int64_t> ones(states.dimension, 0);
  for (std::int64_t row = 0; row < steps; ++row) for_each_one(states.row(row), [&](std::size_t k) { ++ones[k]; });
  double variance = 0.0;
  for (const std::int64_t count : ones) {
    const double share = static_cast<double>(count) / static_cast<double>(steps);
    variance += share * (1.0 - share);
  }
  return variance > 0.0 ? std::sqrt(variance) : 1.0;
}

// Random Fourier features of the Gaussian kernel whose width is the typical distance of two states
// (Rahimi & Recht 2007): cos(u'x + b), u normal with standard deviation 1 / width, b uniform.
class Waves {
 public:
  Waves() = default;
  Waves(std::size_t count, std::size_t dimension, double width, Seed seed)
      : direction_(count * dimension), phase_(count), angle_(count) {
    for (std::size_t j = 0; j < count; ++j) {
      Random random(seed, Stream::random_features, j);
      for (std::size_t k = 0; k < dimension; ++k) direction_[k * count + j] = random.normal() / width;
      phase_[j] = random.uniform(0.0, 2.0 * std::numbers::pi);
    }
  }

  std::size_t count() const { return phase_.size(); }
  void start() { angle_ = phase_; }
  void add(std::size_t k, double x) {  // feature k is x
    const auto size = static_cast<Eigen::Index>(count());
    Eigen::Map<Eigen::ArrayXd>(angle_.data(), size) +=
        x * Eigen::Map<const Eigen::ArrayXd>(direction_.data() + k * count(), size);
  }
  void write(float* out) const {
    for (std::size_t j = 0; j < angle_.size(); ++j)
      out[j] = static_cast<float>(std::numbers::sqrt2 * std::cos(angle_[j]));
  }

 private:
  std::vector<double> direction_;  // dimension x count: a feature that is 0 costs nothing
  std::vector<double> phase_, angle_;
};

// What a row consists of: a constant, the features themselves, waves; each may be absent.
struct RowLayout {
  bool constant = true, plain = true;
  std::size_t dimension = 0;
  Waves waves{};

  std::size_t width() const { return (constant ? 1 : 0) + (plain ? dimension : 0) + waves.count(); }
};

void write_numbers(const Dataset& data, const ColumnScale& scale, RowLayout layout, float* out) {
  std::vector<double> scratch;
  for (std::int64_t row = 0; row < data.state_rows(); ++row) {
    const auto state = state_view(data, row, scratch).features;
    if (layout.constant) *out++ = 1.0F;
    layout.waves.start();
    for (std::size_t k = 0; k < layout.dimension; ++k) {
      const double x = (state[k] - scale.center[k]) / scale.scale[k];
      if (layout.plain) *out++ = static_cast<float>(x);
      layout.waves.add(k, x);
    }
    layout.waves.write(out);
    out += layout.waves.count();
  }
}

// `out` holds zeros.
void write_bits(const BinaryStates& states, std::int64_t rows, RowLayout layout, float* out) {
  for (std::int64_t row = 0; row < rows; ++row) {
    if (layout.constant) *out++ = 1.0F;
    layout.waves.start();
    for_each_one(states.row(row), [&](std::size_t k) {
      if (layout.plain) out[k] = 1.0F;
      layout.waves.add(k, 1.0);
    });
    if (layout.plain) out += layout.dimension;
    layout.waves.write(out);
    out += layout.waves.count();
  }
}

StateFeatures numbers_of(const FeatureOptions& options, const QLogs& logs) {
  const Dataset& data = logs.problem().data();
  std::vector<double> scratch;
  const std::size_t dimension = state_view(data, 0, scratch).features.size();
  if (dimension == 0) {
    throw InvalidArgument(
        fmt::format("{}: the states are ids without features, so there is nothing to fit a line or a network to. Use "
                    "features=tabular",
                    logs.who()));
  }
  const auto* bits = std::get_if<BinaryStates>(&data.states());
  const ColumnScale scale = bits == nullptr ? scale_of(logs.problem(), dimension)
                                            : ColumnScale{.spread = spread_of_bits(*bits, data.steps())};
  // Beside waves, the features themselves help where they are few and cost much where they are many.
  RowLayout layout{.constant = options.kind != FeatureKind::raw,
                   .plain = options.kind != FeatureKind::rbf || dimension <= 32,
                   .dimension = dimension};
  if (options.kind == FeatureKind::rbf)
    layout.waves = Waves(static_cast<std::size_t>(options.waves), dimension, scale.spread, options.seed);

  StateFeatures features;
  features.width = static_cast<std::int64_t>(layout.width());
  features.values.resize(static_cast<std::size_t>(data.state_rows()) * layout.width());
  if (bits == nullptr) {
    write_numbers(data, scale, layout, features.values.data());
  } else {
    write_bits(*bits, data.state_rows(), layout, features.values.data());
  }
  features.description = "linear in the state";
  if (options.kind == FeatureKind::rbf) {
    features.description =
        fmt::format("linear in {}{} random Fourier features", layout.plain ? "the state and " : "", options.waves);
  }
  return features;
}

}  // namespace

void copy_rows(const StateFeatures& features, std::span<const std::int64_t> rows, double* out) {
  // Rows of one action lie far apart: without a hint every one of them waits for memory.
  constexpr std::size_t ahead = 8, floats_per_line = 16;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + ahead < rows.size()) {
      const auto soon = features.row(rows[i + ahead]);
      for (std::size_t k = 0; k < soon.size(); k += floats_per_line) __builtin_prefetch(soon.data() + k);
    }
    Eigen::Map<Eigen::VectorXd>(out, features.width) =
        Eigen::Map<const Eigen::VectorXf>(features.row(rows[i]).data(), features.width).cast<double>();
    out += features.width;
  }
}

StateFeatures cluster_features(FittedAbstraction clusters) {
  StateFeatures features;
  features.width = clusters.labels.cells;
  features.cell = std::move(clusters.labels.of_row);
  features.findings = std::move(clusters.findings);
  features.description =
      fmt::format("one value per k-means cluster and action, {}", counted(features.width, "cluster"));
  return features;
}

StateFeatures make_features(const FeatureOptions& options, const QLogs& logs, Threads threads) {
  StateFeatures features;
  if (options.kind == FeatureKind::tabular) {
    FittedAbstraction fitted = fit_identity(logs.problem());
    features.width = fitted.labels.cells;
    features.cell = std::move(fitted.labels.of_row);
    features.findings = std::move(fitted.findings);
    features.description = fmt::format("one value per state and action, {}", counted(features.width, "state"));
    return features;
  }
  if (options.kind == FeatureKind::clusters) {
    KMeansFit fit =
        fit_kmeans(logs.problem(), {.clusters = options.clusters, .seed = options.seed, .inertia = false}, threads);
    return cluster_features({.labels = std::move(fit.labels), .findings = std::move(fit.findings)});
  }
  return numbers_of(options, logs);
}

}  // namespace starope
