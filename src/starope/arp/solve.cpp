#include "starope/arp/solve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "starope/arp/absorbing_chain.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

[[noreturn]] void no_exit(const std::vector<std::int64_t>& trapped) {
  const std::size_t shown = std::min<std::size_t>(trapped.size(), 10);
  throw DegenerateModel(fmt::format(
      "the value does not exist: from {} ({}{}) the estimated process never ends, because no logged end of an episode "
      "with a positive weight can be reached from there. Give a horizon, a discount below 1, a smaller clip, or fewer "
      "abstract states",
      counted(static_cast<std::int64_t>(trapped.size()), "abstract state"),
      fmt::join(std::span(trapped).first(shown), ", "), shown < trapped.size() ? ", ..." : ""));
}

void add_row_means(const ArpModel& model, ArpSolution& solution) {
  solution.mean_slope.assign(solution.values.size(), 0.0);
  for (std::int64_t z = 0; z < model.cells; ++z) {
    const auto first = static_cast<std::size_t>(model.transition.offsets[z]);
    const auto p = model.transition.values_of(z);
    solution.mean_slope[z] = dot(p, std::span(solution.slope).subspan(first, p.size()));
  }
}

ArpSolution solve_without_horizon(const ArpModel& model, double g) {
  const auto cells = static_cast<std::size_t>(model.cells);
  SparseRows q = model.transition;
  for (double& x : q.value) x *= g;
  // 1 - g (1 - exit) = exit + (1 - g) (1 - exit): a sum of non-negative terms. Where nothing was seen the process
  // stops.
  std::vector<double> leak(cells, 1.0);
  for (std::size_t z = 0; z < cells; ++z) {
    if (model.seen[z] > 0.0) leak[z] = model.exit[z] + (1.0 - g) * (1.0 - model.exit[z]);
  }
  const AbsorbingChain chain(q, leak, model.start);
  if (!chain.trapped().empty()) no_exit(chain.trapped());

  ArpSolution solution;
  solution.values = chain.values(model.reward);
  solution.visits = chain.visits(model.start);
  solution.value = dot(model.start, solution.values);
  solution.slope.resize(q.value.size());
  for (std::size_t z = 0; z < cells; ++z) {
    for (auto e = static_cast<std::size_t>(q.offsets[z]); e < static_cast<std::size_t>(q.offsets[z + 1]); ++e) {
      solution.slope[e] = g * solution.visits[z] * solution.values[q.column[e]];
    }
    if (model.seen[z] == 0.0 && solution.visits[z] > 0.0) {
      solution.unsupported += solution.visits[z];
      solution.unsupported_cells.push_back(static_cast<Label>(z));
    }
  }
  return solution;
}

// v <- R + Q v
void step_back(const ArpModel& model, const SparseRows& q, const std::vector<double>& after,
               std::vector<double>& before) {
  for (std::int64_t z = 0; z < model.cells; ++z) {
    const auto columns = q.columns_of(z);
    const auto share = q.values_of(z);
    double sum = 0.0;
    for (std::size_t e = 0; e < share.size(); ++e) sum += share[e] * after[columns[e]];
    before[z] = model.reward[z] + sum;
  }
}

// d <- Q' d
void step_forward(const SparseRows& q, const std::vector<double>& before, std::vector<double>& after) {
  std::fill(after.begin(), after.end(), 0.0);
  for (std::int64_t z = 0; z < q.rows(); ++z) {
    const double mass = before[z];
    if (mass == 0.0) continue;
    const auto columns = q.columns_of(z);
    const auto share = q.values_of(z);
    for (std::size_t e = 0; e < share.size(); ++e) after[columns[e]] += mass * share[e];
  }
}

// Backwards from the horizon: V_H = 0, V_{H-1}, ... A process that ends settles long before a far horizon, and its
// values are then the same at all steps before; one that goes on for ever needs all of them.
class ValuesToGo {
 public:
  ValuesToGo(const ArpModel& model, const SparseRows& q, std::int64_t horizon)
      : values_(1), budget_(cost_of(model, horizon), horizon) {
    const auto cells = static_cast<std::size_t>(model.cells);
    values_.front().assign(cells, 0.0);
    for (std::int64_t k = 0; k < horizon; ++k) {
      budget_.expect_possible(k);
      std::vector<double> next(cells);
      step_back(model, q, values_.back(), next);
      if (settled(values_.back(), next)) break;
      values_.push_back(std::move(next));
    }
  }

