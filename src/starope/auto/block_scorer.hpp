#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "starope/auto/anchor.hpp"
#include "starope/auto/auto_model.hpp"
#include "starope/auto/bag.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/problem.hpp"

namespace starope {

// A block of episodes as one bag of cells sees it.
class CellsOfBlock {
 public:
  CellsOfBlock(const CellModel& model, const BagFeatures& states, const Dataset& data);

  const Bag& bag() const noexcept { return bag_; }

 private:
  Bag bag_;
};

// The episodes of a block, scored by cells, waves and both together. Models, block and states must outlive it.
class BlockScorer {
 public:
  BlockScorer(const FamilyModels& models, const Problem& block, const BagFeatures& states);

  // [waves, cells, actions where they are known]
  const std::vector<double>& score(const LoggedEpisode& episode);
  // What the anchor needs of the episode that was scored last.
  AnchorEpisode anchor(const LoggedEpisode& episode) const;
  // The same without scoring it.
  AnchorEpisode look(const LoggedEpisode& episode);

 private:
  AnchorEpisode of_actions(const ActionSide::Numbers& numbers, const LoggedEpisode& episode) const;

  const Problem& block_;
  CellsOfBlock cells_;
  BagFeatures features_;
  WaveRows waves_;
  std::optional<ActionRows> actions_;
  CrossSides sides_;
  CrossScorer scorer_;
  SmoothLook look_{};
  std::vector<double> scores_{}, start_{};
  ActionSide::Numbers numbers_{};
  std::vector<std::int64_t> rows_{};
  std::vector<RowMatrix> values_{};
};

// By cells alone.
std::vector<double> scores_of_cells(const CellModel& model, const Problem& block, const BagFeatures& states);

// Every episode of the block as cells with windows see it: its first steps, which cumulative weights score, and the
// scorer of what comes later, which has looked at it.
using WindowVisit = std::function<void(std::int64_t, const AnchorEpisode& opening, const WindowScorer& scorer)>;
void for_windows(const CellModel& model, const Problem& block, const BagFeatures& states, const WindowVisit& visit);

}  // namespace starope
