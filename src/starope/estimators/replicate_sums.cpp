#include "starope/estimators/replicate_sums.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/stats/matrix_product.hpp"

namespace starope {
namespace {

constexpr std::size_t most_levels = 8;

void add_to(double* sums, double factor, const double* terms, std::size_t size) {
  const auto count = static_cast<Eigen::Index>(size);
  Eigen::Map<Eigen::ArrayXd>(sums, count) += factor * Eigen::Map<const Eigen::ArrayXd>(terms, count);
}

}  // namespace

double* ReplicateSums::level(int unit, std::size_t replicates) {
  if (!apart_.empty()) return nullptr;
  auto place = std::find_if(levels_.begin(), levels_.end(), [unit](const Level& known) { return known.unit <= unit; });
  if (place == levels_.end() || place->unit != unit) {
    if (levels_.size() == most_levels) {
      split(replicates);
      return nullptr;
    }
    place = levels_.insert(place, {.unit = unit, .sums = std::vector<double>(replicates, 0.0)});
  }
  return place->sums.data();
}

void ReplicateSums::add(Scaled term, std::span<const double> times) {
  if (term.mantissa == 0.0) return;
  if (double* sums = level(term.exponent, times.size())) {
    add_to(sums, term.mantissa, times.data(), times.size());
    return;
  }
  for (std::size_t b = 0; b < apart_.size(); ++b) apart_[b].add({times[b] * term.mantissa, term.exponent});
}

void ReplicateSums::add_all(std::span<ReplicateSums* const> sums, std::span<const Scaled> terms,
                            std::span<const double> times, std::size_t replicates) {
  const std::size_t count = terms.size() / sums.size();
  STAROPE_ASSERT(terms.size() == count * sums.size() && times.size() == count * replicates);
  // The mantissas of one sum and exponent, zero for all other terms: a row of the product.
  struct Row {
    std::size_t sum = 0;
    int unit = 0;
  };
  std::vector<Row> rows;
  std::vector<double> mantissas;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const std::size_t first = rows.size();
    std::size_t r = first;  // of the last term: the next one is nearly always in it
    for (std::size_t e = 0; e < count; ++e) {
      const Scaled& term = terms[e * sums.size() + s];
      if (term.mantissa == 0.0) continue;
      if (r == rows.size() || rows[r].unit != term.exponent) {
        for (r = first; r < rows.size() && rows[r].unit != term.exponent;) ++r;
        if (r == rows.size()) {
          rows.push_back({.sum = s, .unit = term.exponent});
          mantissas.resize(mantissas.size() + count, 0.0);
        }
      }
      mantissas[r * count + e] = term.mantissa;
    }
  }
  std::vector<double> added(rows.size() * replicates, 0.0);
  add_product({.rows = rows.size(),
               .columns = replicates,
               .depth = count,
               .left = {mantissas.data(), count},
               .right = times.data(),
               .right_stride = replicates,
               .out = added.data(),
               .out_stride = replicates});
  for (std::size_t r = 0; r < rows.size(); ++r)
    sums[rows[r].sum]->add({1.0, rows[r].unit}, std::span(added).subspan(r * replicates, replicates));
}

ReplicateSums& ReplicateSums::operator+=(const ReplicateSums& other) {
  if (other.empty()) return *this;
  if (empty()) return *this = other;
  for (const Level& more : other.levels_) add({1.0, more.unit}, more.sums);
  if (other.apart_.empty()) return *this;
  split(other.apart_.size());
  for (std::size_t b = 0; b < apart_.size(); ++b) apart_[b] += other.apart_[b];
  return *this;
}

ScaledSum ReplicateSums::at(std::size_t replicate) const {
  if (!apart_.empty()) return apart_[replicate];
  ScaledSum sum;
  for (const Level& part : levels_) sum.add({part.sums[replicate], part.unit});
  return sum;
}

void ReplicateSums::split(std::size_t replicates) {
  if (!apart_.empty()) return;
  std::vector<ScaledSum> sums;
  for (std::size_t b = 0; b < replicates; ++b) sums.push_back(at(b));
  apart_ = std::move(sums);
  levels_.clear();
}

}  // namespace starope
