#pragma once

#include <cstddef>
#include <vector>

#include "starope/stats/scaled.hpp"
#include "starope/types.hpp"

namespace starope {

// The product of the last `clip` factors, or of all of them, one factor at a time, in O(1) amortized.
//
// Dividing the oldest factor out would give 0/0 after a zero ratio and lose digits elsewhere. Two stacks do without:
// `back` holds the product of the newest factors; `front` holds suffix products of the older ones, so that dropping the
// oldest factor is dropping one stored product. When `front` runs empty the newest factors are turned into it.
class SlidingProduct {
 public:
  explicit SlidingProduct(Clip clip);
  void reset() noexcept;       // to no factors, as at the start of an episode
  Scaled push(double factor);  // the product after this factor has come in (and the oldest gone out)

 private:
  std::size_t window_;          // 0: no clip
  std::vector<double> newest_;  // factors behind back_, oldest first
  std::vector<Scaled> front_;   // products of the older factors from the i-th oldest on; the top belongs to the oldest
  Scaled back_;
};

}  // namespace starope
