#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"

namespace starope {

// Do ends depend on anything that the logs show? A process that ends does so for a reason: in certain states, after
// certain actions, with certain rewards. Recordings that were cut off end anywhere. At every step t, of the n_t
// episodes that go so far d_t end; if it is chance which, a group z with n_tz of them expects d_t n_tz / n_t, with a
// hypergeometric variance (a log-rank test over all groups).
struct EndsTest {
  double statistic = 0.0;  // about chi-squared if ends are chance
  std::int64_t freedom = 0;

  // Beyond what chance explains, by three standard deviations.
  bool depend() const noexcept;
};

// `group_of_step(row)`: of the step in this row of the logs; groups are 0 .. groups-1.
EndsTest test_ends(const Problem& problem, std::int64_t groups,
                   const std::function<std::int64_t(std::int64_t)>& group_of_step);

// Whether episodes that all count as terminated look like recordings that were cut off: no end is marked as a cut,
// lengths differ, and neither states nor actions nor rewards tell which of them end. `cells`: groups of states, from
// coarse to fine, since ends may be many in a few large groups or all in a small one.
bool ends_look_like_cuts(const Problem& problem, std::span<const Labels> cells);

}  // namespace starope
