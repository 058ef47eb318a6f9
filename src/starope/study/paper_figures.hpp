#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starope {

// Mean squared errors of the paper's Figure 3, read off its logarithmic axis (about 10 % off).
struct PaperReading {
  double star_best = 0.0;
  double star_median = 0.0;
  double baseline_best = 0.0;
  std::string baseline{};        // which one
  bool star_best_below = false;  // the bar ends below the axis: less than star_best
};

// Of a case of the paper; the frozen variant of ICU-Sepsis has the readings of ICU-Sepsis.
std::optional<PaperReading> paper_reading(std::string_view domain, std::int64_t size);

}  // namespace starope
