#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/domains/rollout.hpp"
#include "starope/domains/tabular_policy.hpp"

namespace starope::envs {

// One thing that can follow an action. A row may list a next state twice, with different rewards.
struct Outcome {
  std::int32_t next = 0;
  double probability = 0.0;
  double reward = 0.0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// A finite Markov decision process in plain tables. Many pairs (state, action) may share one row of outcomes.
struct MdpDescription {
  std::int32_t states = 0;
  std::int32_t actions = 0;
  std::vector<std::vector<Outcome>> rows{};
  std::vector<std::int32_t> row_of{};  // states x actions; not looked at in terminal states
  std::vector<bool> terminal{};        // one per state: entering it ends the episode
  std::vector<double> start{};         // one per state; 0 in terminal states
  std::vector<std::int32_t> symbol{};  // what is seen of each state; empty: the state itself. Not looked at in terminal
                                       // states, which nobody sees
  double reward_noise = 0.0;           // standard deviation of normal noise added to every reward

  // Every pair has a row of its own, (state, action) is row state * actions + action, and no state is terminal.
  static MdpDescription with_own_rows(std::int32_t states, std::int32_t actions);
  std::vector<Outcome>& outcomes(std::int32_t state, std::int32_t action);  // the row of this pair
};

// The same, checked and laid out for fast sampling. It is a SymbolDomain.
class TabularMdp {
 public:
  using State = std::int32_t;

  // Throws InvalidArgument at the first entry that breaks a rule.
  explicit TabularMdp(const MdpDescription& description);

  std::int32_t states() const noexcept { return states_; }
  std::int32_t actions() const noexcept { return actions_; }
  std::int32_t symbols() const noexcept { return symbols_; }  // that live states can show: 0 .. symbols()-1
  std::int32_t symbol(State state) const { return symbol_[static_cast<std::size_t>(state)]; }
  bool is_terminal(State state) const { return terminal_[static_cast<std::size_t>(state)] != 0; }
  std::span<const double> start() const noexcept { return start_; }
  double reward_noise() const noexcept { return reward_noise_; }

  struct Row {
    std::span<const std::int32_t> next;
    std::span<const double> probability;
    std::span<const double> reward;
    std::span<const double> cumulative;  // of the probabilities; the last is exactly 1
  };
  Row row(State state, std::int32_t action) const;  // state must not be terminal
  std::int64_t distinct_rows() const noexcept { return static_cast<std::int64_t>(offsets_.size()) - 1; }

  // Inverse cumulative distributions: the smallest index whose cumulative probability exceeds u in [0, 1).
  State start_at(double u) const;
  Outcome outcome_at(State state, std::int32_t action, double u) const;

  State reset(Random& random) const { return start_at(random.uniform()); }
  Transition step(State& state, std::int32_t action, Random& random) const;

 private:
  struct Extent {
    std::size_t first, count;
  };
  Extent extent(State state, std::int32_t action) const;  // of the row, in the columns below
  void lay_out_rows(const MdpDescription& description);
  void lay_out_symbols(const MdpDescription& description);

  std::int32_t states_, actions_;
  std::int32_t symbols_ = 0;
  std::vector<std::int32_t> row_of_;
  std::vector<std::size_t> offsets_;  // row r has the entries offsets_[r] .. offsets_[r+1]
  std::vector<std::int32_t> next_;
  std::vector<double> probability_, reward_, cumulative_;
  std::vector<std::uint8_t> terminal_;
  std::vector<double> start_, start_cumulative_;
  std::vector<std::int32_t> guide_, start_guide_;  // where to begin to search the cumulative probabilities
  std::vector<std::int32_t> symbol_;
  double reward_noise_;
};

// Throws InvalidArgument unless the policy has a row for every symbol of the process and the same actions.
void check_policy_fits(const TabularMdp& mdp, const TabularPolicy& policy);

}  // namespace starope::envs
