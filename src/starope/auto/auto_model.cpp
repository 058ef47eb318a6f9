#include "starope/auto/auto_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "starope/auto/block_scorer.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr std::size_t kinds = family_kinds;

// The families that look at cells of their own.
template <class Models, class Visit>
void for_own_cells(Models& models, const Visit& visit) {
  visit(FamilyKind::traces, models.traces);
  visit(FamilyKind::lags, models.lags);
  visit(FamilyKind::other_cells, models.other);
}

void write_errors(ByteWriter& to, const AnswerErrors& e) {
  for (const double x : {e.score, e.half, e.instability, e.spread, e.doubts, e.seeds, e.draws}) to.number(x);
}

AnswerErrors read_errors(ByteReader& from) {
  AnswerErrors e;
  for (double* x : {&e.score, &e.half, &e.instability, &e.spread, &e.doubts, &e.seeds, &e.draws}) *x = from.finite();
  return e;
}

void write_waves(ByteWriter& to, const std::vector<WaveBasis>& draws) {
  to.number(static_cast<std::uint64_t>(draws.size()));
  for (const WaveBasis& draw : draws) {
    to.numbers(draw.center);
    to.number(draw.width);
    to.numbers(draw.directions);
    to.numbers(draw.phases);
  }
}

std::vector<WaveBasis> read_waves(ByteReader& from) {
  const std::int64_t count = from.number_within(1, 1000);
  std::vector<WaveBasis> draws;
  for (std::int64_t i = 0; i < count; ++i) {
    WaveBasis draw{.center = from.finites(), .width = from.finite()};
    draw.directions = from.finites();
    draw.phases = from.finites();
    const bool fits = !draw.center.empty() && draw.width > 0.0 && !draw.phases.empty() &&
                      draw.directions.size() == draw.center.size() * draw.phases.size() &&
                      (draws.empty() || draw.columns() == draws.front().columns());
    if (!fits) from.fail("sizes of the waves do not fit together");
    draws.push_back(std::move(draw));
  }
  return draws;
}

}  // namespace

void CellModel::write(ByteWriter& to) const {
  to.number(static_cast<std::uint64_t>(views.size()));
  for (const ViewOfSeeds& v : views) {
    v.view.write(to);
    to.number(v.seeds);
    to.number(std::uint64_t{v.which});
  }
  to.numbers(ladder);
  for (const MemberRule& rule : rules) {
    to.number(rule.columns);
    to.numbers(rule.centroids);
  }
  tables.write(to);
  to.number(shift);
  to.number(window);
}

CellModel CellModel::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const auto require = [&](bool holds) {
    if (!holds) from.fail("sizes of the cells do not fit together");
  };
  CellModel model;
  const std::int64_t views = from.number_within(1, 1000);
  std::size_t seeds = 0;
  for (std::int64_t i = 0; i < views; ++i) {
    ViewOfSeeds& v = model.views.emplace_back();
    v.view = FeatureView::read(from);
    v.seeds = static_cast<int>(from.number_within(1, 1'000'000));
    v.which = static_cast<std::uint32_t>(from.number_within(0, most));
    seeds += static_cast<std::size_t>(v.seeds);
  }
  model.ladder = from.integers();
  require(!model.ladder.empty() && model.ladder.size() <= 1000);
  for (std::size_t m = 0; m < seeds * model.ladder.size(); ++m) {
    MemberRule& rule = model.rules.emplace_back();
    rule.columns = from.number_within(1, most);
    rule.centroids = from.finites();
    require(!rule.centroids.empty() && rule.centroids.size() % static_cast<std::size_t>(rule.columns) == 0);
  }
  model.tables = StepTables::read(from);
  require(model.tables.first_cell.size() == model.rules.size() + 1);
  for (std::size_t m = 0; m < model.rules.size(); ++m) {
    const std::size_t cells = model.tables.first_cell[m + 1] - model.tables.first_cell[m];
    require(model.rules[m].centroids.size() == cells * static_cast<std::size_t>(model.rules[m].columns));
  }
  require(model.tables.cell_values.size() > 0);
  model.shift = from.finite();
  model.window = from.number_within(1, most);
  return model;
}

AutoSums& AutoSums::operator+=(const AutoSums& other) {
  expect_same_recipe(recipe, other.recipe);
  anchor += other.anchor;
  lags += other.lags;
  return *this;
}

void AutoSums::write(ByteWriter& to) const {
  recipe.write(to);
  anchor.write(to);
  lags.write(to);
}

