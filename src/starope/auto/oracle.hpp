#pragma once

// The double ARP written down a second time, straight from its definition and as slowly as that is: values from one
// abstraction, occupancies from another, one pair at a time. Tests compare the fast code with it.

#include <cstdint>
#include <numeric>
#include <vector>

#include "starope/auto/bag.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

using Matrix = std::vector<std::vector<double>>;

inline std::vector<std::int64_t> all_episodes(const Problem& problem) {
  std::vector<std::int64_t> all(problem.episodes());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

// Real-valued states as they are: features of a bag.
inline std::vector<double> state_numbers(const Problem& problem) {
  std::vector<double> scratch;
  const DenseStates& states = std::get<DenseStates>(problem.data().states());
  const std::span<const double> rows = states.rows(0, states.count(), scratch);
  return {rows.begin(), rows.end()};
}

// A bag of arbitrary cells: what a state looks like does not matter to the double ARP.
inline Bag random_bag(const Problem& problem, std::vector<std::int64_t> ladder, std::size_t seeds, Seed seed) {
  Bag bag{.ladder = std::move(ladder), .seeds = seeds, .members = {}};
  Random random(seed, Stream::test_data, 77);
  for (std::size_t s = 0; s < seeds; ++s) {
    for (std::size_t l = bag.levels(); l-- > 0;) {
      Labels labels{.cells = bag.ladder[l], .of_row = {}};
      for (std::int64_t row = 0; row < problem.data().state_rows(); ++row) {
        labels.of_row.push_back(static_cast<Label>(random.below(static_cast<std::uint64_t>(labels.cells))));
      }
      bag.members.push_back(std::move(labels));
    }
  }
  return bag;
}

struct OracleStep {
  double weight, rho, reward;  // weight = g^t rho
  std::int64_t episode, t, row;
  std::int64_t next_row;  // -1: nothing follows
  bool seen;
};

inline std::vector<OracleStep> oracle_steps(const Problem& problem, const std::vector<std::int64_t>& episodes) {
  std::vector<OracleStep> steps;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode e = problem.episode(i);
    double discount = 1.0;
    for (std::int64_t t = 0; t < e.length(); ++t) {
      const bool last = t + 1 == e.length();
      OracleStep step{discount * e.ratios[t], e.ratios[t], e.rewards[t], i, t, e.first_row + t, -1, true};
      if (!last) step.next_row = e.first_row + t + 1;
      if (last && e.end == EpisodeEnd::truncated) {
        step.seen = e.final_row.has_value();
        step.next_row = e.final_row.value_or(-1);
      }
      steps.push_back(step);
      discount *= problem.discount().gamma();
    }
  }
  return steps;
}

// One abstraction's H-step model: V[k][z], d[k][z], r[z], N[z], Np[z].
struct OracleModel {
  Matrix values, mass;
  std::vector<double> reward, visit, seen;
  double plain = 0.0;
};

