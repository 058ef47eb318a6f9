#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "starope/estimators/estimate.hpp"
#include "starope/types.hpp"

namespace starope {

// Several estimates from the same episodes, and how they vary together: the covariance of their influence values over
// n, and on the diagonal what each knows of errors besides sampling.
struct JointEstimates {
  std::vector<double> values{};
  std::vector<double> covariance{};              // size() x size()
  std::vector<std::vector<double>> influence{};  // of each: one value per episode

  std::size_t size() const noexcept { return values.size(); }
  double variance(std::size_t i) const { return covariance[i * size() + i]; }
};

// All of them need a standard error, and influence values of the same episodes.
JointEstimates join_estimates(std::span<const Estimate> estimates);

struct SimultaneousOptions {
  Seed seed{};
  int draws = 20000;
};

// The level of single intervals for which all of them hold at once with the level that is asked for: max-t. Gaussian
// multipliers make the vector of studentized sums of influence values exactly normal, with their correlations; so the
// multiplier bootstrap is drawn from there, at a cost that does not grow with the episodes. `covariance` is of the
// estimates or contrasts, count x count; those without variance do not count.
double single_level(std::span<const double> covariance, std::size_t count, Level level,
                    const SimultaneousOptions& options = {});

// For each estimate the share of draws around the estimates in which it is the largest; draws are of a t distribution
// with these degrees of freedom.
std::vector<double> probability_of_best(const JointEstimates& joint, double freedom,
                                        const SimultaneousOptions& options = {});

// All differences i - j with i < j, in order, and the covariance between them.
struct PairedContrasts {
  struct Pair {
    std::size_t first = 0;
    std::size_t second = 0;
  };
  std::vector<Pair> pairs{};
  std::vector<double> covariance{};
};
PairedContrasts all_pairs(const JointEstimates& joint);

}  // namespace starope
