#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/coalitions.hpp"
#include "starope/auto/cross_scores.hpp"
#include "starope/base/aligned.hpp"
#include "starope/types.hpp"

namespace starope {

// What scores need to know of a state, told in the basis of functions of the step of its tables (cross_scores.hpp):
// sums over the members of every coalition, in the order of coalition_shares.
//
// Where many rows share few points (discrete states), the sums of every point are taken once and kept, if they are not
// too large for that; the bits are the same.
class StateSums {
 public:
  // The tables have values of cells. The bag must outlive the sums.
  StateSums(const Bag& bag, const StepTables& tables, Coalitions coalitions, Threads threads);

  std::size_t value_stride() const noexcept { return cell_values_.width; }
  std::size_t mass_stride() const noexcept { return cell_mass_.width; }

  // Looks at states for one thread. What it returns is valid until it looks at values with the same slot, or at mass,
  // again.
  class Look {
   public:
    explicit Look(const StateSums& sums);
    const double* values(std::int64_t row, std::size_t slot);  // [coalition]: [v | r], value_stride() apart
    const double* mass(std::int64_t row);                      // [coalition]: [o | Omega | W | o1], mass_stride() apart

   private:
    const StateSums& sums_;
    std::vector<std::uint32_t> cells_;
    std::vector<double> mass_;
    std::vector<std::vector<double>> slots_{};
  };

 private:
  // Numbers that the sums of one state take.
  std::size_t value_size() const noexcept { return count_ * value_stride(); }
  std::size_t mass_size() const noexcept { return count_ * mass_stride(); }

  // Tables as they are, where lines of the cache begin.
  struct Table {
    std::size_t width;
    AlignedVector<double> numbers;

    explicit Table(const RowMatrix& of_cell)
        : width(static_cast<std::size_t>(of_cell.cols())), numbers(of_cell.data(), of_cell.data() + of_cell.size()) {}
  };

  void sum(const Table& table, const std::uint32_t* cells, double* out) const;
  void keep_points(Threads threads);

  const Bag& bag_;
  std::vector<std::uint32_t> first_cell_;
  Table cell_values_, cell_mass_;
  Coalitions coalitions_;
  std::size_t count_;                      // of coalitions
  std::vector<double> values_{}, mass_{};  // [point]; empty: not kept
};

}  // namespace starope
