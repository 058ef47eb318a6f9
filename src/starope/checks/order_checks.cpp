#include "starope/checks/order_checks.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>

#include "starope/checks/nearest_rows.hpp"
#include "starope/checks/probability_checks.hpp"
#include "starope/checks/reward_fit.hpp"
#include "starope/checks/state_cells.hpp"
#include "starope/checks/zero_means.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_ordered_cells = 256;
constexpr std::int64_t fewest_ordered_rows = 500;

// How well groups of rows explain a number: 1 - variance within / variance, both without bias.
struct Explained {
  double share = 0.0;
  std::int64_t rows = 0;
};

// Numbers 0, 1, 2, ... for ids that may be anything, in the order they come.
class Numbers {
 public:
  std::int64_t of(std::int64_t id) { return known_.try_emplace(id, count()).first->second; }
  std::int64_t count() const { return static_cast<std::int64_t>(known_.size()); }

 private:
  std::unordered_map<std::int64_t, std::int64_t> known_{};
};

// What all groupings of the same numbers have in common.
struct Totals {
  std::int64_t rows = 0;
  double sum = 0.0, squares = 0.0;
  void add(double y) {
    ++rows;
    sum += y;
    squares += y * y;
  }
};

class Grouping {
 public:
  // Of ids below `ids`: a table of them, or numbers for those that come where it would be mostly empty.
  Grouping(std::int64_t ids, std::int64_t rows) : table_(ids <= 8 * rows) {
    if (table_) groups_.resize(ids);
  }

  void add(std::int64_t id, double y) {
    const std::int64_t group = table_ ? id : numbers_.of(id);
    if (group == static_cast<std::int64_t>(groups_.size())) groups_.emplace_back();
    ++groups_[group].rows;
    groups_[group].sum += y;
  }
  Explained explained(const Totals& all) const {
    const auto n = static_cast<double>(all.rows);
    double between = 0.0, groups = 0.0;
    for (const Group& group : groups_) {
      if (group.rows == 0) continue;
      between += group.sum * group.sum / static_cast<double>(group.rows);
      groups += 1.0;
    }
    const double total = all.squares - all.sum * all.sum / n;
    const double within = all.squares - between;
    if (all.rows < fewest_ordered_rows || n < 3.0 * groups || !(total > 1e-9 * all.squares)) return {};
    return {.share = 1.0 - within / (n - groups) / (total / (n - 1.0)), .rows = all.rows};
  }

 private:
  struct Group {
    std::int64_t rows = 0;
    double sum = 0.0;
  };
  bool table_;
  Numbers numbers_{};
  std::vector<Group> groups_{};
};

class Rows {
 public:
  explicit Rows(const Dataset& data) : data_(data) {
    const StateCells cells = StateCells::fit(data, most_ordered_cells);
    const auto* discrete = std::get_if<DiscreteStates>(&data.states());
    const auto* actions = std::get_if<DiscreteActions>(&data.actions());
    state_.resize(data.steps());
    if (discrete != nullptr) {
      std::copy(discrete->code.begin(), discrete->code.begin() + data.steps(), state_.begin());
    } else {
      cells.cells(data, 0, state_);
    }
    action_.resize(data.steps());
    Numbers seen;  // ids of actions may be few and far between
    std::int64_t last = -1, number = 0;
    for (std::int64_t i = 0; actions != nullptr && i < data.steps(); ++i) {
      if (actions->id[i] != last) number = seen.of(actions->id[i]);
      last = actions->id[i];
      action_[i] = number;
    }
    actions_ = std::max<std::int64_t>(1, seen.count());
    pairs_ = actions_ * (discrete != nullptr ? discrete->ids.size() : cells.count());
  }

  bool have_states() const { return !std::holds_alternative<std::monostate>(data_.states()); }

  // How well the state `state_lag` rows on and the action `action_lag` rows on explain y. Only rows with a neighbor on
  // either side count, so all lags are compared on the same ones.
  Explained explained(const std::vector<double>& y, const Totals& inner, std::int64_t state_lag,
                      std::int64_t action_lag) const {
    Grouping grouping(pairs_, data_.steps());
    each_inner([&](std::int64_t i) { grouping.add(state_[i + state_lag] * actions_ + action_[i + action_lag], y[i]); });
    return grouping.explained(inner);
  }
  Totals inner_totals(const std::vector<double>& y) const {
    Totals all;
    each_inner([&](std::int64_t i) { all.add(y[i]); });
    return all;
  }
  // Of all rows, by their own state and action.
  Explained explained(const std::vector<double>& y) const {
    Grouping grouping(pairs_, data_.steps());
    Totals all;
    for (std::int64_t i = 0; i < data_.steps(); ++i) {
      grouping.add(state_[i] * actions_ + action_[i], y[i]);
      all.add(y[i]);
    }
    return grouping.explained(all);
  }

 private:
  template <class Use>
  void each_inner(const Use& use) const {
    for (std::int64_t e = 0; e < data_.episodes(); ++e) {
      const std::int64_t last = data_.first_step(e + 1) - 1;
      for (std::int64_t i = data_.first_step(e) + 1; i < last; ++i) use(i);
    }
  }

