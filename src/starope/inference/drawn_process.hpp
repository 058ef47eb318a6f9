#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// An abstract process whose steps are logged ones: in a cell, a logged step of it is drawn with its ratio for a weight,
// and brings its reward and its next cell. Its rewards spread as the logged ones do, which those of a process of mean
// rewards do not.
class DrawnProcess {
 public:
  // `times`: how often each episode counts. `horizon`: episodes that stop at it are not ended, their rollouts stop by
  // themselves; without one a cut is an end.
  // `of`: whose process, that of the target policy or, with all steps alike, that of the logged one.
  enum class Of { target, logged };
  DrawnProcess(const Labels& labels, const Problem& problem, std::span<const double> times,
               std::optional<std::int64_t> horizon, Of of = Of::target);

  // The returns of rollouts that begin in a cell, or as the logged episodes do; the draws of rollout i are a function
  // of (seed, first + i). A rollout that reaches a cell without a step ends there.
  std::vector<double> returns_from(Label start, std::int64_t rollouts, Seed seed, std::int64_t first) const;
  std::vector<double> returns(std::int64_t rollouts, Seed seed) const;

 private:
  struct Step {
    double reward = 0.0;
    double weight_up_to = 0.0;  // of the steps of its cell so far
    double seen_up_to = 0.0;    // the same of steps whose outcome is known
    std::optional<Label> next{};
    bool seen = true;
  };

  double rollout(Label z, Random& random) const;
  const Step& draw(const std::vector<Step>& steps, double Step::*sum, Random& random) const;

  double gamma_;
  std::int64_t most_steps_;
  std::vector<std::vector<Step>> cells_;
  std::vector<Label> starts_;
  std::vector<double> start_up_to_;
};

}  // namespace starope
