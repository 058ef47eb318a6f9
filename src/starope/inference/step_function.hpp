#pragma once

#include <span>
#include <vector>

#include "starope/risk.hpp"

namespace starope {

// A distribution on ascending points: the probability of each, all of them sum to one.
struct StepFunction {
  std::vector<double> points{};
  std::vector<double> mass{};

  std::vector<double> cdf() const;
  double mean() const;
  double quantile(double p) const;       // the smallest point with at least so much probability up to it
  double tail_mean(double share) const;  // of the smallest points that make up this share; a part of the last one
  double below(double x) const;          // the probability of less than x
};

// Of values with weights that need not sum to one; equal values are one point. Some weight must be positive.
StepFunction weighted_distribution(std::span<const double> values, std::span<const double> weights);

// The nearest distribution to something that should be one (least squares): never decreasing, between 0 and 1, and 1 at
// the end.
std::vector<double> monotone(std::vector<double> cdf);

// All numbers that are asked about, in order: quantiles, tail means, probabilities below.
std::vector<double> risk_numbers(const StepFunction& distribution, const RiskQuestion& question);

}  // namespace starope
