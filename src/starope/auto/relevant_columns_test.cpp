#include "starope/auto/relevant_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

// A ball that rolls with friction and is pushed by actions; what pays is its place. Columns are written by `see` from
// (place, speed, noise, the episode's own number).
struct Seen {
  double place = 0.0, speed = 0.0, noise = 0.0, own = 0.0;
};
struct Logs {
  Problem problem;
  std::vector<double> values{};
};

Logs roll(
    std::int64_t dimension, const std::function<std::vector<double>(const Seen&)>& see,
    const std::function<double(const Seen&)>& drift = [](const Seen&) { return 0.0; }) {
  Random random(Seed{3}, Stream::test_data, 21);
  testing::LogVectors columns;
  columns.action_count = 2;
  std::vector<double> values;
  for (int i = 0; i < 60; ++i) {
    Seen seen{.place = random.normal(), .own = random.normal()};
    for (int t = 0; t < 20; ++t) {
      seen.noise = random.normal();
      for (const double x : see(seen)) values.push_back(x);
      const bool push = random.uniform() < 0.5;
      columns.actions.push_back(push ? 1 : 0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(push ? 0.8 : 0.2);
      columns.rewards.push_back(-seen.place * seen.place);
      seen.speed += (push ? 0.3 : -0.3) - 0.2 * seen.speed + 0.1 * random.normal() + drift(seen);
      seen.place += 0.3 * seen.speed - 0.1 * seen.place;
    }
    columns.end_episode();
  }
  columns.states = DenseStates{.dimension = dimension, .values = std::vector<double>(values)};
  return {.problem = make_problem(std::move(columns).dataset()), .values = std::move(values)};
}

std::vector<std::int64_t> found(const Logs& logs, std::int64_t dimension) {
  return relevant_columns(logs.problem, logs.values, dimension);
}

TEST(RelevantColumns, ArePaidForOrMoveWhatIsPaidFor) {
  // The speed has no part in any reward; it moves the place.
  const Logs logs = roll(4, [](const Seen& s) { return std::vector{s.noise, s.speed, s.own, s.place}; });
  EXPECT_THAT(found(logs, 4), ElementsAre(1, 3));
}

TEST(RelevantColumns, KeepConstantsOfAnEpisodeThatActOnTheRest) {
  const Logs logs = roll(
      3,
      [](const Seen& s) {
        return std::vector{s.place, s.speed, s.own};
      },
      [](const Seen& s) { return 0.1 * s.own; });
  EXPECT_THAT(found(logs, 3), ElementsAre(0, 1, 2));
}

TEST(RelevantColumns, CountCopiesOnce) {
  const Logs logs = roll(4, [](const Seen& s) { return std::vector{s.place, s.speed, 1.0 - 2.0 * s.speed, s.place}; });
  EXPECT_THAT(found(logs, 4), ::testing::SizeIs(2));
}

// It adds nothing here, but it is not independent of what matters: perhaps it does elsewhere.
TEST(RelevantColumns, KeepWhatGoesWithThem) {
  const Logs logs = roll(3, [](const Seen& s) {
    return std::vector{s.place, s.speed, s.place + s.speed + 0.5 * s.noise};
  });
  EXPECT_THAT(found(logs, 3), ElementsAre(0, 1, 2));
}

TEST(RelevantColumns, AreThoseThatPoliciesLookAt) {
  Logs logs = roll(3, [](const Seen& s) { return std::vector{s.place, s.speed, s.own}; });
  EXPECT_THAT(found(logs, 3), ElementsAre(0, 1));
  Columns columns = logs.problem.data().columns();
  std::vector<double> target = columns.target->values.to_vector();
  for (std::size_t s = 0; s < target.size(); ++s) target[s] = logs.values[3 * s + 2] > 0.0 ? 0.8 : 0.2;
  columns.target->values = std::move(target);
  logs.problem = make_problem(Dataset(std::move(columns)));
  EXPECT_THAT(found(logs, 3), ElementsAre(0, 1, 2));
}

TEST(RelevantColumns, AreAllWhereNoneSeemsToMatterOrThereAreFewEpisodes) {
  const Problem noise = testing::random_problem({.episodes = 60, .dimension = 3}, Seed{4}, {.horizon = Horizon{9}});
  const auto& dense = std::get<DenseStates>(noise.data().states());
  EXPECT_THAT(relevant_columns(noise, dense.values.widened().to_vector(), 3), ElementsAre(0, 1, 2));
  const Logs logs = roll(2, [](const Seen& s) { return std::vector{s.place, s.noise}; });
  std::vector<std::int64_t> few(10);
  for (std::size_t i = 0; i < few.size(); ++i) few[i] = static_cast<std::int64_t>(i);
  EXPECT_THAT(relevant_columns(logs.problem.take(few), logs.values, 2), ElementsAre(0, 1));
}

}  // namespace
}  // namespace starope
