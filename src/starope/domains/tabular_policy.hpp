#pragma once

#include <algorithm>
#include <span>

#include "starope/domains.hpp"

namespace starope::domains {

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

// pi^(1/tau), normalized: tau > 1 flattens, tau < 1 sharpens, and an action of probability 0 keeps it. tau <= 0 or not
// finite: InvalidArgument.
TabularPolicy with_temperature(const TabularPolicy& policy, double tau);

}  // namespace starope::domains
