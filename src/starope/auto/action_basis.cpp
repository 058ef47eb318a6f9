#include "starope/auto/action_basis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "starope/base/assert.hpp"
#include "starope/rng/random.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_basis_actions = 200;
constexpr std::int64_t most_own = 48;            // functions per action
constexpr std::int64_t most_coefficients = 240;  // of all actions together
constexpr std::int64_t most_examined = 4000;     // steps that scales are taken from
constexpr double weight_of_probabilities = 2.0;  // where features have variance 1
constexpr std::size_t lanes = 8;
constexpr std::uint64_t which_waves = 10;  // of the sets of functions of the same logs (WaveOptions)

const double* basis_features(const BagFeatures& features, std::int64_t row) {
  const std::int64_t point = features.point_of_row.empty() ? row : features.point_of_row[row];
  return features.values.data() + point * features.dimension;
}

const DiscreteActions* discrete(const Problem& problem) {
  return std::get_if<DiscreteActions>(&problem.data().actions());
}

// Steps that count, evenly spread over the episodes.
std::vector<std::int64_t> examined_steps(const Problem& problem) {
  const std::int64_t stride = (problem.steps() + most_examined - 1) / most_examined;
  std::vector<std::int64_t> rows;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t, ++at) {
      if (at % stride == 0) rows.push_back(episode.first_row + t);
    }
  }
  return rows;
}

// Features keep their proportions: on average they get variance 1. Probabilities keep theirs.
void take_scales(ActionBasis& basis, const BagFeatures& features, const double* target,
                 const std::vector<std::int64_t>& rows) {
  const auto d = static_cast<std::size_t>(features.dimension), a = static_cast<std::size_t>(basis.actions);
  basis.center.assign(d + a, 0.0);
  basis.scale.assign(d + a, weight_of_probabilities);
  const auto visit = [&](const auto& body) {
    for (const std::int64_t row : rows) {
      const double* x = basis_features(features, row);
      const double* p = target + static_cast<std::size_t>(row) * a;
      for (std::size_t j = 0; j < d + a; ++j) body(j, j < d ? x[j] : p[j - d]);
    }
  };
  visit([&](std::size_t j, double value) { basis.center[j] += value; });
  for (double& c : basis.center) c /= static_cast<double>(rows.size());
  double variance = 0.0;
  visit([&](std::size_t j, double value) {
    if (j < d) variance += (value - basis.center[j]) * (value - basis.center[j]);
  });
  variance /= static_cast<double>(rows.size()) * static_cast<double>(d);
  std::fill_n(basis.scale.begin(), d, variance > 0.0 ? 1.0 / std::sqrt(variance) : 1.0);
}

}  // namespace

bool knows_all_actions(const Problem& problem) {
  const auto& target = problem.target_distribution();
  return discrete(problem) != nullptr && target && target->actions == discrete(problem)->count && target->actions > 1 &&
         target->actions <= most_basis_actions;
}

void ActionBasis::add_knees(std::size_t count, double* rows) const {
  const auto width = static_cast<std::size_t>(columns()), inputs = center.size(), knee_count = offsets.size();
  for (std::size_t i = 0; i < count; ++i) std::copy(offsets.begin(), offsets.end(), rows + i * width + 1 + inputs);
  add_product({.rows = count,
               .columns = knee_count,
               .depth = inputs,
               .left = {rows + 1, width},
               .right = directions.data(),
               .right_stride = knee_count,
               .out = rows + 1 + inputs,
               .out_stride = width});
  for (std::size_t i = 0; i < count; ++i) {
    double* knee = rows + i * width + 1 + inputs;
    for (std::size_t j = 0; j < knee_count; ++j) knee[j] = std::max(knee[j], 0.0);
  }
}

void ActionBasis::write(ByteWriter& to) const {
  to.number(actions);
  to.number(own);
  to.numbers(center);
  to.numbers(scale);
  to.numbers(directions);
  to.numbers(offsets);
}

ActionBasis ActionBasis::read(ByteReader& from) {
  ActionBasis basis;
  basis.actions = from.number_within(2, most_basis_actions);
  basis.own = from.number_within(1, std::numeric_limits<std::int32_t>::max());
  basis.center = from.finites();
  basis.scale = from.finites();
  basis.directions = from.finites();
  basis.offsets = from.finites();
  const bool fits = basis.features() >= 1 && basis.scale.size() == basis.center.size() && basis.knees() > 0 &&
                    basis.directions.size() == basis.center.size() * basis.offsets.size() &&
                    basis.own <= basis.columns();
  if (!fits) from.fail("sizes of the functions of actions do not fit together");
  return basis;
}

