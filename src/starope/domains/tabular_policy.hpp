#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/base/types.hpp"

namespace starope::envs {

// pi(action | observed symbol) as a table. In a fully observed world the symbols are the states.
class TabularPolicy {
 public:
  // symbols x actions, row by row. Every row must be a distribution, else InvalidArgument.
  TabularPolicy(std::int32_t symbols, std::int32_t actions, std::vector<double> probabilities);

  static TabularPolicy uniform(std::int32_t symbols, std::int32_t actions);
  static TabularPolicy same_everywhere(std::int32_t symbols, std::span<const double> probabilities);
  static TabularPolicy softmax(std::int32_t symbols, std::int32_t actions, std::span<const double> preferences);

  std::int32_t symbols() const noexcept { return symbols_; }
  std::int32_t actions() const noexcept { return actions_; }
  std::span<const double> row(std::int32_t symbol) const {
    const auto width = static_cast<std::size_t>(actions_);
    return std::span<const double>(probabilities_).subspan(static_cast<std::size_t>(symbol) * width, width);
  }
  double probability(std::int32_t symbol, std::int32_t action) const {
    return row(symbol)[static_cast<std::size_t>(action)];
  }

 private:
  std::int32_t symbols_;
  std::int32_t actions_;
  std::vector<double> probabilities_;
};

// A table as the policy of a world that shows symbols. World and table must outlive it.
template <class D>
class ReadsTable {
 public:
  ReadsTable(const D& domain, const TabularPolicy& policy) : domain_(&domain), policy_(&policy) {}
  void operator()(const typename D::State& state, std::span<double> probabilities) const {
    const auto row = policy_->row(domain_->symbol(state));
    std::copy(row.begin(), row.end(), probabilities.begin());
  }

 private:
  const D* domain_;
  const TabularPolicy* policy_;
};

// pi^(1/tau), normalised: tau > 1 flattens, tau < 1 sharpens, and an action of probability 0 keeps it. tau <= 0 or not
// finite: InvalidArgument.
TabularPolicy with_temperature(const TabularPolicy& policy, double tau);

}  // namespace starope::envs
