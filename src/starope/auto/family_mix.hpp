#pragma once

#include <string>
#include <vector>

#include "starope/auto/coalitions.hpp"
#include "starope/auto/half_samples.hpp"

namespace starope {

// What the time-pooled and the time-indexed double ARP say, and how stable each is.
struct Family {
  double value = 0.0;
  double std_error = 0.0;      // of the mean score
  double instability = 0.0;    // b: mean over half-samples of J(half) - J
  double half_variance = 0.0;  // mean over splits of ((J(A) - J(B)) / 2)^2
};

// The parts of the total variance; std_error^2 is their sum, with the larger of the first two.
struct ErrorTerms {
  double score = 0.0;        // spread of the scores
  double half = 0.0;         // spread between halves of the episodes
  double seeds = 0.0;        // spread over the seeds of the abstractions
  double instability = 0.0;  // squared: how far half-samples are off on average
  double ladder = 0.0;       // squared: how far the three finest levels are off
  double families = 0.0;     // squared: half the disagreement of the two families, where it is significant
  double history = 0.0;      // squared: what a further ratio moves; beyond noise and gap where the state seems Markov

  double total() const noexcept;
};

enum class MixReason { late_steps, unstable, disagree, weighted };

struct FamilyMix {
  Family pooled{}, indexed{};
  double indexed_share = 0.0;  // a
  MixReason reason = MixReason::weighted;
  double value = 0.0;
  std::vector<double> scores{};  // (1-a) pooled + a indexed, one per episode
  ErrorTerms errors{};
  std::vector<double> by_levels{};  // value of the l+1 finest levels
  std::vector<double> by_seed{};    // value of each seed's members
};

// `late_share`: the share of the target policy's weight at steps that fewer than ten logged episodes reach; the
// time-indexed model knows next to nothing there.
FamilyMix mix_families(const CoalitionScores& pooled, const CoalitionScores& indexed,
                       const std::vector<HalfSample>& halves, double late_share);

// The variance of the mean over seeds: sample variance / number of seeds; 0 for fewer than two.
double variance_over_seeds(const std::vector<double>& by_seed);

}  // namespace starope
