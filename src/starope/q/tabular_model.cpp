#include "starope/q/tabular_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/arp/absorbing_chain.hpp"
#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

struct Entry {
  std::size_t from = 0;
  Label to = 0;
  double mass = 0.0;
};

// Sorted by (from, to), equal ones added.
SparseRows make_rows(std::vector<Entry> entries, std::size_t rows) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  SparseRows result;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = result.column.size();
    for (; at < entries.size() && entries[at].from == row; ++at) {
      if (result.column.size() > first && result.column.back() == entries[at].to) {
        result.value.back() += entries[at].mass;
      } else {
        result.column.push_back(entries[at].to);
        result.value.push_back(entries[at].mass);
      }
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  return result;
}

double times(const SparseRows& rows, std::size_t row, std::span<const double> x) {
  const auto columns = rows.columns_of(static_cast<std::int64_t>(row));
  const auto values = rows.values_of(static_cast<std::int64_t>(row));
  double sum = 0.0;
  for (std::size_t e = 0; e < values.size(); ++e) sum += values[e] * x[columns[e]];
  return sum;
}

// pi_e as a function of the cell, where it is one: cells x actions. Empty if it differs inside a cell.
std::vector<double> policy_of_cells(const QLogs& logs, const StateFeatures& features) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  std::vector<double> policy(static_cast<std::size_t>(features.width) * actions, 0.0);
  std::vector<bool> seen(features.width, false);
  for (std::int64_t row = 0; row < logs.problem().data().steps(); ++row) {
    const std::size_t z = features.cell[row];
    const auto pi = logs.target(row);
    double* known = policy.data() + z * actions;
    if (!seen[z]) std::copy(pi.begin(), pi.end(), known);
    seen[z] = true;
    if (!std::equal(pi.begin(), pi.end(), known, [](double a, double b) { return std::abs(a - b) <= 1e-12; }))
      return {};
  }
  return policy;
}

// The counts of pairs p = (action, cell), and a chain of nodes that the value is solved on. A node is a cell if pi_e is
// a function of cells: then v(z) = sum_a pi(a|z) Q(z, a). Otherwise it is a pair itself.
class Model {
 public:
  Model(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes)
      : width_(static_cast<std::size_t>(features.width)),
        actions_(static_cast<std::size_t>(logs.actions())),
        gamma_(logs.gamma()),
        policy_(policy_of_cells(logs, features)) {
    const std::size_t pairs = width_ * actions_;
    reward_.assign(pairs, 0.0);
    exit_.assign(pairs, 0.0);
    seen_.assign(pairs, 0.0);
    count(logs, features, episodes);
  }

  std::size_t nodes() const { return by_cell() ? width_ : width_ * actions_; }
  bool by_cell() const { return !policy_.empty(); }
  const std::vector<double>& reward() const { return reward_; }

  // E[v(next)] of every pair.
  std::vector<double> outcome(std::span<const double> v) const {
    std::vector<double> result(reward_.size());
    for (std::size_t p = 0; p < result.size(); ++p) result[p] = times(next_, p, v);
    return result;
  }

  // v of the nodes for Q of the pairs.
  std::vector<double> values(std::span<const double> outcome) const {
    std::vector<double> v(nodes(), 0.0);
    for (std::size_t p = 0; p < reward_.size(); ++p) {
      const double q = reward_[p] + gamma_ * outcome[p];
      if (by_cell()) {
        v[p % width_] += policy_[p % width_ * actions_ + p / width_] * q;
      } else {
        v[p] = q;
      }
    }
    return v;
  }

