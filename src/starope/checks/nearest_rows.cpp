#include "starope/checks/nearest_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace starope {
namespace {

struct Point {
  std::int64_t row = 0;
  std::int32_t action = 0;
  const double* at = nullptr;
};

// At most so many rows that stand apart.
std::vector<std::int64_t> rows_apart(std::int64_t steps, std::int64_t most) {
  const std::int64_t stride = std::max<std::int64_t>(1, steps / most);
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < steps && static_cast<std::int64_t>(rows.size()) < most; i += stride) rows.push_back(i);
  return rows;
}

// The chosen rows' states, each feature in standard deviations.
std::vector<double> scaled_states(const DenseStates& states, const std::vector<std::int64_t>& rows,
                                  std::span<const double> weights) {
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
    const double weight = weights.empty() ? 1.0 : weights[static_cast<std::size_t>(k)];
    const double scale = variance > 0.0 ? weight / std::sqrt(variance) : 0.0;
    for (std::size_t c = 0; c < rows.size(); ++c)
      scaled[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(k)] = scale * states.values[rows[c] * d + k];
  }
  return scaled;
}

// A tree of boxes for the points of each action: halves of a box by its widest feature.
class Search {
 public:
  Search(std::vector<Point> points, std::int64_t dimension) : points_(std::move(points)), d_(dimension) {
    std::sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
      return a.action != b.action ? a.action < b.action : a.row < b.row;
    });
    for (std::size_t first = 0; first < points_.size();) {
      std::size_t last = first;
      while (last < points_.size() && points_[last].action == points_[first].action) ++last;
      roots_.push_back(build(first, last));
      first = last;
    }
  }

  std::vector<NearestRow> all() const {
    std::vector<NearestRow> result;
    for (const std::int32_t root : roots_) {
      for (std::size_t a = nodes_[root].first; a < nodes_[root].last; ++a) {
        NearestRow best{.row = points_[a].row, .other = -1, .distance = HUGE_VAL};
        look(root, a, best);
        if (best.other >= 0) result.push_back(best);
      }
    }
    std::sort(result.begin(), result.end(), [](const NearestRow& a, const NearestRow& b) { return a.row < b.row; });
    return result;
  }

 private:
  static constexpr std::size_t most_in_a_leaf = 8;

  struct Node {
    std::size_t first = 0, last = 0;  // of the points
    std::int64_t feature = 0;
    double cut = 0.0;                    // below: left, above: right, equal: either
    std::int32_t left = -1, right = -1;  // none: a leaf
  };

  std::int32_t build(std::size_t first, std::size_t last) {
    const auto place = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({.first = first, .last = last});
    if (last - first <= most_in_a_leaf) return place;
    std::int64_t feature = 0;
    double widest = 0.0;
    for (std::int64_t k = 0; k < d_; ++k) {
      double least = HUGE_VAL, most = -HUGE_VAL;
      for (std::size_t i = first; i < last; ++i) {
        least = std::min(least, points_[i].at[k]);
        most = std::max(most, points_[i].at[k]);
      }
      if (most - least > widest) widest = most - least, feature = k;
    }
    if (!(widest > 0.0)) return place;  // all in one place
    const std::size_t middle = first + (last - first) / 2;
    const auto begin = points_.begin();
    std::nth_element(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(middle),
                     begin + static_cast<std::ptrdiff_t>(last), [feature](const Point& a, const Point& b) {
                       return a.at[feature] != b.at[feature] ? a.at[feature] < b.at[feature] : a.row < b.row;
                     });
    nodes_[place].feature = feature;
    nodes_[place].cut = points_[middle].at[feature];
    const std::int32_t left = build(first, middle), right = build(middle, last);
    nodes_[place].left = left;
    nodes_[place].right = right;
    return place;
  }

  void look(std::int32_t place, std::size_t a, NearestRow& best) const {
    const Node& node = nodes_[place];
    if (node.left < 0) {
      for (std::size_t b = node.first; b < node.last; ++b) {
        if (b != a) compare(a, b, best);
      }
      return;
    }
    const double apart = points_[a].at[node.feature] - node.cut;
    look(apart < 0.0 ? node.left : node.right, a, best);
    // Who is as far away as the best may have a smaller row.
    if (apart * apart <= best.distance) look(apart < 0.0 ? node.right : node.left, a, best);
  }

  void compare(std::size_t a, std::size_t b, NearestRow& best) const {
    const double* const x = points_[a].at;
    const double* const z = points_[b].at;
    double distance = 0.0;
    for (std::int64_t k = 0; k < d_ && distance <= best.distance; ++k) distance += (x[k] - z[k]) * (x[k] - z[k]);
    const std::int64_t row = points_[b].row;
    if (distance < best.distance || (distance == best.distance && row < best.other)) {
      best.distance = distance;
      best.other = row;
    }
  }

  std::vector<Point> points_;
  std::int64_t d_;
  std::vector<Node> nodes_{};
  std::vector<std::int32_t> roots_{};
};

}  // namespace

std::vector<NearestRow> nearest_rows(const Dataset& data, const DenseStates& states, const DiscreteActions& actions,
                                     std::int64_t most, std::span<const double> weights) {
  const std::vector<std::int64_t> rows = rows_apart(data.steps(), most);
  const std::vector<double> scaled = scaled_states(states, rows, weights);
  std::vector<Point> points;
  for (std::size_t c = 0; c < rows.size(); ++c)
    points.push_back({.row = rows[c],
                      .action = actions.id[rows[c]],
                      .at = scaled.data() + c * static_cast<std::size_t>(states.dimension)});
  return Search(std::move(points), states.dimension).all();
}

std::vector<double> feature_relevance(const DenseStates& states, const DiscreteActions& actions,
                                      const std::vector<double>& y, std::int64_t most) {
  std::vector<std::int64_t> rows = rows_apart(static_cast<std::int64_t>(y.size()), most);
  const auto by_action = [&](std::int64_t a, std::int64_t b) { return actions.id[a] < actions.id[b]; };
  std::stable_sort(rows.begin(), rows.end(), by_action);
  std::vector<double> between(static_cast<std::size_t>(states.dimension), 0.0);
  double twice_variance = 0.0;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::upper_bound(first, rows.end(), *first, by_action);
    double sum = 0.0, squares = 0.0;
    for (auto row = first; row != last; ++row) sum += y[*row], squares += y[*row] * y[*row];
    twice_variance += 2.0 * (squares - sum * sum / static_cast<double>(last - first));
    for (std::int64_t k = 0; k < states.dimension; ++k) {
      const auto x = [&](std::int64_t row) { return states.values[row * states.dimension + k]; };
      std::vector<std::int64_t> ordered(first, last);
      std::sort(ordered.begin(), ordered.end(),
                [&](std::int64_t a, std::int64_t b) { return x(a) != x(b) ? x(a) < x(b) : a < b; });
      for (std::size_t i = 1; i < ordered.size(); ++i) {
        const double apart = y[ordered[i]] - y[ordered[i - 1]];
        between[static_cast<std::size_t>(k)] += apart * apart;
      }
    }
    first = last;
  }
  const double chance = 3.0 / std::sqrt(static_cast<double>(std::max<std::size_t>(rows.size(), 1)));
  for (double& share : between)
    share = twice_variance > 0.0 ? std::max(0.0, 1.0 - share / twice_variance - chance) : 0.0;
  return between;
}

}  // namespace starope
