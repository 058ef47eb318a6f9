#include "starope/estimators/replicate_sums.hpp"

#include <Eigen/Core>
#include <utility>

namespace starope {

void ReplicateSums::add(Scaled term, std::span<const double> times) {
  if (term.mantissa == 0.0) return;
  if (plain_.empty() && apart_.empty()) {
    unit_ = term.exponent;
    plain_.assign(times.size(), 0.0);
  }
  if (apart_.empty() && term.exponent == unit_) {
    const auto size = static_cast<Eigen::Index>(times.size());
    Eigen::Map<Eigen::ArrayXd>(plain_.data(), size) +=
        term.mantissa * Eigen::Map<const Eigen::ArrayXd>(times.data(), size);
    return;
  }
  split();
  for (std::size_t b = 0; b < apart_.size(); ++b) apart_[b].add({times[b] * term.mantissa, term.exponent});
}

ReplicateSums& ReplicateSums::operator+=(const ReplicateSums& other) {
  if (other.plain_.empty() && other.apart_.empty()) return *this;
  if (plain_.empty() && apart_.empty()) return *this = other;
  if (apart_.empty() && other.apart_.empty() && unit_ == other.unit_) {
    for (std::size_t b = 0; b < plain_.size(); ++b) plain_[b] += other.plain_[b];
    return *this;
  }
  split();
  for (std::size_t b = 0; b < apart_.size(); ++b) apart_[b] += other.at(b);
  return *this;
}

ScaledSum ReplicateSums::at(std::size_t replicate) const {
  if (!apart_.empty()) return apart_[replicate];
  ScaledSum sum;
  if (!plain_.empty()) sum.add({plain_[replicate], unit_});
  return sum;
}

void ReplicateSums::split() {
  if (!apart_.empty()) return;
  std::vector<ScaledSum> sums;
  for (std::size_t b = 0; b < plain_.size(); ++b) sums.push_back(at(b));
  apart_ = std::move(sums);
  plain_.clear();
}

}  // namespace starope
