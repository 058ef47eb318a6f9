#pragma once

// What all kinds of moves promise, checked step by step from its definition.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/q/cell_moves.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"
#include "starope/rng/random.hpp"

namespace starope::testing {

inline std::vector<LoggedStep> steps_with_known_outcome(const QLogs& logs) {
  std::vector<LoggedStep> known;
  for (const LoggedStep& step : logs.steps(logs.all_episodes()))
    if (step.outcome != Outcome::Kind::unknown) known.push_back(step);
  return known;
}

inline std::vector<double> numbers_of_row(const StateFeatures& features, std::int64_t row) {
  std::vector<double> phi(features.width, 0.0);
  if (features.indicator()) {
    phi[features.cell[row]] = 1.0;
  } else {
    for (std::size_t k = 0; k < phi.size(); ++k) phi[k] = static_cast<double>(features.row(row)[k]);
  }
  return phi;
}

// A step as two vectors over the coefficients: phi(s) for the action taken, and pi_e(.|s') phi(s').
struct PlainMove {
  std::vector<double> from, to;
};

inline PlainMove plain_move(const QLogs& logs, const StateFeatures& features, const LoggedStep& step) {
  const auto width = static_cast<std::size_t>(features.width), actions = static_cast<std::size_t>(logs.actions());
  PlainMove move{std::vector<double>(width * actions, 0.0), std::vector<double>(width * actions, 0.0)};
  const std::vector<double> here = numbers_of_row(features, step.row);
  for (std::size_t k = 0; k < width; ++k) move.from[static_cast<std::size_t>(step.action) * width + k] = here[k];
  if (step.outcome != Outcome::Kind::next) return move;
  const std::vector<double> next = numbers_of_row(features, step.next_row);
  for (std::size_t a = 0; a < actions; ++a) {
    for (std::size_t k = 0; k < width; ++k) move.to[a * width + k] = logs.target(step.next_row)[a] * next[k];
  }
  return move;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

inline void expect_close(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double scale = 0.0;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  ASSERT_GT(scale, 0.0);
  for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], expected[k], 1e-12 * scale) << k;
}

template <class Moves>
void expect_as_defined(const Moves& moves, const QLogs& logs, const StateFeatures& features,
                       const std::vector<LoggedStep>& steps) {
  Random random(Seed{77}, Stream::test_data, 0);
  const std::size_t size = static_cast<std::size_t>(features.width) * static_cast<std::size_t>(logs.actions());
  const auto draw = [&] {
    Coefficients x(size);
    for (double& value : x) value = random.normal();
    return x;
  };
  const Coefficients q = draw(), n = draw();
  Coefficients backward(size, 0.0), forward(size, 0.0);
  std::vector<double> of_episode(logs.problem().episodes(), 0.0);
  MoveScores scores = moves.no_scores();
  std::vector<std::vector<Coefficients>> terms;  // (n, q, b)
  for (int k = 0; k < 4; ++k) {
    terms.push_back({draw(), draw(), draw()});
    moves.add_scores(terms.back()[0], terms.back()[1], terms.back()[2], scores);
  }
  for (const LoggedStep& step : steps) {
    const PlainMove move = plain_move(logs, features, step);
    for (std::size_t k = 0; k < size; ++k) {
      backward[k] += move.from[k] * dot(move.to, q);
      forward[k] += dot(move.from, n) * move.to[k];
    }
    for (const auto& term : terms)
      of_episode[step.episode] += dot(move.from, term[0]) * (dot(move.to, term[1]) - dot(move.from, term[2]));
  }
  expect_close(moves.backward(q), backward);
  expect_close(moves.forward(n), forward);
  std::vector<double> found(of_episode.size(), 0.0);
  moves.add_to_episodes(scores, found);
  expect_close(found, of_episode);
}

}  // namespace starope::testing
