#include "starope/auto/state_sums.hpp"

#include <algorithm>

#include "starope/auto/row_sums.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

constexpr std::size_t most_kept = 8'000'000;  // numbers: 64 MB

// A row of every point.
std::vector<std::int64_t> rows_of_points(const Bag& bag) {
  std::vector<std::int64_t> row_of(bag.points, -1);
  for (std::size_t row = 0; row < bag.point_of_row.size(); ++row) {
    row_of[bag.point_of_row[row]] = static_cast<std::int64_t>(row);
  }
  return row_of;
}

}  // namespace

StateSums::StateSums(const Bag& bag, const StepTables& tables, Coalitions coalitions, Threads threads)
    : bag_(bag),
      first_cell_(tables.first_cell),
      cell_values_(tables.cell_values),
      cell_mass_(tables.cell_mass),
      coalitions_(coalitions),
      count_(coalition_shares(bag, coalitions).size()) {
  const auto points = static_cast<std::size_t>(bag.points);
  const bool pays = points > 0 && 2 * points <= bag.point_of_row.size();
  if (pays && points * (value_size() + mass_size()) <= most_kept) keep_points(threads);
}

void StateSums::keep_points(Threads threads) {
  const std::vector<std::int64_t> row_of = rows_of_points(bag_);
  values_.resize(row_of.size() * value_size());
  mass_.resize(row_of.size() * mass_size());
  constexpr std::int64_t points_per_job = 64;
  const auto points = static_cast<std::int64_t>(row_of.size());
  parallel_for((points + points_per_job - 1) / points_per_job, threads, [&](std::int64_t job) {
    std::vector<std::uint32_t> cells(bag_.members.size());
    for (std::int64_t i = job * points_per_job; i < std::min(points, (job + 1) * points_per_job); ++i) {
      const auto p = static_cast<std::size_t>(i);
      if (row_of[p] < 0) continue;
      cells_of_row(bag_, first_cell_, row_of[p], cells);
      sum(cell_values_, cells.data(), values_.data() + p * value_size());
      sum(cell_mass_, cells.data(), mass_.data() + p * mass_size());
    }
  });
}

void StateSums::sum(const Table& table, const std::uint32_t* cells, double* out) const {
  const std::size_t width = table.width;
  const RowSums sums{.table = table.numbers.data(),
                     .stride = width,
                     .width = width,
                     .rows = cells,
                     .levels = bag_.levels(),
                     .seeds = bag_.seeds};
  if (coalitions_ == Coalitions::whole_bag) {
    sum_rows(sums, out);
  } else {
    sum_rows_nested(sums, out, out + bag_.levels() * width);
  }
}

StateSums::Look::Look(const StateSums& sums) : sums_(sums), cells_(sums.bag_.members.size()), mass_(sums.mass_size()) {}

const double* StateSums::Look::values(std::int64_t row, std::size_t slot) {
  if (!sums_.values_.empty()) {
    const auto p = static_cast<std::size_t>(sums_.bag_.point_of_row[row]);
    return sums_.values_.data() + p * sums_.value_size();
  }
  while (slots_.size() <= slot) slots_.emplace_back(sums_.value_size());
  cells_of_row(sums_.bag_, sums_.first_cell_, row, cells_);
  sums_.sum(sums_.cell_values_, cells_.data(), slots_[slot].data());
  return slots_[slot].data();
}

const double* StateSums::Look::mass(std::int64_t row) {
  if (!sums_.mass_.empty()) {
    const auto p = static_cast<std::size_t>(sums_.bag_.point_of_row[row]);
    return sums_.mass_.data() + p * sums_.mass_size();
  }
  cells_of_row(sums_.bag_, sums_.first_cell_, row, cells_);
  sums_.sum(sums_.cell_mass_, cells_.data(), mass_.data());
  return mass_.data();
}

}  // namespace starope