  void expect_possible(std::int64_t steps) const { budget_.expect_possible(steps); }
  // Whether so many steps bring nothing that one fewer does not.
  bool settled_within(std::int64_t steps) const { return static_cast<std::int64_t>(values_.size()) <= steps; }
  const std::vector<double>& operator()(std::int64_t steps) const {
    return values_[std::min(static_cast<std::size_t>(steps), values_.size() - 1)];
  }

 private:
  // Backwards and forwards, with the slopes.
  static Work cost_of(const ArpModel& model, std::int64_t horizon) {
    const auto steps = static_cast<double>(horizon), cells = static_cast<double>(model.cells);
    return {.what = fmt::format("a horizon of {} over {}", counted(horizon, "step"), counted(model.cells, "cell")),
            .operations = 4.0 * steps * (cells + static_cast<double>(model.transition.value.size())),
            .bytes = 8.0 * steps * cells,
            .remedy = "Give a smaller horizon, or none with a discount below 1"};
  }

  // To the last bit; where that would take for ever, to what rounding leaves.
  bool settled(const std::vector<double>& before, const std::vector<double>& after) const {
    if (before == after) return true;
    if (!budget_.limited()) return false;
    double change = 0.0, largest = 0.0;
    for (std::size_t z = 0; z < after.size(); ++z) {
      change = std::max(change, std::abs(after[z] - before[z]));
      largest = std::max(largest, std::abs(after[z]));
    }
    return change <= 1e-15 * largest;
  }

  std::vector<std::vector<double>> values_;
  StepBudget budget_;
};

// J = eta . V_0 = eta . (V of the first m steps) + d_m . V_m: values go back from the horizon and visits forward from
// the start, until they meet. ProcessLanes make both with one look at the moves, and have these bits.
ArpSolution solve_with_horizon(const ArpModel& model, double g, std::int64_t horizon) {
  const auto cells = static_cast<std::size_t>(model.cells);
  SparseRows q = model.transition;
  for (double& x : q.value) x *= g;
  const ValuesToGo value_with(model, q, horizon);
  const std::int64_t middle = horizon / 2;

  ArpSolution solution;
  solution.values = value_with(horizon);
  solution.value = dot(model.start, value_with(middle));
  solution.visits.assign(cells, 0.0);
  solution.slope.assign(model.transition.value.size(), 0.0);
  std::vector<double> entered(cells, 0.0);
  std::vector<double> d = model.start, next(cells);
  for (std::int64_t k = 0; k < horizon; ++k) {
    if (k == middle && !value_with.settled_within(middle)) solution.value += dot(d, value_with(horizon - middle));
    const std::vector<double>& after = value_with(horizon - k - 1);  // V_{k+1}
    bool alive = false;
    for (std::size_t z = 0; z < cells; ++z) {
      if (d[z] == 0.0) continue;
      alive = true;
      solution.visits[z] += d[z];
      // A last step needs its reward only; what follows it does not count.
      if (model.visit[z] == 0.0 || (model.seen[z] == 0.0 && k + 1 < horizon)) entered[z] += d[z];
      for (auto e = static_cast<std::size_t>(model.transition.offsets[z]);
           e < static_cast<std::size_t>(model.transition.offsets[z + 1]); ++e) {
        solution.slope[e] += g * d[z] * after[model.transition.column[e]];
      }
    }
    if (!alive) break;
    value_with.expect_possible(k);
    step_forward(q, d, next);
    std::swap(d, next);
  }
  for (std::size_t z = 0; z < cells; ++z) {
    if (entered[z] == 0.0) continue;
    solution.unsupported += entered[z];
    solution.unsupported_cells.push_back(static_cast<Label>(z));
  }
  return solution;
}

}  // namespace

ArpSolution solve(const ArpModel& model, Discount discount, std::optional<Horizon> horizon) {
  ArpSolution solution = horizon ? solve_with_horizon(model, discount.gamma(), horizon->steps())
                                 : solve_without_horizon(model, discount.gamma());
  add_row_means(model, solution);
  return solution;
}

}  // namespace starope