std::vector<ActionBasis> draw_actions(const BagFeatures& features, const Problem& problem,
                                      const ActionOptions& options) {
  STAROPE_ASSERT(knows_all_actions(problem) && options.draws >= 1 && options.knees >= 1);
  const std::vector<std::int64_t> rows = examined_steps(problem);
  ActionBasis plain{.actions = discrete(problem)->count};
  take_scales(plain, features, problem.target_distribution()->values.data(), rows);
  const std::size_t inputs = plain.center.size();
  const std::size_t knees =
      (1 + inputs + static_cast<std::size_t>(options.knees) + lanes - 1) / lanes * lanes - 1 - inputs;
  plain.own = std::clamp<std::int64_t>(most_coefficients / plain.actions, 1,
                                       std::min<std::int64_t>(most_own, static_cast<std::int64_t>(1 + inputs + knees)));
  std::vector<ActionBasis> draws;
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.seed, Stream::waves, which_waves << 32U | static_cast<std::uint64_t>(draw));
    ActionBasis basis = plain;
    basis.directions.resize(inputs * knees);
    for (double& u : basis.directions) u = random.normal();
    basis.offsets.assign(knees, 0.0);
    // Through a logged step each, and of mean square 1.
    const ActionRows at({basis}, features, problem);
    const auto width = static_cast<std::size_t>(basis.columns());
    std::vector<double> all(rows.size() * width);
    for (std::size_t i = 0; i < rows.size(); ++i) at.evaluate_inputs(rows[i], all.data() + i * width);
    for (std::size_t j = 0; j < knees; ++j) {
      const double* y = all.data() + random.below(rows.size()) * width + 1;
      for (std::size_t i = 0; i < inputs; ++i) basis.offsets[j] -= y[i] * basis.directions[i * knees + j];
    }
    basis.add_knees(rows.size(), all.data());
    for (std::size_t j = 0; j < knees; ++j) {
      double square = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i) square += std::pow(all[i * width + 1 + inputs + j], 2);
      const double size = std::sqrt(square / static_cast<double>(rows.size()));
      const double factor = size > 0.0 ? 1.0 / size : 0.0;  // a knee that no step reaches is nothing
      for (std::size_t i = 0; i < inputs; ++i) basis.directions[i * knees + j] *= factor;
      basis.offsets[j] *= factor;
    }
    draws.push_back(std::move(basis));
  }
  return draws;
}

ActionRows::ActionRows(std::vector<ActionBasis> draws, const BagFeatures& features, const Problem& problem)
    : draws_(std::move(draws)),
      features_(&features),
      actions_(discrete(problem)->id),
      target_(problem.target_distribution()->values) {
  STAROPE_ASSERT(draws_.front().features() == features.dimension &&
                 draws_.front().actions == problem.target_distribution()->actions);
}

void ActionRows::evaluate_inputs(std::int64_t row, double* out) const {
  const ActionBasis& basis = draws_.front();  // all draws share them
  const auto d = static_cast<std::size_t>(basis.features()), inputs = basis.center.size();
  const double* x = basis_features(*features_, row);
  const double* p = target(row);
  out[0] = 1.0;
  for (std::size_t j = 0; j < d; ++j) out[1 + j] = (x[j] - basis.center[j]) * basis.scale[j];
  for (std::size_t j = d; j < inputs; ++j) out[1 + j] = (p[j - d] - basis.center[j]) * basis.scale[j];
}

void ActionRows::evaluate(std::size_t draw, std::int64_t first, std::int64_t count, double* out) const {
  const ActionBasis& basis = draws_[draw];
  for (std::int64_t i = 0; i < count; ++i) evaluate_inputs(first + i, out + i * basis.columns());
  basis.add_knees(static_cast<std::size_t>(count), out);
}

const double* ActionLook::functions(const ActionRows& rows, std::size_t draw, std::int64_t first, std::int64_t count) {
  if (slots_.size() < rows.draws()) slots_.resize(rows.draws());
  Slot& slot = slots_[draw];
  if (slot.of != &rows || slot.first != first || slot.count < count) {
    slot.of = &rows;
    slot.first = first;
    slot.count = count;
    slot.functions.resize(count * rows.basis(draw).columns());
    rows.evaluate(draw, first, count, slot.functions.data());
  }
  return slot.functions.data();
}

}  // namespace starope
