#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"

namespace starope {

using Rows = std::span<const std::int64_t>;  // of steps

// What the methods see of the logs: actions, and states as ids or as standardized numbers.
struct ActionLogs {
  std::int32_t actions = 0;
  std::vector<std::int32_t> action{};  // of every step
  std::int64_t ids = 0;                // number of different states, or 0
  std::vector<std::int32_t> code{};    // of every step, below ids
  std::int64_t dimension = 0;          // of the features, or 0
  std::vector<double> features{};      // steps x dimension; mean 0 and spread 1, or as they were where nothing varies
  std::vector<std::int64_t> fold{};    // of every step: that of its episode

  std::span<const double> row(std::int64_t step) const {
    return std::span(features).subspan(step * dimension, dimension);
  }
};

// Folds are drawn by the ids of the episodes, and of equal size up to one. InvalidArgument where actions are no ids.
ActionLogs make_action_logs(const Dataset& data, std::int64_t folds, Seed seed);

// How often each action is taken in these steps, with one more step in which all are taken alike: never zero.
std::vector<double> action_shares(const ActionLogs& logs, Rows rows);

}  // namespace starope