  const Dataset& data_;
  std::vector<std::int64_t> state_{}, action_{};
  std::int64_t actions_ = 1;
  std::int64_t pairs_ = 1;  // of state and action
};

std::vector<double> all_linear(const LoggedProbabilities& logged, std::int64_t steps) {
  std::vector<double> all(steps);
  for (std::int64_t i = 0; i < steps; ++i) all[i] = linear(logged, i);
  return all;
}

// Far better than noise or coarse cells explain: most of what the row's own values leave open is gone.
bool far_better(const Explained& other, const Explained& own) {
  return other.rows > 0 && own.rows > 0 && other.share > 0.3 && other.share > own.share + 0.004 &&
         1.0 - other.share < 0.6 * (1.0 - own.share);
}

// ---- probabilities and states in the wrong row ---------------------------------------------------------------------

std::optional<Finding> shifted(const Rows& rows, const std::vector<double>& y, const char* column) {
  if (std::all_of(y.begin(), y.end(), [&](double p) { return p == y.front(); })) return std::nullopt;
  const Totals inner = rows.inner_totals(y);
  const Explained own = rows.explained(y, inner, 0, 0);
  struct Candidate {
    bool states = false;  // only these are in the wrong rows
    const char* row = "";
    Explained explained{};
  };
  const std::vector<Candidate> candidates = {{false, "before", rows.explained(y, inner, -1, -1)},
                                             {false, "behind", rows.explained(y, inner, 1, 1)},
                                             {true, "before", rows.explained(y, inner, -1, 0)},
                                             {true, "behind", rows.explained(y, inner, 1, 0)}};
  const Candidate& best =
      *std::max_element(candidates.begin(), candidates.end(),
                        [](const Candidate& a, const Candidate& b) { return a.explained.share < b.explained.share; });
  if (!far_better(best.explained, own)) return std::nullopt;
  const double own_share = std::max(0.0, own.share), other = best.explained.share;
  if (best.states) {
    return Finding{Severity::warning,
                   "states_shifted",
                   {{"column", column}, {"row", best.row}, {"own", own_share}, {"other", other}}};
  }
  return Finding{Severity::warning,
                 "probabilities_shifted",
                 {{"column", column}, {"row", best.row}, {"own", own_share}, {"other", other}}};
}

// ---- the same state and action with different probabilities --------------------------------------------------------

constexpr std::int64_t most_neighbors = 2000;

// How much of the variance of y is left between the closest tenth of the pairs of neighbors.
std::optional<double> left_between(const std::vector<NearestRow>& neighbors, const std::vector<double>& y) {
  double sum = 0.0, squares = 0.0;
  std::vector<std::pair<double, double>> pairs;  // distance, squared difference of y
  for (const NearestRow& each : neighbors) {
    const double here = y[each.row], apart = here - y[each.other];
    sum += here;
    squares += here * here;
    pairs.emplace_back(each.distance, apart * apart);
  }
  const auto n = static_cast<double>(pairs.size());
  const double variance = squares / n - sum / n * (sum / n);
  if (pairs.size() < 200 || !(variance > 1e-9 * squares / n)) return std::nullopt;
  const std::size_t closest = pairs.size() / 10;
  std::partial_sort(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(closest), pairs.end());
  double left = 0.0;
  for (std::size_t k = 0; k < closest; ++k) left += pairs[k].second;
  return left / static_cast<double>(closest) / (2.0 * variance);
}

std::vector<NearestRow> neighbors_of(const Dataset& data) {
  const auto* states = std::get_if<DenseStates>(&data.states());
  const auto* actions = std::get_if<DiscreteActions>(&data.actions());
  if (states == nullptr || actions == nullptr || data.steps() < fewest_ordered_rows) return {};
  return nearest_rows(data, *states, *actions, most_neighbors);
}

// Columns that say nothing keep rows apart that are the same to the policy: the same, where each counts by what it says
// of y.
std::optional<double> left_where_it_matters(const Dataset& data, const std::vector<double>& y) {
  const auto& states = std::get<DenseStates>(data.states());
  const auto& actions = std::get<DiscreteActions>(data.actions());
  const std::vector<double> relevance = feature_relevance(states, actions, y, most_neighbors);
  if (std::all_of(relevance.begin(), relevance.end(), [](double w) { return w == 0.0; })) return std::nullopt;
  return left_between(nearest_rows(data, states, actions, most_neighbors, relevance), y);
}

std::optional<Finding> inconsistent(const Dataset& data, const Rows& rows, const std::vector<NearestRow>& neighbors,
                                    const std::vector<double>& y, const char* column) {
  std::optional<double> left = left_between(neighbors, y);
  if (std::holds_alternative<DiscreteStates>(data.states())) {
    if (const Explained own = rows.explained(y); own.rows > 0) left = 1.0 - own.share;
  }
  constexpr double unexplained = 0.25, explained = 0.1;
  if (!left || *left < unexplained) return std::nullopt;
  if (std::holds_alternative<DenseStates>(data.states()) && left_where_it_matters(data, y).value_or(1.0) < explained)
    return std::nullopt;
  return Finding{Severity::warning, "inconsistent_probabilities", {{"column", column}, {"left", std::min(1.0, *left)}}};
}

