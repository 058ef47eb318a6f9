#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/stats/sliding_product.hpp"

namespace starope {

// How a step is weighted: g^t times the product of the last ratios (all of them without clip).
struct WeightRule {
  Clip clip = Clip::last(1);
  double gamma = 1.0;
  bool moderate = false;  // no product can leave the range of double: plain arithmetic will do
};

// gamma: the discount inside the counts; 1 where it is not wanted there.
WeightRule make_weight_rule(const Problem& problem, Clip clip, double gamma);

// The weights of one episode in order of time, a few at a time, in a unit of 2^(256 u) that fits the largest of them.
class EpisodeWeights {
 public:
  EpisodeWeights(const WeightRule& rule, std::span<const double> ratios);

  // Writes the next out.size() weights in units of 2^(256 u) and returns u: the smallest that is at least `unit` and
  // keeps every weight in range. All-zero weights need no unit and return `unit` itself.
  std::optional<int> next(std::span<double> out, std::optional<int> unit);

 private:
  void fill_moderate(std::span<double> out);
  std::optional<int> fill_scaled(std::span<double> out, std::optional<int> unit);

  WeightRule rule_;
  std::span<const double> ratios_;
  std::size_t t_ = 0;
  double product_ = 1.0;   // moderate, no clip: the running product
  double discount_ = 1.0;  // gamma^t_
  std::optional<SlidingProduct> sliding_;
};

}  // namespace starope
