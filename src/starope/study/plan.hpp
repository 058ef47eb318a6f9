#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

#include "starope/base/types.hpp"
#include "starope/study/spec.hpp"

namespace starope {

// The unit of work: one data set, and every estimator of its domain on it.
struct StudyCell {
  std::size_t domain = 0;  // of the specification
  std::int64_t size = 0;
  std::int64_t trial = 0;
  friend auto operator<=>(const StudyCell&, const StudyCell&) = default;
};

// Part `index` of `count`, from 1.
class Shard {
 public:
  Shard() = default;
  Shard(std::int64_t index, std::int64_t count);  // InvalidArgument unless 1 <= index <= count
  static Shard parse(std::string_view text);      // "2/8"
  std::int64_t index() const noexcept { return index_; }
  std::int64_t count() const noexcept { return count_; }
  friend bool operator==(const Shard&, const Shard&) = default;

 private:
  std::int64_t index_ = 1;
  std::int64_t count_ = 1;
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
