#include "starope/auto/cell_family.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "starope/auto/cross_scores.hpp"
#include "starope/auto/diagonal.hpp"
#include "starope/auto/paired_shift.hpp"
#include "starope/auto/pooled_parts.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/windowed_scores.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::size_t finest_levels = 2;
constexpr double clearly = 4.0;  // standard errors

std::vector<double> plain_by_level(const Bag& bag, const std::vector<double>& plain) {
  std::vector<double> means(bag.levels(), 0.0);
  for (std::size_t m = 0; m < plain.size(); ++m) {
    means[bag.levels() - 1 - m % bag.levels()] += plain[m] / static_cast<double>(bag.seeds);
  }
  return means;
}

std::vector<double> means(const std::vector<std::vector<double>>& scores) {
  std::vector<double> result;
  for (const auto& s : scores) result.push_back(moments(s).mean());
  return result;
}

LadderDrift test_drift(const CoalitionScores& scores) {
  if (scores.nested.size() <= finest_levels) return {};
  const PairedShift shift = paired_shift(scores.whole(), scores.nested[finest_levels - 1]);
  return {.drift = shift.mean,
          .drift_se = shift.std_error,
          .significant = std::abs(shift.mean) > clearly * shift.std_error};
}

}  // namespace

double CellFamily::gap() const {
  const double value = moments(raw.whole()).mean();
  double gap = 0.0;
  for (const double plain : plain_of_level) gap += std::abs(value - plain);
  return gap / static_cast<double>(plain_of_level.size());
}

double CellFamily::ladder_error() const {
  constexpr std::size_t three = 3;
  const double off = by_levels.size() > three ? by_levels[three - 1] - value() : 0.0;
  return std::max(off * off, drift.drift * drift.drift);
}

double CellFamily::seeds_variance() const {
  return by_seed.size() < 2 ? 0.0 : moments(by_seed).variance() / static_cast<double>(by_seed.size());
}

CellFamily fit_cells(Bag bag, const Problem& problem, std::span<const std::int64_t> episodes, Threads threads) {
  CellFamily family{.bag = std::move(bag)};
  const auto fit = [&] {
    family.tables = pooled_tables(family.bag, problem, episodes, threads);
    family.raw =
        pooled_scores(family.bag, family.tables, problem, episodes, Coalitions::nested_and_seeds, threads, model_steps);
    family.scores = without_diagonal(family.raw, family.bag, family.tables.plain);
  };
  fit();
  family.drift = test_drift(family.scores);
  if (family.drift.significant) {
    family.bag = finest_of(std::move(family.bag));
    fit();
  }
  family.plain_of_level = plain_by_level(family.bag, family.tables.plain);
  family.by_levels = means(family.scores.nested);
  family.by_seed = means(family.scores.by_seed);
  return family;
}

Bag finest_of(Bag bag) {
  if (bag.levels() <= finest_levels) return bag;
  std::vector<Labels> kept;
  std::vector<MemberRule> rules;
  for (std::size_t m = 0; m < bag.members.size(); ++m) {
    if (m % bag.levels() >= finest_levels) continue;
    kept.push_back(std::move(bag.members[m]));
    if (m < bag.rules.size()) rules.push_back(std::move(bag.rules[m]));
  }
  bag.ladder.erase(bag.ladder.begin(), bag.ladder.end() - static_cast<std::ptrdiff_t>(finest_levels));
  bag.members = std::move(kept);
  bag.rules = std::move(rules);
  return bag;
}

MarkovTest test_history(const CellFamily& family, const Problem& problem, double gap, Threads threads) {
  // With the pairs of members with themselves: the scores of two ratios have them too.
  return test_markov(family.raw.whole(), windowed_scores(family.bag, family.tables, problem, 2, coarse_steps, threads),
                     gap);
}

double cells_value(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                   const PooledTables& tables, Threads threads) {
  const CrossSides sides =
      make_sides(step_tables(bag, tables, {}, CellValues::yes, coarse_steps), bag, {}, Draws::mean);
  return without_own_pairs(moments(cross_scores(sides, problem, episodes, threads).scores.front()).mean(),
                           tables.plain);
}

double without_own_pairs(double mean_score, std::span<const double> plain) {
  const auto members = static_cast<double>(plain.size());
  if (members < 2.0) return mean_score;
  return mean_score + (mean_score - std::accumulate(plain.begin(), plain.end(), 0.0) / members) / (members - 1.0);
}

std::vector<double> half_values(const CellFamily& family, const Problem& problem, const HalfSplits& splits,
                                Threads threads) {
  const std::vector<std::vector<std::int64_t>> halves = splits.halves();
  std::vector<double> values(halves.size());
  for_tables_of_parts(family.bag, problem, halves, threads, [&](std::size_t half, const PooledTables& tables) {
    values[half] = cells_value(family.bag, problem, halves[half], tables, Threads{1});
  });
  return values;
}

}  // namespace starope
