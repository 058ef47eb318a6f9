#include "starope/auto/state_sums.hpp"

#include <algorithm>

#include "starope/auto/row_sums.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

constexpr std::size_t most_kept = 8'000'000;  // numbers: 64 MB
constexpr std::size_t readable_behind = 2 * row_lanes;

// A row of every point.
std::vector<std::int64_t> rows_of_points(const Bag& bag) {
  std::vector<std::int64_t> row_of(bag.points, -1);
  for (std::size_t row = 0; row < bag.point_of_row.size(); ++row) {
    row_of[bag.point_of_row[row]] = static_cast<std::int64_t>(row);
  }
  return row_of;
}

}  // namespace

StateSums::StateSums(const Bag& bag, const PooledTables& tables, Coalitions coalitions, std::span<const double> factors,
                     Threads threads)
    : bag_(bag),
      tables_(tables),
      coalitions_(coalitions),
      count_(coalition_shares(bag, coalitions).size()),
      factors_(factors) {
  const auto points = static_cast<std::size_t>(bag.points);
  const bool pays = points > 0 && 2 * points <= bag.point_of_row.size();
  if (pays && points * (value_size() + mass_size()) <= most_kept) keep_points(threads);
}

void StateSums::keep_points(Threads threads) {
  const std::vector<std::int64_t> row_of = rows_of_points(bag_);
  values_.resize(row_of.size() * value_size() + readable_behind);
  omega_.resize(row_of.size() * mass_size());
  reward_.resize(row_of.size() * count_);
  total_.resize(row_of.size() * count_);
  constexpr std::int64_t points_per_job = 64;
  const auto points = static_cast<std::int64_t>(row_of.size());
  parallel_for((points + points_per_job - 1) / points_per_job, threads, [&](std::int64_t job) {
    std::vector<std::uint32_t> cells(bag_.members.size());
    std::vector<double> scratch(bag_.members.size());
    for (std::int64_t i = job * points_per_job; i < std::min(points, (job + 1) * points_per_job); ++i) {
      const auto p = static_cast<std::size_t>(i);
      if (row_of[p] < 0) continue;
      cells_of_row(bag_, tables_.first_cell, row_of[p], cells);
      sum_values(cells, values_.data() + p * value_size(), reward_.data() + p * count_);
      sum_mass(cells, scratch, omega_.data() + p * mass_size(), total_.data() + p * count_);
    }
  });
}

void StateSums::sum_rows_of(const std::vector<double>& table, std::size_t stride, const std::uint32_t* cells,
                            const double* factors, double* out) const {
  const RowSums sums{.table = table.data(),
                     .stride = stride,
                     .width = stride,
                     .rows = cells,
                     .factors = factors,
                     .levels = bag_.levels(),
                     .seeds = bag_.seeds};
  if (coalitions_ == Coalitions::whole_bag) {
    sum_rows(sums, out);
  } else {
    sum_rows_nested(sums, out, out + bag_.levels() * stride);
  }
}

void StateSums::sum_values(std::span<const std::uint32_t> cells, double* values, double* reward) const {
  sum_rows_of(tables_.values, tables_.value_stride, cells.data(), nullptr, values);
  sum_over_coalitions(
      bag_, coalitions_, [&](std::size_t m) { return tables_.reward[cells[m]]; }, std::span(reward, count_));
}

void StateSums::sum_mass(std::span<const std::uint32_t> cells, std::span<double> scratch, double* omega,
                         double* total) const {
  for (std::size_t m = 0; m < cells.size(); ++m) scratch[m] = factors_[cells[m]];
  sum_rows_of(tables_.mass, tables_.mass_stride, cells.data(), scratch.data(), omega);
  sum_over_coalitions(
      bag_, coalitions_, [&](std::size_t m) { return tables_.per_visit[cells[m]] * tables_.total_mass[cells[m]]; },
      std::span(total, count_));
}

StateSums::Look::Look(const StateSums& sums)
    : sums_(sums),
      cells_(sums.bag_.members.size()),
      factors_(sums.bag_.members.size()),
      omega_(sums.mass_size()),
      total_(sums.count_) {}

ValueSums StateSums::Look::values(std::int64_t row, std::size_t slot) {
  if (!sums_.values_.empty()) {
    const auto p = static_cast<std::size_t>(sums_.bag_.point_of_row[row]);
    return {.values = sums_.values_.data() + p * sums_.value_size(), .reward = sums_.reward_.data() + p * sums_.count_};
  }
  while (slots_.size() <= slot) {
    slots_.push_back({std::vector<double>(sums_.value_size() + readable_behind), std::vector<double>(total_.size())});
  }
  Slot& to = slots_[slot];
  cells_of_row(sums_.bag_, sums_.tables_.first_cell, row, cells_);
  sums_.sum_values(cells_, to.values.data(), to.reward.data());
  return {.values = to.values.data(), .reward = to.reward.data()};
}

MassSums StateSums::Look::mass(std::int64_t row) {
  if (!sums_.omega_.empty()) {
    const auto p = static_cast<std::size_t>(sums_.bag_.point_of_row[row]);
    return {.omega = sums_.omega_.data() + p * sums_.mass_size(), .total = sums_.total_.data() + p * sums_.count_};
  }
  cells_of_row(sums_.bag_, sums_.tables_.first_cell, row, cells_);
  sums_.sum_mass(cells_, factors_, omega_.data(), total_.data());
  return {.omega = omega_.data(), .total = total_.data()};
}

}  // namespace starope
