#pragma once

#include <span>
#include <vector>

namespace starope {

// The delete-a-group jackknife with groups of different sizes (Busing, Meijer & van der Leeden 1999): the standard
// error of an estimate from its value on all observations and its values with one group left out each.
struct JackknifeError {
  double std_error = 0.0;
  std::vector<double> scores{};  // one per group: pseudovalues minus their mean
};

// `left_out[g]` is the estimate without group g, which has size[g] > 0 observations. At least two groups.
JackknifeError jackknife(double value, std::span<const double> left_out, std::span<const double> size);

}  // namespace starope
