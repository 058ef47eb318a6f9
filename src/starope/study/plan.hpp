#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "starope/study.hpp"

namespace starope {

// The unit of work: one data set, and every estimator of its domain on it.
struct StudyCell {
  std::size_t domain = 0;  // of the specification
  std::int64_t size = 0;
  std::int64_t trial = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 errs
  friend auto operator<=>(const StudyCell&, const StudyCell&) = default;
};

// All cells of a shard. First trials come first, for all domains and sizes, the largest size of a trial first: what is
// there after an hour covers the whole study, and time left can be told from time spent.
// The trials of each case are dealt out to the shards in turn, so that all shards have about the same work.
std::vector<StudyCell> plan_study(const StudySpec& spec, const Shard& shard = {});

// The root of all randomness of a cell: depends on the study's seed and the cell, and on nothing else of the study.
// (Of the domain on its name: leaving a domain out of a study does not change the others.)
Seed cell_seed(const StudySpec& spec, const StudyCell& cell);
// The same for the true value of a domain.
Seed truth_seed(const StudySpec& spec, std::size_t domain);

}  // namespace starope