// ---- the order of the rows -----------------------------------------------------------------------------------------

// In any order, sum (x_{t+1} - x_t)^2 has the mean 2 (T - 1) s^2 over all orders of the same rows, s^2 being their
// variance: what is left is zero on average if the order says nothing.
struct Roughness {
  ZeroMeans left{1};
  double expected = 0.0;
  double between = 0.0, within = 0.0, degrees = 0.0;  // of the means of episodes
};

Roughness roughness_of(const Dataset& data, const DenseStates& dense, std::int64_t feature) {
  Roughness result;
  std::vector<double> values(data.steps());
  dense.values.visit([&](const auto& all) {
    const auto* const at = all.data() + feature;
    for (std::int64_t i = 0; i < data.steps(); ++i) values[i] = static_cast<double>(at[i * dense.dimension]);
  });
  double grand = 0.0;
  for (const double x : values) grand += x;
  grand /= static_cast<double>(data.steps());
  for (std::int64_t e = 0; e < data.episodes(); ++e) {
    const std::int64_t length = data.length(e), first = data.first_step(e);
    if (length < 4) continue;
    const auto x = [at = values.data() + first](std::int64_t t) { return at[t]; };
    double mean = 0.0, squares = 0.0, steps = 0.0;
    for (std::int64_t t = 0; t < length; ++t) mean += x(t);
    mean /= static_cast<double>(length);
    for (std::int64_t t = 0; t < length; ++t) squares += (x(t) - mean) * (x(t) - mean);
    for (std::int64_t t = 1; t < length; ++t) steps += (x(t) - x(t - 1)) * (x(t) - x(t - 1));
    const double expected = 2.0 * squares;  // 2 (T - 1) s^2
    result.expected += expected;
    result.left.add(0, steps - expected);
    result.left.close_episode();
    result.between += static_cast<double>(length) * (mean - grand) * (mean - grand);
    result.within += squares;
    result.degrees += static_cast<double>(length - 1);
  }
  return result;
}

std::optional<Finding> shuffled(const Dataset& data) {
  const auto* dense = std::get_if<DenseStates>(&data.states());
  if (dense == nullptr) return std::nullopt;
  bool tellable = false;
  double roughest = 0.0;
  for (std::int64_t k = 0; k < std::min<std::int64_t>(dense->dimension, 64); ++k) {
    const Roughness rough = roughness_of(data, *dense, k);
    if (!(rough.expected > 0.0) || rough.left[0].episodes < 30) continue;
    const double off = rough.left[0].sum / rough.expected;
    const double noise = rough.left[0].spread() / rough.expected;
    if (std::abs(off) > std::max(3.5 * noise, 0.01)) return std::nullopt;  // the order says something
    const auto episodes = static_cast<double>(rough.left[0].episodes);
    // Rows of independent draws would give episodes the same mean; these have something in common.
    const double f = rough.between / (episodes - 1.0) / (rough.within / rough.degrees);
    if (noise < 0.02 && std::abs(off) < 0.04 && f > 1.5) tellable = true, roughest = std::max(roughest, 1.0 + off);
  }
  if (!tellable) return std::nullopt;
  return Finding{Severity::warning, "shuffled_rows", {{"roughness", roughest}}};
}

}  // namespace

std::vector<Finding> order_findings(const Dataset& sample, bool behavior_logged) {
  std::vector<Finding> found;
  const Rows rows(sample);
  if (!rows.have_states()) return found;
  std::vector<std::pair<const char*, std::vector<double>>> columns;
  if (sample.behavior() && behavior_logged)
    columns.emplace_back("behavior", all_linear(*sample.behavior(), sample.steps()));
  if (sample.target()) columns.emplace_back("target", all_linear(*sample.target(), sample.steps()));
  if (std::holds_alternative<DiscreteActions>(sample.actions())) {
    bool moved = false;
    for (const auto& [column, y] : columns) {
      if (auto finding = shifted(rows, y, column)) {
        // States in the wrong row spoil both columns; once is enough.
        const bool known = !found.empty() && found.back().code == finding->code && finding->code == "states_shifted";
        if (!known) found.push_back(*std::move(finding));
        moved = true;
      }
    }
    const std::vector<NearestRow> neighbors = moved ? std::vector<NearestRow>() : neighbors_of(sample);
    for (const auto& [column, y] : columns) {
      if (moved) break;
      if (auto finding = inconsistent(sample, rows, neighbors, y, column)) found.push_back(*std::move(finding));
    }
    if (auto finding = misplaced_rewards(sample)) found.push_back(*std::move(finding));
  }
  if (auto finding = shuffled(sample)) found.push_back(*std::move(finding));
  return found;
}

}  // namespace starope
