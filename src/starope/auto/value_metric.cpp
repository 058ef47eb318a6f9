#include "starope/auto/value_metric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "starope/auto/wave_basis.hpp"
#include "starope/auto/wave_model.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_steps = 40'000;  // looked at
constexpr std::int64_t gradients = 3000;     // taken
constexpr double least_stretch = 0.05;
constexpr double greatest_ratio = 20.0;

// The gradient of V(s) = phi(s)' beta with respect to the features the waves see.
Eigen::VectorXd gradient(const WaveBasis& basis, const double* x, const Eigen::VectorXd& beta) {
  const auto d = static_cast<std::size_t>(basis.features()), count = static_cast<std::size_t>(basis.waves());
  const double scale = std::sqrt(static_cast<double>(d)) / basis.width;
  std::vector<double> phase = basis.phases;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < count; ++j) phase[j] += basis.directions[i * count + j] * (x[i] - basis.center[i]);
  }
  for (std::size_t j = 0; j < count; ++j) {
    phase[j] = -std::numbers::sqrt2 * std::sin(phase[j]) * beta[static_cast<Eigen::Index>(1 + d + j)];
  }
  Eigen::VectorXd result(basis.features());
  for (std::size_t i = 0; i < d; ++i) {
    double sum = scale * beta[static_cast<Eigen::Index>(1 + i)];
    for (std::size_t j = 0; j < count; ++j) sum += phase[j] * basis.directions[i * count + j];
    result[static_cast<Eigen::Index>(i)] = sum;
  }
  return result;
}

struct Halves {
  std::array<std::vector<std::int64_t>, 2> episodes{};
  std::int64_t steps = 0;
};

Halves even_and_odd(const Problem& problem) {
  const std::int64_t most =
      std::min(problem.episodes(), std::max<std::int64_t>(2, most_steps * problem.episodes() / problem.steps()));
  Halves halves;
  for (std::int64_t i = 0; i < most; ++i) {
    halves.episodes[i % 2].push_back(i);
    halves.steps += problem.episode(i).length();
  }
  return halves;
}

// The mean outer product of the two halves' gradients at the logged states.
Eigen::MatrixXd gradient_products(const BagFeatures& features, const Problem& problem, const Halves& halves,
                                  Seed seed) {
  const WaveRows waves(draw_waves(features, problem,
                                  {.draws = 1, .waves = 128, .seed = seed, .which = 9, .frequencies = {2.0, 1.0, 0.5}}),
                       features, Threads{1});
  std::array<WaveModel, 2> models;
  for (std::size_t h = 0; h < 2; ++h) {
    models[h] = solve(wave_sums(waves, 0, problem, halves.episodes[h], greatest_ratio),
                      {.gamma = problem.discount().gamma(), .horizon = problem.horizon()->steps(), .occupancy = false});
  }
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(features.dimension, features.dimension);
  const std::int64_t every = std::max<std::int64_t>(1, halves.steps / gradients);
  std::int64_t step = 0;
  for (std::size_t h = 0; h < 2; ++h) {
    for (const std::int64_t i : halves.episodes[h]) {
      const LoggedEpisode episode = problem.episode(i);
      for (std::int64_t t = 0; t < episode.length(); ++t, ++step) {
        if (step % every != 0) continue;
        const double* const x = features.values.data() + (episode.first_row + t) * features.dimension;
        sum += gradient(waves.basis(0), x, models[0].values.col(t)) *
               gradient(waves.basis(0), x, models[1].values.col(t)).transpose();
      }
    }
  }
  return 0.5 * (sum + sum.transpose());
}

}  // namespace

double effective_dimension(const BagFeatures& features, const Problem& problem) {
  const Eigen::Index d = features.dimension;
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(d, d);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(d);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    const Eigen::Map<const RowMatrix> x(features.values.data() + episode.first_row * d, episode.length(), d);
    products.noalias() += x.transpose() * x;
    sum += x.colwise().sum().transpose();
  }
  const auto steps = static_cast<double>(problem.steps());
  const Eigen::MatrixXd covariance = products / steps - (sum / steps) * (sum / steps).transpose();
  const double squares = covariance.squaredNorm();
  return squares > 0.0 ? covariance.trace() * covariance.trace() / squares : 1.0;
}

BagFeatures transformed(const BagFeatures& features, const Eigen::MatrixXd& transform) {
  BagFeatures result{.dimension = transform.rows()};
  const std::size_t d = static_cast<std::size_t>(features.dimension), points = features.values.size() / d;
  result.values.assign(points * static_cast<std::size_t>(transform.rows()), 0.0);
  const auto width = static_cast<std::size_t>(transform.rows());
  // Of one state the same bits, whichever others are there. (The columns of a matrix of Eigen are the rows of its
  // transpose.)
  add_product({.rows = points,
               .columns = width,
               .depth = d,
               .left = {features.values.data(), d},
               .right = transform.data(),
               .right_stride = width,
               .out = result.values.data(),
               .out_stride = width});
  result.point_of_row = features.point_of_row;
  return result;
}

ValueMetric fit_metric(const BagFeatures& features, const Problem& problem, MetricKind kind, Seed seed) {
  const Eigen::Index d = features.dimension;
  const Halves halves = even_and_odd(problem);
  const int rounds = kind == MetricKind::full ? 2 : 3;
  Eigen::MatrixXd transform = Eigen::MatrixXd::Identity(d, d);
  ValueMetric metric{.transform = transform, .importance = std::vector<double>(d, 1.0)};
  for (int round = 0; round < rounds; ++round) {
    const Eigen::MatrixXd seen = gradient_products(transformed(features, transform), problem, halves, seed);
    // With y = M x, the gradient with respect to x is M' times that with respect to y.
    const Eigen::MatrixXd products = transform.transpose() * seen * transform;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(products);
    const double largest = eigen.eigenvalues().maxCoeff();
    if (!(largest > 0.0)) return metric;  // values that do not change: nothing is known to be unimportant
    const Eigen::VectorXd strength = (eigen.eigenvalues().cwiseMax(0.0) / largest).cwiseSqrt();
    const bool stretch_only = kind == MetricKind::diagonal_first && round + 1 < rounds;
    if (stretch_only) {
      const double most = products.diagonal().maxCoeff();
      if (!(most > 0.0)) return metric;
      transform = (products.diagonal().cwiseMax(0.0) / most).cwiseSqrt().cwiseMax(least_stretch).asDiagonal();
    } else {
      // Less sharply than the result: what seems unimportant in this round may be important after all.
      transform = strength.cwiseMax(0.1).cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose();
    }
    metric.transform = strength.cwiseMax(least_stretch).asDiagonal() * eigen.eigenvectors().transpose();
    metric.importance.assign(strength.data(), strength.data() + d);
  }
  return metric;
}

}  // namespace starope
