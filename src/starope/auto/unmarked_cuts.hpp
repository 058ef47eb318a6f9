#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"

namespace starope {

// Do ends depend on anything that the logs show? A process that ends does so for a reason: in certain states, after
// certain actions, with certain rewards. Recordings that were cut off end anywhere (docs/auto-math.md 4.10).
struct EndsTest {
  std::int64_t ends = 0;  // that could have come at another step
  // How clearly ends depend on groups, of the grouping that tells most: at every step, of those that are there some
  // end, and chance would take as many from every group. A log-rank test, as a normal deviate.
  double dependence = 0.0;
  // Steps in which nothing speaks for an end, by what one half of the episodes says of the groups of the other: the
  // calmer half. So many end, of so many that chance expects; and by how many standard errors late ones end rather than
  // early ones. A process knows its state; a recording knows the clock.
  double calm_ends = 0.0, calm_expected = 0.0, clock = 0.0;

  bool depend() const noexcept;                  // beyond what chance explains
  bool calm_ends_by_the_clock() const noexcept;  // besides ends that have a reason, there are those that have none
};

// `groupings`: each has a group for every step, by its row in the logs.
EndsTest test_ends(const Problem& problem, std::span<const Labels> groupings);

// Whether episodes that all count as terminated look like recordings that were cut off: no end is marked as a cut,
// lengths differ, and neither states nor actions nor rewards tell which of them end, or only which of some.
// `cells`: groups of states, from coarse to fine, since ends may be many in a few large groups or all in a small one.
struct UnmarkedCuts {
  bool suspected = false;
  EndsTest test{};
  std::vector<EpisodeEnd> ends{};  // where suspected: how the episodes would end if they were cut
};
// The same question if the episodes ended like this.
Problem with_ends(const Problem& problem, std::vector<EpisodeEnd> ends);

UnmarkedCuts find_unmarked_cuts(const Problem& problem, std::span<const Labels> cells);

}  // namespace starope
