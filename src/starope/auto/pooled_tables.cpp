#include "starope/auto/pooled_tables.hpp"

#include <algorithm>
#include <cmath>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/auto/row_sums.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

// Writes the rows of one member. Its cells are tables' cells from `first` on.
class MemberSolve {
 public:
  MemberSolve(PooledTables& tables, const ArpModel& model, double gamma, std::size_t first)
      : tables_(tables), model_(model), gamma_(gamma), first_(first), cells_(static_cast<std::size_t>(model.cells)) {}

  void values() {
    std::vector<double> next(cells_, 0.0), here(cells_);
    for (std::size_t k = tables_.horizon; k-- > 0;) {
      for (std::size_t z = 0; z < cells_; ++z) {
        double expected = 0.0;
        for_moves(z, [&](std::size_t to, double p) { expected += p * next[to]; });
        here[z] = model_.reward[z] + gamma_ * expected;
        tables_.values[(first_ + z) * tables_.value_stride + k] = here[z];
      }
      std::swap(here, next);
    }
    plain = 0.0;
    for (std::size_t z = 0; z < cells_; ++z) plain += model_.start[z] * next[z];
  }

  // Also adds up how much mass is left at every step, and how much enters cells without outcomes.
  void mass() {
    std::vector<double> here(model_.start), next(cells_);
    mass_of_step.assign(tables_.horizon, 0.0);
    for (std::size_t k = 0; k < tables_.horizon; ++k) {
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t z = 0; z < cells_; ++z) {
        const double d = here[z];
        if (d == 0.0) continue;
        tables_.mass[(first_ + z) * tables_.mass_stride + k] = d;
        tables_.total_mass[first_ + z] += d;
        mass_of_step[k] += d;
        if (!(model_.seen[z] > 0.0)) {
          if (k + 1 < tables_.horizon) unsupported += d;
          continue;
        }
        for_moves(z, [&](std::size_t to, double p) { next[to] += gamma_ * p * d; });
      }
      std::swap(here, next);
    }
  }

  double plain = 0.0;
  double unsupported = 0.0;
  std::vector<double> mass_of_step{};

 private:
  template <class Visit>
  void for_moves(std::size_t z, const Visit& visit) const {
    const auto last = static_cast<std::size_t>(model_.transition.offsets[z + 1]);
    for (auto e = static_cast<std::size_t>(model_.transition.offsets[z]); e < last; ++e) {
      visit(static_cast<std::size_t>(model_.transition.column[e]), model_.transition.value[e]);
    }
  }

  PooledTables& tables_;
  const ArpModel& model_;
  double gamma_;
  std::size_t first_, cells_;
};

}  // namespace

PooledTables empty_tables(const Bag& bag, const Problem& problem) {
  PooledTables tables;
  tables.horizon = static_cast<std::size_t>(problem.horizon()->steps());
  tables.mass_stride = padded_to_lanes(tables.horizon);
  tables.value_stride = padded_to_lanes(tables.horizon + 1);
  tables.first_cell.push_back(0);
  for (const Labels& member : bag.members) {
    tables.first_cell.push_back(tables.first_cell.back() + static_cast<std::uint32_t>(member.cells));
  }
  const std::size_t cells = tables.first_cell.back();
  tables.values.assign(cells * tables.value_stride, 0.0);
  tables.mass.assign(cells * tables.mass_stride, 0.0);
  for (auto* column : {&tables.total_mass, &tables.reward, &tables.per_visit, &tables.per_seen}) {
    column->assign(cells, 0.0);
  }
  tables.plain.assign(bag.members.size(), 0.0);
  tables.mass_of_step.assign(tables.horizon, 0.0);
  return tables;
}

PooledTables pooled_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                           Threads threads) {
  STAROPE_ASSERT(problem.horizon().has_value() && !episodes.empty());
  PooledTables tables = empty_tables(bag, problem);
  std::vector<std::vector<double>> mass_of_step(bag.members.size());
  std::vector<double> unsupported(bag.members.size());

  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t member) {
    const ArpFold recipe(bag.members[member], problem, {.clip = Clip::last(1), .truncation = TruncationRule::censor});
    ArpStatistic statistic = recipe.identity();
    for (const std::int64_t i : episodes) recipe.add(statistic, problem.episode(i));
    const ArpModel model = make_model(statistic);
    const std::size_t first = tables.first_cell[member];
    const auto n = static_cast<double>(episodes.size());
    // Sums of weights are in units of 2^(256 unit); the weights of the scores are not.
    const int shift = -256 * statistic.unit.value_or(0);
    for (std::size_t z = 0; z < static_cast<std::size_t>(model.cells); ++z) {
      tables.reward[first + z] = model.reward[z];
      if (model.visit[z] > 0.0) tables.per_visit[first + z] = std::ldexp(n / model.visit[z], shift);
      if (model.seen[z] > 0.0) tables.per_seen[first + z] = std::ldexp(n / model.seen[z], shift);
    }
    MemberSolve solve(tables, model, problem.discount().gamma(), first);
    solve.values();
    solve.mass();
    tables.plain[member] = solve.plain;
    unsupported[member] = solve.unsupported;
    mass_of_step[member] = std::move(solve.mass_of_step);
  });

  const auto members = static_cast<double>(bag.members.size());
  for (std::size_t m = 0; m < bag.members.size(); ++m) {
    tables.unsupported += unsupported[m] / members;
    for (std::size_t k = 0; k < tables.horizon; ++k) tables.mass_of_step[k] += mass_of_step[m][k] / members;
  }
  return tables;
}

}  // namespace starope
