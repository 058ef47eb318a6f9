#include "starope/inference/drawn_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

// Cell 0 leads to 1 or ends; ratios decide how often.
struct Logs {
  Problem problem;
  Labels labels;
};

Logs logs(EpisodeEnd end) {
  testing::LogVectors c;
  const auto step = [&](double reward, double ratio) {
    c.rewards.push_back(reward);
    c.behavior.push_back(0.25);
    c.target.push_back(0.25 * ratio);
  };
  step(1.0, 3.0);  // 0 -> 1
  step(10.0, 1.0);
  c.end_episode();
  step(5.0, 1.0);  // ends in 0
  c.end_episode(end);
  Labels labels{.cells = 2, .of_row = {0, 1, 0}};
  return {make_problem(std::move(c).dataset()), std::move(labels)};
}

double share(const std::vector<double>& returns, double value) {
  return static_cast<double>(std::count(returns.begin(), returns.end(), value)) / static_cast<double>(returns.size());
}

TEST(DrawnProcess, DrawsStepsByTheirRatios) {
  const Logs data = logs(EpisodeEnd::terminated);
  const std::vector<double> once{1.0, 1.0}, second{1.0, 3.0};
  const auto returns = DrawnProcess(data.labels, data.problem, once, std::nullopt).returns(4000, Seed{1});
  EXPECT_NEAR(share(returns, 11.0), 0.75, 0.03);
  EXPECT_NEAR(share(returns, 5.0), 0.25, 0.03);
  const auto more = DrawnProcess(data.labels, data.problem, second, std::nullopt).returns(4000, Seed{1});
  EXPECT_NEAR(share(more, 5.0), 0.5, 0.03);
}

TEST(DrawnProcess, WhatACutHidesIsDrawnFromTheOthers) {
  // With a horizon the cut step of the second episode has a reward but no outcome: all go on to cell 1.
  const Logs data = logs(EpisodeEnd::truncated);
  const std::vector<double> once{1.0, 1.0};
  const auto returns = DrawnProcess(data.labels, data.problem, once, 2).returns(4000, Seed{1});
  EXPECT_NEAR(share(returns, 11.0), 0.75, 0.03);
  EXPECT_NEAR(share(returns, 15.0), 0.25, 0.03);
  const auto short_ones = DrawnProcess(data.labels, data.problem, once, 1).returns(1000, Seed{1});
  EXPECT_NEAR(share(short_ones, 1.0), 0.75, 0.05);
}

TEST(DrawnProcess, StartsWhereItIsTold) {
  const Logs data = logs(EpisodeEnd::terminated);
  const std::vector<double> once{1.0, 1.0};
  const auto returns = DrawnProcess(data.labels, data.problem, once, std::nullopt).returns_from(1, 10, Seed{1}, 0);
  EXPECT_EQ(share(returns, 10.0), 1.0);
}

}  // namespace
}  // namespace starope
