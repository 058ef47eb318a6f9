#include "starope/checks/nearest_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starope {
namespace {

struct Point {
  std::int64_t row = 0;
  std::int32_t action = 0;
  const double* at = nullptr;
};

// The chosen rows' states, each feature in standard deviations.
std::vector<double> scaled_states(const DenseStates& states, const std::vector<std::int64_t>& rows) {
  const std::int64_t d = states.dimension;
  std::vector<double> scaled(rows.size() * static_cast<std::size_t>(d));
  for (std::int64_t k = 0; k < d; ++k) {
    double sum = 0.0, squares = 0.0;
    for (const std::int64_t i : rows) {
      const double x = states.values[i * d + k];
      sum += x;
      squares += x * x;
    }
    const auto n = static_cast<double>(rows.size());
    const double variance = squares / n - sum / n * (sum / n);
    const double scale = variance > 0.0 ? 1.0 / std::sqrt(variance) : 0.0;
    for (std::size_t c = 0; c < rows.size(); ++c)
      scaled[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(k)] = scale * states.values[rows[c] * d + k];
  }
  return scaled;
}

class Search {
 public:
  Search(std::vector<Point> points, std::int64_t dimension) : points_(std::move(points)), d_(dimension) {
    // Actions apart, then by the first feature: who differs more in it alone than the best so far ends the search.
    std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
      if (a.action != b.action) return a.action < b.action;
      return a.at[0] != b.at[0] ? a.at[0] < b.at[0] : a.row < b.row;
    });
  }

  std::vector<NearestRow> all() const {
    std::vector<NearestRow> result;
    for (std::size_t a = 0; a < points_.size(); ++a) {
      NearestRow best{.row = points_[a].row, .other = -1, .distance = HUGE_VAL};
      for (std::size_t b = a; b-- > 0 && look(a, b, best);) {
      }
      for (std::size_t b = a + 1; b < points_.size() && look(a, b, best); ++b) {
      }
      if (best.other >= 0) result.push_back(best);
    }
    std::sort(result.begin(), result.end(), [](const NearestRow& a, const NearestRow& b) { return a.row < b.row; });
    return result;
  }

 private:
  // False where nobody further on can be nearer.
  bool look(std::size_t a, std::size_t b, NearestRow& best) const {
    if (points_[a].action != points_[b].action) return false;
    const double* const x = points_[a].at;
    const double* const z = points_[b].at;
    const double first = (x[0] - z[0]) * (x[0] - z[0]);
    if (first > best.distance) return false;
    double distance = first;
    for (std::int64_t k = 1; k < d_ && distance <= best.distance; ++k) distance += (x[k] - z[k]) * (x[k] - z[k]);
    const std::int64_t row = points_[b].row;
    if (distance < best.distance || (distance == best.distance && row < best.other)) {
      best.distance = distance;
      best.other = row;
    }
    return true;
  }

  std::vector<Point> points_;
  std::int64_t d_;
};

}  // namespace

std::vector<NearestRow> nearest_rows(const Dataset& data, const DenseStates& states, const DiscreteActions& actions,
                                     std::int64_t most) {
  const std::int64_t stride = std::max<std::int64_t>(1, data.steps() / most);
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < data.steps() && static_cast<std::int64_t>(rows.size()) < most; i += stride)
    rows.push_back(i);
  const std::vector<double> scaled = scaled_states(states, rows);
  std::vector<Point> points;
  for (std::size_t c = 0; c < rows.size(); ++c)
    points.push_back({.row = rows[c],
                      .action = actions.id[rows[c]],
                      .at = scaled.data() + c * static_cast<std::size_t>(states.dimension)});
  return Search(std::move(points), states.dimension).all();
}

}  // namespace starope
