#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "starope/auto/anchor.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// A window of several ratios, as its occupancies tell it (windowed_scores.hpp).
struct CrossWindow {
  std::int64_t length = 1;
  StateSide mass;
};

// Everything that is asked of the waves of the episodes, in one pass: evaluating waves is dear, so every episode is
// looked at once for all who ask.
struct WaveQuestions {
  // Of waves, then of cells, and, where they are known, of actions; with occupancies of cells.
  const CrossSides& values;
  std::vector<const CrossSides*> by_waves{};  // of cells, with occupancies of waves
  // Of the two halves of every split, each with models of its own: values of waves, of the first draw alone, and those
  // of cells, and of actions.
  const std::vector<std::array<CrossSides, 2>>& halves;
  std::vector<std::vector<std::uint8_t>> side_of{};  // [split][episode]: which half it is in
  std::vector<CrossWindow> windows{};                // of `values`
};

struct WaveAnswers {
  CrossScores waves{};                              // [draw][episode]
  CrossScores actions{};                            // the same; empty: not known
  std::vector<AnchorEpisode> anchor{};              // [episode], the mean over the draws; of actions, or else of waves
  std::vector<std::vector<double>> by_waves{};      // [question][episode], the mean over the draws
  std::vector<std::array<double, 2>> halves{};      // [split]: mean score of the waves on either half
  std::vector<std::array<double, 2>> cells{};       // [split]: and of the cells, members paired with themselves as well
  std::vector<std::array<double, 2>> of_actions{};  // [split]: and of the actions, where they are known
  std::vector<std::array<double, 2>> anchors{};     // [split]: the anchor of either half
  double anchor_of_first = 0.0;                     // the anchor of all, with the values of the first draw alone
  // [window][episode]: scores with these windows, the mean over the draws; of cells, members paired with themselves too
  std::vector<std::vector<double>> waves_by_window{}, cells_by_window{}, actions_by_window{};
};

WaveAnswers answer(const WaveQuestions& questions, const Problem& problem, Threads threads = Threads::all());

}  // namespace starope
