#include "starope/qfunction/state_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "starope/abstraction/kmeans.hpp"
#include "starope/abstraction/simple.hpp"
#include "starope/base/error.hpp"
#include "starope/base/text.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct ColumnScale {
  std::vector<double> centre, scale;
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
  for (const double s : sum) result.centre.push_back(s / n);
  for (std::int64_t row = 0; row < data.steps(); ++row) {
    const auto x = state_view(data, row, scratch).features;
    for (std::size_t k = 0; k < dimension; ++k) squares[k] += (x[k] - result.centre[k]) * (x[k] - result.centre[k]);
  }
  double variance = 0.0;
  for (std::size_t k = 0; k < dimension; ++k) {
    const double sd = std::sqrt(squares[k] / n);
    result.scale.push_back(bits[k] || sd == 0.0 ? 1.0 : sd);
    if (bits[k]) result.centre[k] = 0.0;
    variance += squares[k] / n / (result.scale[k] * result.scale[k]);
  }
  if (variance > 0.0) result.spread = std::sqrt(variance);
  return result;
}

struct Waves {
  std::size_t count = 0;
  std::vector<double> direction{};  // count x dimension
  std::vector<double> phase{};
};

// Random Fourier features of the Gaussian kernel whose width is the typical distance of two states
// (Rahimi & Recht 2007): cos(u'x + b), u normal with standard deviation 1 / width, b uniform.
Waves make_waves(std::size_t count, std::size_t dimension, double width, Seed seed) {
  Waves waves{.count = count};
  for (std::size_t j = 0; j < count; ++j) {
    Random random(seed, Stream::random_features, j);
    for (std::size_t k = 0; k < dimension; ++k) waves.direction.push_back(random.normal() / width);
    waves.phase.push_back(random.uniform(0.0, 2.0 * std::numbers::pi));
  }
  return waves;
}

void add_waves(const Waves& waves, std::span<const double> x, float* out) {
  for (std::size_t j = 0; j < waves.count; ++j) {
    double angle = waves.phase[j];
    const double* direction = waves.direction.data() + j * x.size();
    for (std::size_t k = 0; k < x.size(); ++k) angle += direction[k] * x[k];
    out[j] = static_cast<float>(std::numbers::sqrt2 * std::cos(angle));
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
  const ColumnScale scale = scale_of(logs.problem(), dimension);
  const bool constant = options.kind != FeatureKind::raw;
  // Beside waves, the features themselves help where they are few and cost much where they are many.
  const bool plain = options.kind != FeatureKind::rbf || dimension <= 32;
  const Waves waves = options.kind == FeatureKind::rbf
                          ? make_waves(static_cast<std::size_t>(options.waves), dimension, scale.spread, options.seed)
                          : Waves{};
  StateFeatures features;
  const std::size_t width = (constant ? 1 : 0) + (plain ? dimension : 0) + waves.count;
  features.width = static_cast<std::int64_t>(width);
  features.values.resize(static_cast<std::size_t>(data.state_rows()) * width);
  std::vector<double> x(dimension);
  for (std::int64_t row = 0; row < data.state_rows(); ++row) {
    const auto state = state_view(data, row, scratch).features;
    float* out = features.values.data() + static_cast<std::size_t>(row) * width;
    if (constant) *out++ = 1.0F;
    for (std::size_t k = 0; k < dimension; ++k) {
      x[k] = (state[k] - scale.centre[k]) / scale.scale[k];
      if (plain) *out++ = static_cast<float>(x[k]);
    }
    add_waves(waves, x, out);
  }
  features.description = "linear in the state";
  if (options.kind == FeatureKind::rbf) {
    features.description =
        fmt::format("linear in {}{} random Fourier features", plain ? "the state and " : "", waves.count);
  }
  return features;
}

}  // namespace

StateFeatures make_features(const FeatureOptions& options, const QLogs& logs, Threads threads) {
  StateFeatures features;
  if (options.kind == FeatureKind::tabular) {
    FittedAbstraction fitted = label_identity(logs.problem());
    features.width = fitted.labels.cells;
    features.cell = std::move(fitted.labels.of_row);
    features.findings = std::move(fitted.findings);
    features.description = fmt::format("one value per state and action, {}", counted(features.width, "state"));
    return features;
  }
  if (options.kind == FeatureKind::clusters) {
    KMeansFit fit = fit_kmeans(logs.problem(), {.clusters = options.clusters, .seed = options.seed}, threads);
    features.width = fit.labels.cells;
    features.cell = std::move(fit.labels.of_row);
    features.findings = std::move(fit.findings);
    features.description =
        fmt::format("one value per k-means cluster and action, {}", counted(features.width, "cluster"));
    return features;
  }
  return numbers_of(options, logs);
}

}  // namespace starope
