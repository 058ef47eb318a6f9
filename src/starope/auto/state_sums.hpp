#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/auto/coalitions.hpp"
#include "starope/auto/pooled_tables.hpp"
#include "starope/types.hpp"

namespace starope {

// What scores need to know of a state: sums over the members of every coalition, in the order of coalition_shares.
// Behind every [coalition][k] lie 2 row_lanes readable numbers (see bracket_sum; windows read a little further).
struct ValueSums {
  const double* values = nullptr;  // [coalition][k]: V_k, rows tables.value_stride apart
  const double* reward = nullptr;  // [coalition]: r
};

struct MassSums {
  const double* omega = nullptr;  // [coalition][k]: d_k times the factor of its cell, rows tables.mass_stride apart
  const double* total = nullptr;  // [coalition]: episodes times (sum over k of d_k) / N
};

// Where many rows share few points (discrete states), the sums of every point are taken once and kept, if they are not
// too large for that; the bits are the same.
class StateSums {
 public:
  // `factors`: one per cell, for omega. All arguments must outlive the sums.
  StateSums(const Bag& bag, const PooledTables& tables, Coalitions coalitions, std::span<const double> factors,
            Threads threads);

  // Looks at states for one thread. What it returns is valid until it looks at values with the same slot, or at mass,
  // again.
  class Look {
   public:
    explicit Look(const StateSums& sums);
    ValueSums values(std::int64_t row, std::size_t slot);
    MassSums mass(std::int64_t row);

   private:
    struct Slot {
      std::vector<double> values{}, reward{};
    };

    const StateSums& sums_;
    std::vector<std::uint32_t> cells_;
    std::vector<double> factors_, omega_, total_;
    std::vector<Slot> slots_{};
  };

 private:
  // Numbers that the sums of one state take.
  std::size_t value_size() const noexcept { return count_ * tables_.value_stride; }
  std::size_t mass_size() const noexcept { return count_ * tables_.mass_stride; }

  void sum_rows_of(const std::vector<double>& table, std::size_t stride, const std::uint32_t* cells,
                   const double* factors, double* out) const;
  void sum_values(std::span<const std::uint32_t> cells, double* values, double* reward) const;
  void sum_mass(std::span<const std::uint32_t> cells, std::span<double> scratch, double* omega, double* total) const;
  void keep_points(Threads threads);

  const Bag& bag_;
  const PooledTables& tables_;
  Coalitions coalitions_;
  std::size_t count_;  // of coalitions
  std::span<const double> factors_;
  std::vector<double> values_{}, reward_{}, omega_{}, total_{};  // [point]; empty: not kept
};

}  // namespace starope
