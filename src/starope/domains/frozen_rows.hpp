#pragma once

#include <cstdint>

#include "starope/domains.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"
#include "starope/types.hpp"

namespace starope::domains {

// A faulty simulator of an MDP: it shows each new state, but draws every transition of an episode from the rows of the
// state in which the episode started. The published ICU-Sepsis experiments were run with one; this reproduces it. It is
// a SymbolDomain.
class FrozenRows {
 public:
  struct State {
    TabularMdp::State start = 0;  // whose rows are used
    TabularMdp::State seen = 0;
  };

  explicit FrozenRows(const TabularMdp& mdp) : mdp_(&mdp) {}  // which must outlive this

  std::int32_t actions() const noexcept { return mdp_->actions(); }
  std::int32_t symbols() const noexcept { return mdp_->symbols(); }
  std::int32_t symbol(const State& state) const { return mdp_->symbol(state.seen); }
  State reset(Random& random) const;
  Transition step(State& state, std::int32_t action, Random& random) const;

  const TabularMdp& mdp() const noexcept { return *mdp_; }

 private:
  const TabularMdp* mdp_;
};

// The value of a policy in this process, up to the horizon.
double exact_value(const FrozenRows& world, const TabularPolicy& policy, Discount discount, Horizon horizon);

}  // namespace starope::domains
