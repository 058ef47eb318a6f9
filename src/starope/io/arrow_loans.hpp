#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "starope/data.hpp"
#include "starope/io/arrow_array.hpp"

namespace starope::io {

// Numbers of a batch that logs use where they lie. Whoever has some of them keeps the array of their column alive, and
// not the rest of the batch.
class ArrowLoans {
 public:
  // The values first .. first+count-1 of `values`, which is the column with this number or lies inside it. None: they
  // are no doubles or floats, lie where none can, or the column cannot outlive its batch.
  std::optional<RealColumn> lend(const ArrowArray& batch, std::size_t child, const ArrowType& type,
                                 const ArrowArray& values, std::int64_t first, std::int64_t count);

  // Takes the columns that were lent out of the batch, which must then be released without a further look.
  void take_from(ArrowArray& batch);

 private:
  struct Loan {
    std::size_t child = 0;
    std::shared_ptr<ArrowOwned<ArrowArray>> owner{};
  };
  std::vector<Loan> loans_{};
};

}  // namespace starope::io