AutoSums AutoSums::read(ByteReader& from) {
  AutoSums sums{.recipe = SumRecipe::read(from)};
  sums.anchor = AnchorSums::read(from);
  sums.lags = AnchorSums::read(from);
  return sums;
}

AutoModel::AutoModel(FamilyModels models, const WeighedAnswer& answer, Fitted fitted)
    : models_(std::move(models)), errors_(answer.errors), fitted_(fitted) {
  for (const WeighedFamily& family : answer.families) {
    if (family.weight > 0.0) parts_.push_back({family.kind, family.weight});
  }
  for_own_cells(models_, [&](FamilyKind family, std::optional<CellModel>& cells) {
    if (weight_of(family) == 0.0) cells.reset();
  });
  if (weight_of(FamilyKind::actions) == 0.0 && weight_of(FamilyKind::anchor) == 0.0) {
    models_.actions.clear();
    models_.cells.tables.action_values.clear();
  }
  take_fingerprint();
}

double AutoModel::weight_of(FamilyKind family) const {
  for (const Part& part : parts_) {
    if (part.family == family) return part.weight;
  }
  return 0.0;
}

void AutoModel::check(const Problem& block) const {
  if (!models_.actions.empty()) {
    const auto& target = block.target_distribution();
    if (!knows_all_actions(block) || target->actions != models_.actions.front().actions) {
      throw InvalidArgument(
          "auto was fitted to logs with the target policy's probabilities of all actions, and these episodes lack "
          "them, "
          "or have another number of actions");
    }
  }
  if (block.options() == models_.question) return;
  throw InvalidArgument("these episodes are asked another question (" + text_of(block.options()) +
                        ") than auto was fitted to (" + text_of(models_.question) + ")");
}

bool AutoModel::needs_sums() const {
  return weight_of(FamilyKind::anchor) > 0.0 || weight_of(FamilyKind::lags) > 0.0;
}

AutoSums AutoModel::identity() const {
  AutoSums sums{.recipe = {.of = "auto", .question = models_.question, .model = fingerprint()}};
  const std::int64_t horizon = models_.question.horizon->steps();
  if (weight_of(FamilyKind::anchor) > 0.0) sums.anchor = AnchorSums(horizon);
  if (models_.lags) sums.lags = AnchorSums(opening_steps(models_.lags->window, horizon));
  return sums;
}

void AutoModel::add_block(AutoSums& total, const Problem& block) const {
  check(block);
  const BagFeatures states = models_.states.apply(block.data(), Threads{1});
  if (weight_of(FamilyKind::anchor) > 0.0) {
    BlockScorer scorer(models_, block, states);
    for (std::int64_t i = 0; i < block.episodes(); ++i) total.anchor.add(scorer.look(block.episode(i)));
  }
  if (models_.lags) {
    for_windows(*models_.lags, block, states,
                [&](std::int64_t, const AnchorEpisode& opening, const WindowScorer&) { total.lags.add(opening); });
  }
}

AutoScores AutoModel::score(const Problem& block, const AutoSums& sums) const {
  check(block);
  expect_same_recipe(identity().recipe, sums.recipe);
  const BagFeatures states = models_.states.apply(block.data(), Threads{1});
  const double gamma = block.discount().gamma();
  std::array<std::vector<double>, kinds> of_kind;
  const auto scores = [&](FamilyKind family) -> std::vector<double>& {
    return of_kind[static_cast<std::size_t>(family)];
  };
  const auto wanted = [&](FamilyKind family) { return weight_of(family) > 0.0; };
  if (wanted(FamilyKind::cells) || wanted(FamilyKind::waves) || wanted(FamilyKind::actions) ||
      wanted(FamilyKind::anchor)) {
    BlockScorer scorer(models_, block, states);
    const AnchorScorer anchor(sums.anchor, gamma);
    for (std::int64_t i = 0; i < block.episodes(); ++i) {
      const LoggedEpisode episode = block.episode(i);
      const std::vector<double>& both = scorer.score(episode);
      scores(FamilyKind::waves).push_back(both[0]);
      scores(FamilyKind::cells).push_back(both[1] + models_.cells.shift);
      if (both.size() > 2) scores(FamilyKind::actions).push_back(both[2]);
      if (wanted(FamilyKind::anchor)) scores(FamilyKind::anchor).push_back(anchor.score(scorer.anchor(episode)));
    }
  }
  if (models_.traces) scores(FamilyKind::traces) = scores_of_cells(*models_.traces, block, states);
  if (models_.other) scores(FamilyKind::other_cells) = scores_of_cells(*models_.other, block, states);
  if (models_.lags) {
    const AnchorScorer opening(sums.lags, gamma);
    for_windows(*models_.lags, block, states,
                [&](std::int64_t i, const AnchorEpisode& first, const WindowScorer& scorer) {
                  scores(FamilyKind::lags).push_back(opening.score(first) + scorer.score(block.episode(i)));
                });
  }
  AutoScores result{.mixed = std::vector<double>(block.episodes(), 0.0)};
  for (const Part& part : parts_) {
    std::vector<double>& own = scores(part.family);
    for (std::size_t i = 0; i < own.size(); ++i) result.mixed[i] += part.weight * own[i];
    result.families.push_back(std::move(own));
  }
  return result;
}

