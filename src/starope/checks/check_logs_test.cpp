#include "starope/checks/check_logs.hpp"

#include <gtest/gtest.h>

#include "starope/checks/testing.hpp"
#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

using testing::codes;
using testing::find;
using testing::small_world;

TEST(CheckLogs, SoundLogsHaveNoFinding) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(codes(check_logs(small_world(200, Seed{seed}).dataset())), "") << seed;
}

Dataset spoiled() {
  testing::SmallWorld world = small_world(6000, Seed{1});
  std::vector<double> behavior = world.logged(world.behavior);
  for (double& p : behavior) p *= 0.7;
  const Dataset data = world.dataset(behavior, world.logged(world.target));
  const std::vector<Dataset> twice = {data, data};
  return concat(twice);
}

TEST(CheckLogs, TheWorstFirstForAnyNumberOfThreads) {
  const Dataset data = spoiled();
  const auto alone = check_logs(data, {.threads = Threads{1}, .sample_steps = 20'000});
  EXPECT_EQ(codes(alone), "critical:behavior_prob_wrong critical:copied_episodes");
  EXPECT_EQ(check_logs(data, {.threads = Threads{3}, .sample_steps = 20'000}), alone);
}

TEST(CheckLogs, BlocksOfASourceGiveTheFindingsOfMemory) {
  const Dataset data = spoiled();
  const CheckOptions options{.threads = Threads{2}, .sample_steps = 20'000};
  EXPECT_EQ(check_logs(dataset_source(data), options), check_logs(data, options));
}

TEST(CheckLogs, TheHorizonOfTheQuestionHidesNothing) {
  const Dataset data = spoiled();
  const Problem short_sighted = make_problem(data, ProblemOptions{.horizon = Horizon{2}});
  EXPECT_EQ(check_logs(short_sighted), check_logs(data));
}

TEST(CheckLogs, WhatTheLogsDoNotHaveIsNotChecked) {
  Columns columns = small_world(100, Seed{1}).dataset().columns();
  columns.target.reset();
  EXPECT_EQ(codes(check_logs(Dataset(columns))), "");
  columns.behavior.reset();
  columns.states = std::monostate();
  columns.actions = std::monostate();
  EXPECT_EQ(codes(check_logs(Dataset(columns))), "");
}

TEST(CheckLogs, OneStepOfOneEpisode) {
  testing::LogVectors logs;
  logs.rewards = {1.0};
  logs.behavior = {0.5};
  logs.target = {0.9};
  logs.end_episode();
  EXPECT_EQ(codes(check_logs(std::move(logs).dataset())), "");
}

}  // namespace
}  // namespace starope
