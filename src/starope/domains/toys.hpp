#pragma once

#include <cstdint>
#include <optional>

#include "starope/domains/seen_by_features.hpp"
#include "starope/domains/tabular_mdp.hpp"
#include "starope/domains/tabular_policy.hpp"

// Small worlds of the literature whose values are known exactly.
namespace starope::domains {

// ---- ModelWin and ModelFail (Thomas & Brunskill 2016) --------------------------------------------------------------

// Three states, seen as they are: models do well here. From s1, action 0 leads to s2 (reward +1) with 0.4 and to s3
// (-1) with 0.6, action 1 the other way round; both return to s1. It never ends: horizon 20.
TabularMdp model_win();
TabularPolicy model_win_policy(double first);  // P(action 0) in s1; uniform elsewhere

// One hidden choice: action 0 in the start state leads to +1, action 1 to -1. All states look alike: models fail here.
TabularMdp model_fail();
TabularPolicy model_fail_policy(double first);  // P(action 0)

// ---- 4 x 4 grid (Thomas 2015; Thomas & Brunskill 2016) -------------------------------------------------------------

// State x + 4 y, from (0, 0) to (3, 3); actions x+1, x-1, y+1, y-1. Every cell costs 1, except (1, 1) which costs 10,
// (1, 3) which gives 1, and the goal. Horizon 100.
TabularMdp small_grid(double goal_reward = 10.0);
TabularPolicy small_grid_policy(double low, double mid, double high);  // down the first column, then wait on the +1
TabularPolicy small_grid_sharp5();                                     // preferences -10, 5, 10
TabularPolicy small_grid_sharp10();                                    // preferences -20, 10, 20

// ---- Worlds of Voloshin et al. 2019 --------------------------------------------------------------------------------

struct ToyGraphOptions {
  std::int32_t layers = 4;  // an episode has exactly so many steps
  double slip = 0.25;       // chance that the other state is reached
  bool sparse = false;      // rewards at the end only
  bool noise = false;       // add standard normal noise to every reward
  // What is seen: the states, or groups of neighboring states, so that with the end there are this many symbols.
  std::optional<std::int32_t> symbols{};
};
// Layers of a good (+1) and a bad (-1) state; action 0 aims at the good state of the next layer, action 1 at the bad.
TabularMdp toy_graph(const ToyGraphOptions& options = {});

// Positions -10 .. 10; action 0 goes left (not beyond -10), action 1 right; -1 a step until 10 is passed. Horizon 250.
TabularMdp toy_mountain_car(bool random_start = false);

// 8 x 8 cells with holes and fields; actions left, right, up, down; with chance `slip` a uniform action is taken
// instead. Starts on the first row or column, ends at the opposite corner. Horizon 25.
TabularMdp large_grid(double slip = 0.2);
TabularPolicy large_grid_policy(double epsilon);  // greedy for a known plan, but uniform with chance epsilon
SymbolFeatures large_grid_pixels();               // each state as an image with a single 1

// ---- Single path (Hanna, Niekum & Stone 2019) ----------------------------------------------------------------------

// A chain; action 0 earns 1 and advances, action 1 earns nothing and advances with chance 1/2. Horizon: its length.
TabularMdp single_path(std::int32_t length);

// P(action 0) = first in every state of a world with two actions.
TabularPolicy first_action_policy(const TabularMdp& mdp, double first);

}  // namespace starope::domains