inline OracleModel oracle_model(const Labels& labels, const Problem& problem,
                                const std::vector<std::int64_t>& episodes) {
  const auto cells = static_cast<std::size_t>(labels.cells);
  const auto horizon = static_cast<std::size_t>(problem.horizon()->steps());
  const double gamma = problem.discount().gamma();
  const auto z = [&](std::int64_t row) { return labels.of_row[row]; };
  OracleModel model;
  model.reward.assign(cells, 0.0);
  model.visit = model.seen = model.reward;
  Matrix p(cells, std::vector<double>(cells, 0.0));
  for (const OracleStep& s : oracle_steps(problem, episodes)) {
    model.visit[z(s.row)] += s.weight;
    model.reward[z(s.row)] += s.weight * s.reward;
    if (s.seen) model.seen[z(s.row)] += s.weight;
    if (s.next_row >= 0) p[z(s.row)][z(s.next_row)] += s.weight;
  }
  for (std::size_t a = 0; a < cells; ++a) {
    model.reward[a] = model.visit[a] > 0.0 ? model.reward[a] / model.visit[a] : 0.0;
    for (double& x : p[a]) x = model.seen[a] > 0.0 ? x / model.seen[a] : 0.0;
  }
  model.values.assign(horizon + 1, std::vector<double>(cells, 0.0));
  model.mass = model.values;
  for (const std::int64_t i : episodes) {
    model.mass[0][z(problem.episode(i).first_row)] += 1.0 / static_cast<double>(episodes.size());
  }
  for (std::size_t k = horizon; k-- > 0;) {
    for (std::size_t a = 0; a < cells; ++a) {
      model.values[k][a] = model.reward[a];
      for (std::size_t b = 0; b < cells; ++b) model.values[k][a] += gamma * p[a][b] * model.values[k + 1][b];
    }
  }
  for (std::size_t k = 0; k < horizon; ++k) {
    for (std::size_t a = 0; a < cells; ++a) {
      for (std::size_t b = 0; b < cells; ++b) model.mass[k + 1][b] += gamma * p[a][b] * model.mass[k][a];
    }
  }
  for (std::size_t a = 0; a < cells; ++a) model.plain += model.mass[0][a] * model.values[0][a];
  return model;
}

// The mean score with values (and mean rewards) from `a` and occupancies from `b`.
inline double oracle_pair(const Labels& a, const OracleModel& value, const Labels& b, const OracleModel& occupancy,
                          const Problem& problem, const std::vector<std::int64_t>& episodes) {
  const auto horizon = static_cast<std::size_t>(problem.horizon()->steps());
  const double gamma = problem.discount().gamma();
  const auto n = static_cast<double>(episodes.size());
  const auto za = [&](std::int64_t row) { return a.of_row[row]; };
  const auto zb = [&](std::int64_t row) { return b.of_row[row]; };
  double total = 0.0;
  for (const std::int64_t i : episodes) total += value.values[0][za(problem.episode(i).first_row)];
  for (const OracleStep& s : oracle_steps(problem, episodes)) {
    const double r = value.reward[za(s.row)];
    for (std::size_t k = 0; k < horizon; ++k) {
      const double d = occupancy.mass[k][zb(s.row)];
      if (occupancy.visit[zb(s.row)] > 0.0) {
        total += s.weight * n * d / occupancy.visit[zb(s.row)] * (s.reward - r);
      }
      if (s.seen && occupancy.seen[zb(s.row)] > 0.0) {
        const double later = s.next_row >= 0 ? gamma * value.values[k + 1][za(s.next_row)] : 0.0;
        total += s.weight * n * d / occupancy.seen[zb(s.row)] * (later - (value.values[k][za(s.row)] - r));
      }
    }
  }
  return total / n;
}

// The double ARP of some members: the mean over all pairs.
inline double oracle_darp(const Bag& bag, const std::vector<std::size_t>& members, const Problem& problem,
                          const std::vector<std::int64_t>& episodes) {
  std::vector<OracleModel> models;
  for (const Labels& labels : bag.members) models.push_back(oracle_model(labels, problem, episodes));
  double total = 0.0;
  for (const std::size_t a : members) {
    for (const std::size_t b : members) {
      total += oracle_pair(bag.members[a], models[a], bag.members[b], models[b], problem, episodes);
    }
  }
  return total / static_cast<double>(members.size() * members.size());
}

// The same over pairs of different members only.
inline double oracle_pairs(const Bag& bag, const std::vector<std::size_t>& members, const Problem& problem,
                           const std::vector<std::int64_t>& episodes) {
  const auto m = static_cast<double>(members.size());
  double total = 0.0;
  std::vector<OracleModel> models;
  for (const Labels& labels : bag.members) models.push_back(oracle_model(labels, problem, episodes));
  for (const std::size_t a : members) {
    for (const std::size_t b : members) {
      if (a == b) continue;
      total += oracle_pair(bag.members[a], models[a], bag.members[b], models[b], problem, episodes);
    }
  }
  return total / (m * (m - 1.0));
}

inline double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

}  // namespace starope::testing
