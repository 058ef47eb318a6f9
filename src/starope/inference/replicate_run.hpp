#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/error.hpp"
#include "starope/inference/bootstrap_interval.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/types.hpp"

namespace starope {

// What one replicate says.
struct Replicate {
  double value = 0.0;
  std::optional<double> error{};
};

// The standard error from the squares of influence values, which have mean zero, of so many episodes.
inline double error_of_mean(double squares, double episodes) {
  return episodes > 1.0 ? std::sqrt(squares / (episodes - 1.0) / episodes) : 0.0;
}

// Calls make(first, last, all) for groups of `together` replicates, which sets those of its group. One that throws an
// error of the data (no value exists there) or has no number for a value has failed. TooMuchWork where the first ones
// show that all of them would take hours.
template <class Make>
Replicates run_replicates(std::int64_t count, std::int64_t together, Threads threads, const Make& make) {
  std::vector<std::optional<Replicate>> all(count);
  PartBudget budget(fmt::format("a bootstrap of {}", counted(count, "replicate")), count, "Give fewer replicates");
  parallel_for((count + together - 1) / together, threads, [&](std::int64_t group) {
    const std::int64_t first = group * together, last = std::min(count, first + together);
    budget.spend(last - first, [&] { make(first, last, all); });
  });
  Replicates result;
  for (const auto& one : all) {
    if (!one || !std::isfinite(one->value)) {
      ++result.failed;
      continue;
    }
    result.values.push_back(one->value);
    if (one->error) result.errors.push_back(std::isfinite(*one->error) ? *one->error : 0.0);
  }
  return result;
}

// What `work` returns, or nothing where no value exists.
template <class Work>
std::optional<Replicate> attempt(const Work& work) {
  try {
    return work();
  } catch (const DegenerateModel&) {
    return std::nullopt;
  }
}

}  // namespace starope
