#pragma once

#include <optional>
#include <span>
#include <vector>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_options.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/solve.hpp"
#include "starope/data/problem.hpp"
#include "starope/data/source.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/phi/abstraction.hpp"

namespace starope {

// STAR: the exact value of an abstract reward process that was estimated with clipped importance weights.
struct Star {
  AbstractionRecipe phi{};
  Clip clip = Clip::last(1);
  TruncationRule truncation = TruncationRule::end;
  TimeModel time = TimeModel::pooled;
  // Whose horizon: empty, the problem's (if it has one). Given but empty: none, the paper's estimator. Given: this one.
  std::optional<std::optional<Horizon>> horizon{};
  // Above 0: the value is the mean return of so many rollouts of the process, as in the paper, instead of the exact
  // solution, and the error of that mean is part of the standard error.
  std::int64_t rollouts = 0;
  Seed seed{};  // of the rollouts
  friend bool operator==(const Star&, const Star&) = default;
};

// An estimate together with the process it is the value of, for those who want to look inside.
struct StarFit {
  Estimate estimate{};
  Labels labels{};
  ArpModel model{};
  ArpSolution solution{};
  std::optional<Horizon> horizon{};  // that was used
};

StarFit fit(const Star& star, const Problem& problem, const EstimateOptions& options = {});
// The same with an abstraction fitted before (star.phi is not looked at): one labelling serves all clips and families.
// It must have been fitted on `problem` as seen up to horizon_of(star, problem).
StarFit fit(const Star& star, FittedAbstraction fitted, const Problem& problem, const EstimateOptions& options = {});
// The same in two steps, where several stars (other clips, other families) share labels and see the same steps: one
// pass over the logs collects the statistics of all of them, and each is finished from its own.
std::vector<ArpStatistic> collect(std::span<const Star> stars, const Labels& labels, const Problem& problem,
                                  const EstimateOptions& options = {});
StarFit fit(const Star& star, FittedAbstraction fitted, const ArpStatistic& statistic, const Problem& problem,
            const EstimateOptions& options = {});
Estimate estimate(const Star& star, const Problem& problem, const EstimateOptions& options = {});

// The same for logs that come in blocks: one pass to survey them, fit_phi, one for the sums and one for the standard
// error. The numbers of the same logs in memory, to the bit, where phi is fitted on all of them.
Estimate estimate(const Star& star, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options = {});

// The episodes whose recording was cut, as far as the problem sees them.
struct TruncatedLengths {
  std::int64_t episodes = 0;
  std::optional<std::int64_t> common{};  // the one length of all of them, if they have one
};
TruncatedLengths truncated_lengths(const Problem& problem);

// The horizon a Star uses on a problem: its own, the problem's, or, for truncation=censor, the one length that all
// truncated episodes have. Throws InvalidArgument where censoring needs a horizon and none can be inferred.
std::optional<Horizon> horizon_of(const Star& star, const Problem& problem);

}  // namespace starope
