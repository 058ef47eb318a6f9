#pragma once

#include <cstddef>

namespace starope {

// x[i] = cos x[i], to within 1e-11 for |x| below a million. The same bits for any width of the machine's vectors: no
// fused operations, no table.
void cosines(double* x, std::size_t count);

}  // namespace starope
