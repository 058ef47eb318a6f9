#include "starope/stats/jackknife.hpp"

#include <cmath>
#include <cstddef>

#include "starope/base/assert.hpp"

namespace starope {

JackknifeError jackknife(double value, std::span<const double> left_out, std::span<const double> size) {
  STAROPE_ASSERT(left_out.size() == size.size() && size.size() >= 2);
  const auto groups = static_cast<double>(size.size());
  double all = 0.0;
  for (const double m : size) all += m;
  // With h = n / m the pseudovalue of a group is h J - (h - 1) J(left out); their mean, corrected for the sizes, is
  // G J - sum (1 - m / n) J(left out).
  double center = groups * value;
  for (std::size_t g = 0; g < size.size(); ++g) center -= (1.0 - size[g] / all) * left_out[g];
  JackknifeError error;
  double variance = 0.0;
  for (std::size_t g = 0; g < size.size(); ++g) {
    const double h = all / size[g];
    error.scores.push_back(h * value - (h - 1.0) * left_out[g] - center);
    variance += error.scores.back() * error.scores.back() / (h - 1.0);
  }
  error.std_error = std::sqrt(variance / groups);
  return error;
}

}  // namespace starope