  std::vector<double> solve() const {
    std::vector<Entry> entries;
    std::vector<double> reward(nodes(), 0.0), leak(nodes(), 0.0);
    for (std::size_t p = 0; p < reward_.size(); ++p) {
      const std::size_t node = by_cell() ? p % width_ : p;
      const double share = by_cell() ? policy_[p % width_ * actions_ + p / width_] : 1.0;
      if (share == 0.0) continue;
      // 1 - g (1 - exit), as a sum of non-negative terms. Where nothing was seen the process stops.
      leak[node] += share * (seen_[p] > 0.0 ? exit_[p] + (1.0 - gamma_) * (1.0 - exit_[p]) : 1.0);
      reward[node] += share * reward_[p];
      const auto columns = next_.columns_of(static_cast<std::int64_t>(p));
      const auto mass = next_.values_of(static_cast<std::int64_t>(p));
      for (std::size_t e = 0; e < mass.size(); ++e) entries.push_back({node, columns[e], share * gamma_ * mass[e]});
    }
    const AbsorbingChain chain(make_rows(std::move(entries), nodes()), leak, start_);
    if (!chain.trapped().empty()) {
      const std::size_t shown = std::min<std::size_t>(chain.trapped().size(), 10);
      throw DegenerateModel(fmt::format(
          "the value does not exist: from {} ({}{}) the estimated process never ends under the target policy. Give a "
          "horizon or a discount below 1",
          counted(static_cast<std::int64_t>(chain.trapped().size()), by_cell() ? "state" : "pair of state and action"),
          fmt::join(std::span(chain.trapped()).first(shown), ", "), shown < chain.trapped().size() ? ", ..." : ""));
    }
    return chain.values(reward);
  }

 private:
  void count(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes) {
    std::vector<double> visits(reward_.size(), 0.0);
    std::vector<Entry> entries;
    const auto cell = [&](std::int64_t row) { return features.cell[row]; };
    start_.assign(nodes(), 0.0);
    const auto arrive = [&](std::int64_t row, const auto& use) {
      if (by_cell()) {
        use(cell(row), 1.0);
        return;
      }
      const auto pi = logs.target(row);
      for (std::size_t a = 0; a < pi.size(); ++a) {
        if (pi[a] > 0.0) use(static_cast<Label>(a * width_ + cell(row)), pi[a]);
      }
    };
    for (const LoggedStep& step : logs.steps(episodes)) {
      const std::size_t p = static_cast<std::size_t>(step.action) * width_ + cell(step.row);
      visits[p] += 1.0;
      reward_[p] += step.reward;
      if (step.t == 0) {
        arrive(step.row, [&](Label node, double mass) { start_[node] += mass / static_cast<double>(episodes.size()); });
      }
      if (step.outcome == Outcome::Kind::unknown) continue;
      seen_[p] += 1.0;
      if (step.outcome == Outcome::Kind::ended) {
        exit_[p] += 1.0;
      } else {
        arrive(step.next_row, [&](Label node, double mass) { entries.push_back({p, node, mass}); });
      }
    }
    next_ = make_rows(std::move(entries), reward_.size());
    for (std::size_t p = 0; p < reward_.size(); ++p) {
      if (visits[p] > 0.0) reward_[p] /= visits[p];
      if (seen_[p] > 0.0) exit_[p] /= seen_[p];
      for (auto e = static_cast<std::size_t>(next_.offsets[p]); e < static_cast<std::size_t>(next_.offsets[p + 1]); ++e)
        next_.value[e] /= seen_[p];
    }
  }

  std::size_t width_, actions_;
  double gamma_;
  std::vector<double> policy_;
  std::vector<double> reward_, exit_, seen_;  // of pairs: mean, share, steps whose outcome is known
  SparseRows next_;                           // from pairs to nodes
  std::vector<double> start_;                 // of nodes
};

}  // namespace

QLayers solve_tabular_model(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> episodes) {
  STAROPE_ASSERT(features.indicator());
  const Model model(logs, features, episodes);
  QLayers layers{.reward = model.reward(), .outcome = {}};
  if (!logs.horizon()) {
    layers.outcome.push_back(model.outcome(model.solve()));
    return layers;
  }
  layers.outcome.emplace_back(model.reward().size(), 0.0);
  const std::int64_t horizon = logs.horizon()->steps();
  const auto width = static_cast<double>(model.reward().size());
  const StepBudget budget({.what = fmt::format("a model of {}", counted(horizon, "step")),
                           .operations = static_cast<double>(horizon) * width,  // at least
                           .bytes = 8.0 * static_cast<double>(horizon) * width,
                           .remedy = "Give a smaller horizon"},
                          horizon);
  for (std::int64_t s = 2; s <= horizon; ++s) {
    budget.expect_possible(s);
    Coefficients next = model.outcome(model.values(layers.outcome.back()));
    if (next == layers.outcome.back()) break;  // a fixed point: more steps to go change nothing
    layers.outcome.push_back(std::move(next));
  }
  layers.iterations = static_cast<std::int64_t>(layers.outcome.size());
  return layers;
}

}  // namespace starope