void AutoModel::take_fingerprint() {
  ByteWriter to;
  write(to);
  fingerprint_ = fingerprint_of(to.bytes());
}

void AutoModel::write(ByteWriter& to) const {
  starope::write(to, models_.question);
  models_.states.write(to);
  models_.wave_view.write(to);
  write_waves(to, models_.waves);
  to.number(static_cast<std::uint64_t>(models_.actions.size()));
  for (const ActionBasis& draw : models_.actions) draw.write(to);
  models_.cells.write(to);
  for_own_cells(models_, [&](FamilyKind, const std::optional<CellModel>& cells) {
    to.flag(cells.has_value());
    if (cells) cells->write(to);
  });
  to.number(static_cast<std::uint64_t>(parts_.size()));
  for (const Part& part : parts_) {
    to.number(static_cast<std::uint64_t>(part.family));
    to.number(part.weight);
  }
  write_errors(to, errors_);
  to.number(fitted_.episodes);
  to.number(fitted_.steps);
}

AutoModel AutoModel::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto require = [&](bool holds) {
    if (!holds) from.fail("the families of the model do not fit together");
  };
  AutoModel model;
  FamilyModels& models = model.models_;
  models.question = read_question(from);
  require(models.question.horizon.has_value());
  models.states = FeatureMap::read(from);
  models.wave_view = FeatureView::read(from);
  models.waves = read_waves(from);
  const std::int64_t draws = from.number_within(0, 1000);
  for (std::int64_t draw = 0; draw < draws; ++draw) models.actions.push_back(ActionBasis::read(from));
  models.cells = CellModel::read(from);
  require(models.cells.tables.wave_values.size() == models.waves.size());
  for (const RowMatrix& values : models.cells.tables.wave_values)
    require(values.rows() == models.waves.front().columns());
  require(models.cells.tables.action_values.size() == models.actions.size());
  for (std::size_t draw = 0; draw < models.actions.size(); ++draw) {
    const ActionBasis& basis = models.actions[draw];
    require(models.cells.tables.action_values[draw].rows() == basis.coefficients());
    // All draws look at the same inputs.
    require(basis.center == models.actions.front().center && basis.scale == models.actions.front().scale &&
            basis.actions == models.actions.front().actions && basis.columns() == models.actions.front().columns() &&
            basis.own == models.actions.front().own);
  }
  for_own_cells(models, [&](FamilyKind, std::optional<CellModel>& cells) {
    if (from.flag()) cells = CellModel::read(from);
  });
  const std::int64_t parts = from.number_within(1, static_cast<std::int64_t>(kinds));
  for (std::int64_t i = 0; i < parts; ++i) {
    const auto family = static_cast<FamilyKind>(from.number_within(0, static_cast<std::int64_t>(kinds) - 1));
    require(model.weight_of(family) == 0.0);
    model.parts_.push_back({family, from.finite()});
    require(model.parts_.back().weight > 0.0);
  }
  for_own_cells(models, [&](FamilyKind family, const std::optional<CellModel>& cells) {
    require(cells.has_value() == (model.weight_of(family) > 0.0));
    if (cells) require(cells->tables.wave_values.empty() && cells->tables.action_values.empty());
  });
  const auto horizon = static_cast<Eigen::Index>(models.question.horizon->steps());
  require(models.cells.tables.basis.rows() == horizon + 1);
  for_own_cells(models, [&](FamilyKind, const std::optional<CellModel>& cells) {
    if (cells) require(cells->tables.basis.rows() == horizon + 1);
  });
  model.errors_ = read_errors(from);
  model.fitted_.episodes = from.number_within(1, most);
  model.fitted_.steps = from.number_within(model.fitted_.episodes, most);
  model.take_fingerprint();
  return model;
}

}  // namespace starope
