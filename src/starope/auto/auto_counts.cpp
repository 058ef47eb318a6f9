#include "starope/auto/auto_counts.hpp"

#include <algorithm>
#include <limits>

#include "starope/auto/block_scorer.hpp"
#include "starope/base/assert.hpp"

namespace starope {
namespace {

// Where the scores of a family go.
class PartScores {
 public:
  PartScores(const AutoModel& model, std::span<const std::size_t> group_of, std::span<AutoCounts> groups)
      : model_(model), group_of_(group_of), groups_(groups) {}

  AutoCounts& group(std::int64_t episode) const { return groups_[group_of_[episode]]; }
  void add(FamilyKind family, std::int64_t episode, double score) const {
    for (std::size_t part = 0; part < model_.parts().size(); ++part) {
      if (model_.parts()[part].family == family) group(episode).scores[part].add(score);
    }
  }

 private:
  const AutoModel& model_;
  std::span<const std::size_t> group_of_;
  std::span<AutoCounts> groups_;
};

void add_cells(const std::optional<CellModel>& cells, FamilyKind family, const Problem& block,
               const BagFeatures& states, const PartScores& to) {
  if (!cells) return;
  const std::vector<double> scores = scores_of_cells(*cells, block, states);
  for (std::size_t i = 0; i < scores.size(); ++i) to.add(family, static_cast<std::int64_t>(i), scores[i]);
}

}  // namespace

AutoCounts& AutoCounts::operator+=(const AutoCounts& other) {
  sums += other.sums;
  STAROPE_ASSERT(scores.size() == other.scores.size());
  for (std::size_t part = 0; part < scores.size(); ++part) scores[part] += other.scores[part];
  episodes += other.episodes;
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  return *this;
}

void AutoCounts::write(ByteWriter& to) const {
  sums.write(to);
  to.number(static_cast<std::uint64_t>(scores.size()));
  for (const Moments& each : scores) each.write(to);
  for (const double x : {episodes, lowest, highest}) to.number(x);
}

AutoCounts AutoCounts::read(ByteReader& from) {
  AutoCounts counts{.sums = AutoSums::read(from)};
  const std::int64_t parts = from.number_within(1, static_cast<std::int64_t>(family_kinds));
  for (std::int64_t part = 0; part < parts; ++part) counts.scores.push_back(Moments::read(from));
  for (double* x : {&counts.episodes, &counts.lowest, &counts.highest}) *x = from.finite();
  return counts;
}

AutoCounts no_counts(const AutoModel& model) {
  return {.sums = model.identity(), .scores = std::vector<Moments>(model.parts().size())};
}

void add_block(const AutoModel& model, const Problem& block, std::span<const std::size_t> group_of,
               std::span<AutoCounts> groups) {
  model.check(block);
  STAROPE_ASSERT(group_of.size() == static_cast<std::size_t>(block.episodes()));
  const FamilyModels& models = model.models();
  const BagFeatures states = models.states.apply(block.data(), Threads{1});
  const PartScores to(model, group_of, groups);
  BlockScorer scorer(models, block, states);
  const bool anchored = model.weight_of(FamilyKind::anchor) > 0.0;
  for (std::int64_t i = 0; i < block.episodes(); ++i) {
    const LoggedEpisode episode = block.episode(i);
    const std::vector<double>& scores = scorer.score(episode);
    to.add(FamilyKind::waves, i, scores[0]);
    to.add(FamilyKind::cells, i, scores[1] + models.cells.shift);
    if (scores.size() > 2) to.add(FamilyKind::actions, i, scores[2]);
    AutoCounts& group = to.group(i);
    if (anchored) group.sums.anchor.add(scorer.anchor(episode));
    group.episodes += 1.0;
    for (const double r : episode.rewards) {
      group.lowest = std::min(group.lowest, r);
      group.highest = std::max(group.highest, r);
    }
  }
  add_cells(models.traces, FamilyKind::traces, block, states, to);
  add_cells(models.other, FamilyKind::other_cells, block, states, to);
  if (!models.lags) return;
  for_windows(*models.lags, block, states,
              [&](std::int64_t i, const AnchorEpisode& opening, const WindowScorer& later) {
                to.group(i).sums.lags.add(opening);
                to.add(FamilyKind::lags, i, later.score(block.episode(i)));
              });
}

std::vector<double> part_values(const AutoModel& model, const AutoCounts& counts) {
  expect_same_recipe(model.identity().recipe, counts.sums.recipe);
  const double gamma = model.question().discount.gamma();
  std::vector<double> values;
  for (std::size_t part = 0; part < model.parts().size(); ++part) {
    double value = counts.scores[part].mean();
    if (model.parts()[part].family == FamilyKind::anchor) value = AnchorScorer(counts.sums.anchor, gamma).mean();
    if (model.parts()[part].family == FamilyKind::lags) value += AnchorScorer(counts.sums.lags, gamma).mean();
    values.push_back(value);
  }
  return values;
}

double mixed_value(const AutoModel& model, const AutoCounts& counts) {
  const std::vector<double> values = part_values(model, counts);
  double mixed = 0.0;
  for (std::size_t part = 0; part < values.size(); ++part) mixed += model.parts()[part].weight * values[part];
  return mixed;
}

}  // namespace starope
