#include "starope/checks/zero_means.hpp"

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {

double ZeroMean::errors() const noexcept {
  const double size = std::abs(sum);
  if (size == 0.0) return 0.0;
  // The quadratic equation, written without a difference of nearly equal numbers.
  return 2.0 * size / (spread() + std::sqrt(spread() * spread() + 4.0 / 3.0 * largest * size));
}

double ZeroMean::spread() const noexcept {
  return std::sqrt(std::max(squares, variance));
}

void ZeroMeans::close_episode() {
  for (const std::size_t test : order_) {
    ZeroMean& mean = of_[test];
    const Open& open = open_[test];
    mean.sum += open.sum;
    mean.squares += open.sum * open.sum;
    mean.variance += open.variance;
    mean.largest = std::max({mean.largest, open.largest, std::abs(open.sum)});
    mean.terms += open.terms;
    ++mean.episodes;
    open_[test] = {};
  }
  order_.clear();
}

ZeroMeans& ZeroMeans::operator+=(const ZeroMeans& other) {
  STAROPE_ASSERT(size() == other.size() && order_.empty() && other.order_.empty());
  for (std::size_t i = 0; i < of_.size(); ++i) {
    of_[i].sum += other.of_[i].sum;
    of_[i].squares += other.of_[i].squares;
    of_[i].variance += other.of_[i].variance;
    of_[i].terms += other.of_[i].terms;
    of_[i].largest = std::max(of_[i].largest, other.of_[i].largest);
    of_[i].episodes += other.of_[i].episodes;
  }
  return *this;
}

double errors_allowed(std::int64_t tests, double probability) {
  const double each = probability / (2.0 * static_cast<double>(std::max<std::int64_t>(tests, 1)));
  return -normal_quantile(each);
}

}  // namespace starope
