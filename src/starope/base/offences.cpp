#include "starope/base/offences.hpp"

namespace starope {

void Offences::append(Offences behind) {
  count_ += behind.count_;
  rows_.clear();  // rows of another part have numbers of their own
  for (Offence& each : behind.first_) {
    if (first_.size() < shown) first_.push_back(std::move(each));
  }
}

void Offences::append(const DataError& error) {
  count_ += 1 + static_cast<std::int64_t>(error.others().size()) + error.more();
  rows_.clear();
  if (first_.size() < shown) first_.push_back({0, error.problem()});
  for (const DataError::Problem& other : error.others()) {
    if (first_.size() < shown) first_.push_back({0, other});
  }
}

void Offences::raise() const {
  if (first_.empty()) return;
  std::vector<DataError::Problem> others;
  for (std::size_t i = 1; i < first_.size(); ++i) others.push_back(first_[i].problem);
  throw DataError(first_.front().problem, std::move(others), count_ - static_cast<std::int64_t>(first_.size()));
}

}  // namespace starope
