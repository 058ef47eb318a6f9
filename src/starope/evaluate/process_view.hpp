#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "starope/data/problem.hpp"
#include "starope/estimators/star.hpp"

namespace starope {

// An abstract state in terms that its owner understands.
struct CellView {
  std::int64_t cell = 0;
  double share = 0.0;   // of the logged steps
  double visits = 0.0;  // expected under the target policy
  double value = 0.0;   // of what is still to come
  double reward = 0.0;  // of a step
  double exit = 0.0;    // probability that the episode ends with a step
  double start = 0.0;   // share of the episodes that start here
  // What tells its states from the others: the features whose mean differs most from that of all states, in standard
  // deviations, with that mean; or for discrete states the most frequent ids, with their share of the cell.
  std::vector<std::pair<std::string, double>> features{};
  std::vector<std::pair<std::string, double>> ids{};
};

struct MoveView {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double probability = 0.0;
};

// The abstract reward process behind a STAR estimate, for looking at.
struct ProcessView {
  std::string estimator{};
  std::int64_t cells = 0;         // of the process
  std::vector<CellView> shown{};  // the ones the target policy visits most, most visited first
  std::vector<MoveView> moves{};  // between those
};

// `most`: how many cells are shown. A time-indexed process has cells per step and is not shown: empty.
ProcessView describe_process(const StarFit& fit, const Problem& problem, std::string estimator, std::size_t most = 32);

}  // namespace starope
