#pragma once

// The distribution of the target policy's return: not what it earns on average, but how badly an episode may go.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/finding.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// What is asked about the distribution.
struct RiskQuestion {
  std::vector<double> quantiles{};  // probabilities in (0, 1)
  std::vector<double> cvar{};       // shares in (0, 1]: the mean return of the worst episodes that make up so much
  std::vector<double> below{};      // returns: how probable are smaller ones

  bool empty() const noexcept { return quantiles.empty() && cvar.empty() && below.empty(); }
  friend bool operator==(const RiskQuestion&, const RiskQuestion&) = default;
};

struct RiskNumber {
  double at = 0.0;  // the probability, share or return that was asked about
  double value = 0.0;
  std::optional<Interval> interval{};
  std::optional<double> ess{};  // effective episodes on the side of it that fewer are on; none: no weighted episodes
};

// By one method. `cdf[i]` is the probability of a return of at most `points[i]`: never decreasing, from 0 to 1.
struct ReturnDistribution {
  std::string method{};  // "logged", "wis", "dr" or "arp"
  std::vector<double> points{};
  std::vector<double> cdf{};
  double mean = 0.0;
  std::vector<RiskNumber> quantiles{}, cvar{}, below{};
  std::optional<double> ess{};  // effective episodes behind it; none: none are weighted
  bool believed = false;        // the one to believe; of the target policy's distributions one is
  std::vector<Finding> findings{};
};

struct RiskOptions {
  std::optional<Level> level = Level{0.95};
  std::int64_t replicates = 200;  // of the bootstrap behind the intervals
  std::int64_t clusters = 16;     // of the abstract process, where states are numbers; ids are cells themselves
  std::int64_t rollouts = 4000;   // of the process
  Seed seed{};
  Threads threads = Threads::all();
};

// By the logged returns as they are (`logged`: the behavior policy), by these weighted with the ratios of whole
// episodes
// (`wis`), by rollouts of an abstract process whose steps are drawn from the logged ones (`arp`), and by both together
// (`dr`: the process says what to expect from each first state, and weighted episodes correct it). The last two need
// states. Throws DegenerateModel where all weights are zero.
STAROPE_API std::vector<ReturnDistribution> return_distributions(const Problem& problem, const RiskQuestion& question,
                                                                 const RiskOptions& options = {});

}  // namespace starope
