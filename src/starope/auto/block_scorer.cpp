#include "starope/auto/block_scorer.hpp"

#include <array>
#include <span>
#include <utility>

namespace starope {
namespace {

Bag rules_of(const CellModel& model) {
  return {.ladder = model.ladder, .seeds = model.rules.size() / model.ladder.size(), .rules = model.rules};
}

std::optional<ActionRows> action_rows(const FamilyModels& models, const BagFeatures& features, const Problem& block) {
  if (models.actions.empty()) return std::nullopt;
  return ActionRows(models.actions, features, block);
}

AnchorEpisode first_steps(AnchorEpisode episode, std::size_t steps) {
  if (episode.weight.size() > steps) {
    episode.weight.resize(steps);
    episode.residual.resize(steps);
  }
  return episode;
}

}  // namespace

CellsOfBlock::CellsOfBlock(const CellModel& model, const BagFeatures& states, const Dataset& data)
    : bag_(label(rules_of(model), model.views, states, data, Threads{1})) {}

BlockScorer::BlockScorer(const FamilyModels& models, const Problem& block, const BagFeatures& states)
    : block_(block),
      cells_(models.cells, states, block.data()),
      features_(models.wave_view.apply(states, block.data())),
      waves_(models.waves, features_, Threads{1}),
      actions_(action_rows(models, features_, block)),
      sides_(make_sides(models.cells.tables, cells_.bag(), {&waves_, actions_ ? &*actions_ : nullptr}, Draws::mean)),
      scorer_(sides_, block.discount().gamma()) {}

const std::vector<double>& BlockScorer::score(const LoggedEpisode& episode) {
  scores_.resize(scorer_.variants());
  start_.resize(scorer_.variants());
  scorer_.score(episode, look_, scores_, start_);
  return scores_;
}

AnchorEpisode BlockScorer::anchor(const LoggedEpisode& episode) const {
  if (sides_.actions) return of_actions(scorer_.action_values(), episode);
  return anchor_episode(sides_.basis, std::span(scorer_.values()).first(1), episode, block_.discount().gamma(),
                        block_.horizon()->steps());
}

AnchorEpisode BlockScorer::look(const LoggedEpisode& episode) {
  if (sides_.actions) {
    sides_.actions->evaluate(episode, look_.actions, numbers_);
    return of_actions(numbers_, episode);
  }
  rows_of_episode(episode, rows_);
  sides_.values.front().evaluate(rows_, look_.waves, values_);
  return anchor_episode(sides_.basis, values_, episode, block_.discount().gamma(), block_.horizon()->steps());
}

AnchorEpisode BlockScorer::of_actions(const ActionSide::Numbers& numbers, const LoggedEpisode& episode) const {
  return anchor_episode(sides_.basis, numbers, episode, block_.discount().gamma(), block_.horizon()->steps());
}

std::vector<double> scores_of_cells(const CellModel& model, const Problem& block, const BagFeatures& states) {
  const CellsOfBlock cells(model, states, block.data());
  const CrossSides sides = make_sides(model.tables, cells.bag(), {}, Draws::mean);
  CrossScorer scorer(sides, block.discount().gamma());
  SmoothLook look;
  std::array<double, 1> score{}, start{};
  std::vector<double> scores;
  for (std::int64_t i = 0; i < block.episodes(); ++i) {
    scorer.score(block.episode(i), look, score, start);
    scores.push_back(score[0] + model.shift);
  }
  return scores;
}

void for_windows(const CellModel& model, const Problem& block, const BagFeatures& states, const WindowVisit& visit) {
  const CellsOfBlock cells(model, states, block.data());
  const CrossSides sides = make_sides(model.tables, cells.bag(), {}, Draws::mean);
  const double gamma = block.discount().gamma();
  const std::int64_t horizon = block.horizon()->steps();
  WindowScorer scorer(sides, model.window, horizon, gamma);
  for (std::int64_t i = 0; i < block.episodes(); ++i) {
    const LoggedEpisode episode = block.episode(i);
    scorer.look(episode);
    visit(i,
          first_steps(anchor_episode(sides.basis, scorer.values(), episode, gamma, horizon),
                      static_cast<std::size_t>(scorer.opening())),
          scorer);
  }
}

}  // namespace starope
