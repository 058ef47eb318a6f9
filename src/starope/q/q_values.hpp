#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/finding.hpp"
#include "starope/q/q_logs.hpp"

namespace starope {

// A Q-function on the logs: for every step (row of the state table) what each action would earn from there on. Where
// the horizon is finite the function depends on time, and a row holds it at the row's own time.
struct QValues {
  std::int32_t actions = 0;
  std::vector<double> q{};  // steps x actions

  std::span<const double> at(std::int64_t row) const {
    const auto width = static_cast<std::size_t>(actions);
    return std::span(q).subspan(static_cast<std::size_t>(row) * width, width);
  }
  std::span<double> at(std::int64_t row) {
    const auto width = static_cast<std::size_t>(actions);
    return std::span(q).subspan(static_cast<std::size_t>(row) * width, width);
  }
};

QValues make_q_values(const QLogs& logs);  // all zero

// DataError if the logs have other actions or states that the table lacks.
QValues look_up(const QTable& table, const QLogs& logs);

}  // namespace starope
