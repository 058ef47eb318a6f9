#pragma once

#include <cstddef>

namespace starope {

// out[j] = sqrt(2) cos(phases[j] + sum over i of x[i] directions[i * count + j]), the cosine to within 1e-11 for angles
// below a million. The same bits for any width of the machine's vectors: no fused operations, no table.
struct WaveRow {
  const double* x;
  std::size_t features;
  const double* directions;  // features x count
  const double* phases;
  std::size_t count;
  double* out;
};
void wave_row(const WaveRow& row);

}  // namespace starope
