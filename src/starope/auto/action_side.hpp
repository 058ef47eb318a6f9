#pragma once

#include <cstdint>
#include <vector>

#include "starope/auto/action_basis.hpp"
#include "starope/problem.hpp"

namespace starope {

// Numbers that belong to the steps of an episode by their states and actions, and to states by the mean over what the
// target policy would do there: what Q and V say in a basis of functions of the step. Rows must outlive it.
class ActionSide {
 public:
  // Per draw: coefficients x width, padded to whole vectors. `averaged`: the mean over the draws as the only variant.
  ActionSide(const ActionRows& rows, std::vector<RowMatrix> of_function, bool averaged);

  std::size_t variants() const noexcept { return averaged_ ? 1 : of_function_.size(); }

  // [variant]: a row per step of the episode. `state`: the mean over actions; `taken`: of the logged action.
  struct Numbers {
    std::vector<RowMatrix> state{}, taken{};
  };
  void evaluate(const LoggedEpisode& episode, ActionLook& look, Numbers& out) const;

 private:
  const ActionRows* rows_;
  std::vector<RowMatrix> of_function_;
  bool averaged_;
};

}  // namespace starope
