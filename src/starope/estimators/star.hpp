#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/solve.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"

namespace starope {

// An estimate together with the process it is the value of, for those who want to look inside.
struct StarFit {
  Estimate estimate{};
  Labels labels{};
  ArpModel model{};
  ArpSolution solution{};
  std::optional<Horizon> horizon{};  // that was used
};

StarFit fit(const Star& star, const Problem& problem, const EstimateOptions& options = {});
// The same with an abstraction fitted before (star.phi is not looked at): one labeling serves all clips and families.
// It must have been fitted on `problem` as seen up to horizon_of(star, problem).
StarFit fit(const Star& star, FittedAbstraction fitted, const Problem& problem, const EstimateOptions& options = {});
// The same in two steps, where several stars (other clips, other families) share labels and see the same steps: one
// pass over the logs collects the statistics of all of them, and each is finished from its own.
std::vector<ArpStatistic> collect(std::span<const Star> stars, const Labels& labels, const Problem& whole,
                                  const EstimateOptions& options = {});
StarFit fit(const Star& star, FittedAbstraction fitted, const ArpStatistic& statistic, const Problem& whole,
            const EstimateOptions& options = {});
Estimate estimate(const Star& star, const Problem& problem, const EstimateOptions& options = {});

// For logs that come in blocks: `fit_phi(question)` is asked for the abstraction, so that stars can share it.
using FitPhi = std::function<PhiFit(const ProblemOptions& question)>;
Estimate estimate(const Star& star, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options, const FitPhi& fit_phi);

// From sums over all logs, up to the horizon that the star uses on them: the value alone, and the estimate without a
// standard error. Of the star only its options matter, not its phi.
double value_from(const Star& star, const ArpStatistic& process, const ProblemOptions& asked);
struct SolvedStar {
  ArpModel model{};
  ArpSolution solution{};
};
SolvedStar solved_from(const Star& star, const ArpStatistic& process, const ProblemOptions& asked);
Estimate estimate_from(const Star& star, const ArpStatistic& process, const WeightSums& weights, const SeenLogs& logs,
                       const ProblemOptions& asked);
// The question as the star asks it: up to its horizon.
ProblemOptions question_of(const Star& star, const SeenLogs& logs, ProblemOptions question);

// The horizon a Star uses on a problem: its own, the problem's, or, for truncation=censor, the one length that all
// truncated episodes have. Throws InvalidArgument where censoring needs a horizon and none can be inferred.
std::optional<Horizon> horizon_of(const Star& star, const Problem& problem);

// A finding where recordings that were cut count as ended.
std::optional<Finding> cuts_as_ends(const Star& star, const SeenLogs& logs);

}  // namespace starope
