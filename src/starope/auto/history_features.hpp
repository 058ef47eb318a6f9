#pragma once

#include <cstdint>

#include "starope/auto/bag.hpp"
#include "starope/base/bytes.hpp"
#include "starope/clustering/feature_scaling.hpp"
#include "starope/problem.hpp"

namespace starope {

// Logged actions as numbers. Discrete ones are one-hot as long as they are few; of many, each has a vector of random
// signs of length one, which are about as far from each other, so that memory does not grow with their number.
// Continuous ones are standardized and counted 0.7.
struct ActionColumns {
  std::int64_t discrete = 0;    // how many discrete actions there are; 0: they are continuous, or there are none
  FeatureScaling continuous{};  // empty: they are discrete, or there are none

  static constexpr std::int64_t most_one_hot = 32;
  std::int64_t columns() const noexcept;
  // Writes columns() numbers. An action that the fit has not met is nothing, or a vector of random signs.
  void of_step(const Dataset& data, std::int64_t step, double* out) const;

  friend bool operator==(const ActionColumns&, const ActionColumns&) = default;
};

// The state together with what happened before it, for logs whose states hide something. Fitted once, it makes the
// features of any logs of that kind.
//
// The last step: [x_t, 0.7 x_{t-1}, last action], zeros at the start of an episode. Or fading memories of all that
// happened (docs/auto-math.md 4.2), for effects that last longer than a step and for noisy sensors:
//
//     u_t = [0.7 x_t, action, 0.7 (r_t - mean r) / sd r]      e_0 = 0, e_{t+1} = fading e_t + (1 - fading) u_t
//
// and the features of step t are [x_t, 1.3 e_t]. Slow features are brought to a total variance of 4 before.
struct HistoryMap {
  double fading = 0.0;      // 0: the last step alone
  std::int64_t states = 1;  // how many features of the state are looked at
  double state_scale = 1.0;
  double reward_mean = 0.0, per_reward = 0.0;
  ActionColumns actions{};

  // `features` are those of the state. InvalidArgument if they, or the actions, are of another kind.
  BagFeatures apply(const BagFeatures& features, const Dataset& data) const;

  void write(ByteWriter& to) const;
  static HistoryMap read(ByteReader& from);  // DataError `bad_bytes`
  friend bool operator==(const HistoryMap&, const HistoryMap&) = default;
};

HistoryMap fit_last_step(const BagFeatures& features, const Problem& problem);
HistoryMap fit_traces(const BagFeatures& features, const Problem& problem, double fading);

// The same, applied to the logs of the fit.
BagFeatures with_history(const BagFeatures& features, const Problem& problem);
BagFeatures with_traces(const BagFeatures& features, const Problem& problem, double fading);

}  // namespace starope
