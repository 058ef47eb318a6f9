#include "starope/checks/reward_units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "starope/checks/state_cells.hpp"
#include "starope/checks/zero_means.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_sizes = 16;  // more have a shape, which RewardSizes compares
constexpr std::int64_t most_cells = 16;
constexpr std::int64_t fewest_rows = 200;      // with a reward other than zero
constexpr std::int64_t fewest_episodes = 50;   // that have one
constexpr std::int64_t rows_that_speak = 30;   // of a group, to have seen both units by chance
constexpr double least_share = 0.02;           // of each unit
constexpr double dependence_by_chance = 1e-3;  // of all groups together
constexpr std::array factors = {100.0, 1000.0, 1e4, 1e5, 1e6};

// Sizes of rewards, and for each the smaller unit's size it stands for.
struct Units {
  double factor = 1.0;
  std::map<double, std::int64_t> smaller{};  // size -> number
  std::map<double, std::int64_t> larger{};   // the same number, factor times the size
};

std::optional<std::vector<double>> few_sizes(const Dataset& data) {
  std::vector<double> sizes;  // ascending
  double last = 0.0;
  for (const double reward : data.rewards()) {
    const double size = std::abs(reward);
    if (size == last) continue;  // rewards often repeat
    last = size;
    const auto place = std::lower_bound(sizes.begin(), sizes.end(), size);
    if (size == 0.0 || (place != sizes.end() && *place == size)) continue;
    if (static_cast<std::int64_t>(sizes.size()) == most_sizes) return std::nullopt;
    sizes.insert(place, size);
  }
  return sizes;
}

std::optional<Units> units_of(const std::vector<double>& sizes, double factor) {
  const auto find = [&](double size) {
    return std::find_if(sizes.begin(), sizes.end(), [&](double s) { return std::abs(s - size) <= 1e-9 * size; });
  };
  Units units{.factor = factor};
  for (const double size : sizes) {
    if (units.larger.contains(size)) continue;
    const auto other = find(factor * size);
    if (other == sizes.end()) return std::nullopt;
    const auto number = static_cast<std::int64_t>(units.smaller.size());
    units.smaller[size] = number;
    units.larger[*other] = number;
  }
  return units;
}

// A row whose reward is not zero.
struct Row {
  std::int64_t episode = 0;
  std::int64_t index = 0;
  std::int64_t number = 0;  // of its size
  bool large = false;
  bool last = false;
};

std::vector<Row> rows_of(const Dataset& data, const Units& units) {
  std::vector<Row> rows;
  for (std::int64_t e = 0; e < data.episodes(); ++e) {
    for (std::int64_t i = data.first_step(e); i < data.first_step(e + 1); ++i) {
      const double size = std::abs(data.rewards()[i]);
      if (size == 0.0) continue;
      const auto large = units.larger.find(size);
      const bool is_large = large != units.larger.end();
      rows.push_back({.episode = e,
                      .index = i,
                      .number = is_large ? large->second : units.smaller.at(size),
                      .large = is_large,
                      .last = i + 1 == data.first_step(e + 1)});
    }
  }
  return rows;
}

// Whether every episode with several rewards has one unit only, and both units have such episodes.
bool one_unit_per_episode(const std::vector<Row>& rows) {
  std::array<std::int64_t, 2> episodes{};
  for (std::size_t k = 0; k < rows.size();) {
    std::size_t end = k;
    while (end < rows.size() && rows[end].episode == rows[k].episode) {
      if (rows[end].large != rows[k].large) return false;
      ++end;
    }
    if (end - k > 1) ++episodes[rows[k].large ? 1 : 0];
    k = end;
  }
  return std::min(episodes[0], episodes[1]) >= 10;
}

// Whether the unit goes with anything that is logged. Episodes are the unit of the tests; a group of many rows that
// never shows one of the units is an answer as well.
bool depends(const Dataset& data, const std::vector<Row>& rows, const Units& units, double share) {
  const StateCells cells = StateCells::fit(data, most_cells);
  const auto* actions = std::get_if<DiscreteActions>(&data.actions());
  const auto sizes = static_cast<std::int64_t>(units.smaller.size());
  const std::int64_t action_count = actions == nullptr ? 1 : std::min<std::int64_t>(actions->count, 64);
  const auto groups = static_cast<std::size_t>(sizes + action_count + cells.count() + 2);
  ZeroMeans means(groups);
  std::vector<std::array<std::int64_t, 2>> seen(groups);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    const std::int64_t action = actions == nullptr ? 0 : actions->id[row.index] % action_count;
    for (const std::int64_t group : {row.number, sizes + action, sizes + action_count + cells.cell(data, row.index),
                                     sizes + action_count + cells.count() + (row.last ? 1 : 0)}) {
      means.add(static_cast<std::size_t>(group), (row.large ? 1.0 : 0.0) - share);
      ++seen[group][row.large ? 1 : 0];
    }
    if (k + 1 == rows.size() || rows[k + 1].episode != row.episode) means.close_episode();
  }
  const double allowed = errors_allowed(static_cast<std::int64_t>(groups), dependence_by_chance);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::int64_t rarer = std::min(seen[g][0], seen[g][1]);
    if (means[g].errors() > allowed || (rarer == 0 && seen[g][0] + seen[g][1] >= rows_that_speak)) return true;
  }
  return false;
}

std::optional<Finding> mixed(const Dataset& sample, const Units& units) {
  const std::vector<Row> rows = rows_of(sample, units);
  if (static_cast<std::int64_t>(rows.size()) < fewest_rows) return std::nullopt;
  std::int64_t episodes = 0, large = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    episodes += k == 0 || rows[k - 1].episode != rows[k].episode ? 1 : 0;
    large += rows[k].large ? 1 : 0;
  }
  const double share = static_cast<double>(large) / static_cast<double>(rows.size());
  if (episodes < fewest_episodes || share < least_share || share > 1.0 - least_share) return std::nullopt;
  if (!one_unit_per_episode(rows) && depends(sample, rows, units, share)) return std::nullopt;
  return Finding{Severity::warning, "reward_units", {{"factor", units.factor}, {"share", share}}};
}

}  // namespace

std::optional<Finding> multiplied_rewards(const Dataset& sample) {
  const auto sizes = few_sizes(sample);
  if (!sizes || sizes->empty()) return std::nullopt;
  // A step of 0.01, a prize of 1, and both times 1,000: they are also two pairs of sizes 100 apart. All factors are
  // asked.
  for (const double factor : factors) {
    const auto units = units_of(*sizes, factor);
    if (!units) continue;
    if (auto finding = mixed(sample, *units)) return finding;
  }
  return std::nullopt;
}

}  // namespace starope
