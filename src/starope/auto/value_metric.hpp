#pragma once

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// What of the features the value of a state depends on (docs/auto-math.md 4.6): the directions in which value functions
// change, and by how much. Two value functions are fitted to two halves of the episodes, and their gradients
// multiplied, so that columns that are only noise come out near zero and not near their noise. Repeated a few times,
// each in the metric that the last one found.
enum class MetricKind {
  full,            // rotations from the start
  diagonal_first,  // two rounds that only stretch columns, then one that may rotate
};

struct ValueMetric {
  Eigen::MatrixXd transform{};       // features -> features in which distances are what values see of them
  std::vector<double> importance{};  // of the directions, the largest is 1
};

ValueMetric fit_metric(const BagFeatures& features, const Problem& problem, MetricKind kind, Seed seed);

// How many independent columns the features amount to: (sum of the eigenvalues of their covariance)^2 / sum of their
// squares. A column that repeats another adds nothing.
double effective_dimension(const BagFeatures& features, const Problem& problem);

BagFeatures transformed(const BagFeatures& features, const Eigen::MatrixXd& transform);

}  // namespace starope
