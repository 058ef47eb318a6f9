#pragma once

// Tables in the form of ICU-Sepsis with made-up numbers, for tests, and their values computed with plain loops. The
// published tables belong to others and are not part of the repository.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "starope/domains/icu_sepsis.hpp"
#include "starope/io/npz.hpp"

namespace starope::testing {

// `states` of which the last three are terminal: death, survival, and the state after both. Live state 5 never ends.
struct MadeUpSepsis {
  static constexpr std::int32_t actions = 25;
  static constexpr std::int32_t endless = 5;
  std::int32_t states = 23;

  std::int32_t live() const { return states - 3; }
  std::int32_t death() const { return states - 3; }
  std::int32_t survival() const { return states - 2; }

  // Where action a leads from state s, with probabilities.
  std::vector<std::pair<std::int32_t, double>> row(std::int32_t s, std::int32_t a) const {
    if (s >= live()) return {{states - 1, 1.0}};
    if (s == endless) return {{s, 1.0}};
    const double dies = 0.02 + 0.01 * (s % 4), survives = 0.05 + 0.005 * ((s + a) % 7);
    const std::int32_t near = (s + 1) % live(), far = (7 * s + 3 * a + 2) % live();
    const double moves = 1.0 - dies - survives;
    if (near == far) return {{near, moves}, {death(), dies}, {survival(), survives}};
    return {{near, 0.75 * moves}, {far, 0.25 * moves}, {death(), dies}, {survival(), survives}};
  }
  double start(std::int32_t s) const { return s < 2 ? 0.5 : 0.0; }
  // Actions of every fifth kind are never chosen.
  double expert(std::int32_t s, std::int32_t a) const {
    const auto weight = [s](std::int32_t b) { return b % 5 == 4 ? 0 : 1 + (s * 5 + b * 3) % 11; };
    double sum = 0.0;
    for (std::int32_t b = 0; b < actions; ++b) sum += weight(b);
    return weight(a) / sum;
  }
  double behavior(std::int32_t s, std::int32_t a) const {  // probabilities to the power 1/2
    double sum = 0.0;
    for (std::int32_t b = 0; b < actions; ++b) sum += std::sqrt(expert(s, b));
    return std::sqrt(expert(s, a)) / sum;
  }
  double feature(std::int32_t s, std::int32_t k) const { return 0.01 * s - 0.02 * k; }

  domains::IcuSepsisTables tables() const {
    domains::IcuSepsisTables t{.transitions = domains::TransitionRows(states, actions)};
    std::vector<double> reward(states, 0.0);
    for (std::int32_t s = 0; s < states; ++s) {
      reward[survival()] = s < live() ? 1.0 : 0.0;
      for (std::int32_t a = 0; a < actions; ++a) t.transitions.add(dense_row(s, a), reward);
    }
    for (std::int32_t s = 0; s < states; ++s) {
      t.start.push_back(start(s));
      for (std::int32_t a = 0; a < actions; ++a) t.expert_policy.push_back(expert(s, a));
      for (std::int32_t k = 0; k < 47; ++k) t.features.push_back(feature(s, k));
    }
    return t;
  }

  // The same as a file, as others publish them.
  void write(const std::string& path) const {
    const domains::IcuSepsisTables t = tables();
    std::vector<double> transitions, rewards;
    for (std::int32_t s = 0; s < states; ++s) {
      for (std::int32_t a = 0; a < actions; ++a) {
        for (const double p : dense_row(s, a)) transitions.push_back(p);
        for (std::int32_t next = 0; next < states; ++next)
          rewards.push_back(next == survival() && s < live() ? 1.0 : 0.0);
      }
    }
    io::NpzWriter writer(path);
    writer.add("tx_mat", {states, actions, states}, transitions);
    writer.add("r_mat", {states, actions, states}, rewards);
    writer.add("d_0", {states}, t.start);
    writer.add("expert_policy", {states, actions}, t.expert_policy);
    writer.add("state_cluster_centers", {states, 47}, t.features);
    writer.finish();
  }

  // Value and expected number of steps up to the horizon; policy(s, a) is a probability. Frozen: all rows are those of
  // the first state.
  struct Expected {
    double value = 0.0;
    double steps = 0.0;
  };
  template <class Policy>
  Expected expected(const Policy& policy, int horizon, bool frozen = false) const {
    Expected total;
    for (std::int32_t first = 0; first < live(); ++first) {
      if (start(first) == 0.0) continue;
      std::vector<double> here(states, 0.0);
      here[first] = start(first);
      for (int t = 0; t < horizon; ++t) {
        std::vector<double> next(here.size(), 0.0);
        for (std::int32_t s = 0; s < live(); ++s) {
          const double mass = here[s];
          total.steps += mass;
          for (std::int32_t a = 0; a < actions && mass > 0.0; ++a)
            for (const auto& [to, p] : row(frozen ? first : s, a)) next[to] += mass * policy(s, a) * p;
        }
        total.value += next[survival()];
        here = std::move(next);
      }
    }
    return total;
  }

 private:
  std::vector<double> dense_row(std::int32_t s, std::int32_t a) const {
    std::vector<double> dense(states, 0.0);
    for (const auto& [to, p] : row(s, a)) dense[to] = p;
    return dense;
  }
};

}  // namespace starope::testing
