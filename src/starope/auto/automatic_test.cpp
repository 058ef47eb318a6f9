#include "starope/auto/automatic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/inference/influence_interval.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::Not;
using testing::random_problem;

// A walk on a line of `states` numbers: the action pushes left or right, the reward is the position, the walk ends at
// either end. The behavior policy tosses a coin, the target policy goes right with probability 0.7.
Problem walk(std::int64_t episodes, std::int64_t length, Seed seed, bool dense = true) {
  Random random(seed, Stream::test_data, 9);
  testing::LogVectors columns;
  columns.action_count = 2;
  std::vector<double> numbers;
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < episodes; ++i) {
    std::int64_t x = 3;
    bool over = false;
    std::int64_t t = 0;
    for (; t < length && !over; ++t) {
      const bool right = random.uniform() < 0.5;
      numbers.push_back(static_cast<double>(x));
      ids.push_back(x);
      columns.actions.push_back(right ? 1 : 0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(right ? 0.7 : 0.3);
      x += right ? 1 : -1;
      columns.rewards.push_back(static_cast<double>(x));
      over = x == 0 || x == 7;
    }
    columns.end_episode(over ? EpisodeEnd::terminated : EpisodeEnd::truncated);
  }
  if (dense) {
    columns.states = DenseStates{.dimension = 1, .values = std::move(numbers)};
  } else {
    columns.states = make_discrete_states(ids);
  }
  return make_problem(std::move(columns).dataset(), ProblemOptions{.horizon = Horizon{length}});
}

// The same by dynamic programming.
double true_value(std::int64_t length) {
  std::vector<double> value(8, 0.0);
  for (std::int64_t t = 0; t < length; ++t) {
    std::vector<double> before(8, 0.0);
    for (std::size_t x = 1; x < 7; ++x) {
      const auto right = static_cast<double>(x + 1), left = static_cast<double>(x - 1);
      before[x] = 0.7 * (right + value[x + 1]) + 0.3 * (left + value[x - 1]);
    }
    value = before;
  }
  return value[3];
}

TEST(Automatic, FindsTheValueOfTheTargetPolicy) {
  const double truth = true_value(12);
  for (const bool dense : {true, false}) {
    const Estimate found = estimate(Auto{}, walk(600, 12, Seed{1}, dense));
    ASSERT_TRUE(found.std_error);
    EXPECT_NEAR(found.value, truth, 4.0 * *found.std_error) << dense;
    EXPECT_LT(*found.std_error, 0.1 * truth) << dense;
  }
}

TEST(Automatic, GetsBetterWithMoreEpisodes) {
  const double truth = true_value(12);
  double few = 0.0, many = 0.0;
  for (std::uint64_t s = 0; s < 12; ++s) {
    few += std::pow(estimate(Auto{.seeds = 2}, walk(50, 12, Seed{s})).value - truth, 2) / 12.0;
    many += std::pow(estimate(Auto{.seeds = 2}, walk(1600, 12, Seed{s})).value - truth, 2) / 12.0;
  }
  EXPECT_LT(many, 0.25 * few);  // a thirty-second part is expected
}

TEST(Automatic, IsTheSameForAnyNumberOfThreadsAndChangesWithTheSeed) {
  const Problem problem = walk(150, 10, Seed{2});
  const Estimate one = estimate(Auto{}, problem, {.threads = Threads{1}});
  const Estimate three = estimate(Auto{}, problem, {.threads = Threads{3}});
  EXPECT_EQ(one.value, three.value);
  EXPECT_EQ(one.std_error, three.std_error);
  EXPECT_EQ(one.influence, three.influence);
  const Problem noise = random_problem({.episodes = 80}, Seed{3}, ProblemOptions{.horizon = Horizon{12}});
  EXPECT_NE(estimate(Auto{}, noise).value, estimate(Auto{.seed = Seed{1}}, noise).value);
}

TEST(Automatic, ScalesWithTheRewards) {
  const Problem problem = random_problem({.episodes = 60, .truncated = 0.0}, Seed{4});
  Columns columns = problem.data().columns();
  std::vector<double> rewards = columns.rewards.to_vector();
  for (double& r : rewards) r *= 4.0;
  columns.rewards = std::move(rewards);
  const Estimate plain = estimate(Auto{}, problem);
  const Estimate scaled = estimate(Auto{}, make_problem(Dataset(std::move(columns))));
  EXPECT_NEAR(scaled.value, 4.0 * plain.value, 1e-9);
  EXPECT_NEAR(*scaled.std_error, 4.0 * *plain.std_error, 1e-9);
}

TEST(Automatic, IsDefinedForTheSmallestLogs) {
  // One episode: a value, no standard error.
  const Estimate single = estimate(Auto{}, random_problem({.episodes = 1, .shortest = 5, .truncated = 0.0}, Seed{1}));
  EXPECT_TRUE(std::isfinite(single.value));
  EXPECT_FALSE(single.std_error);
  // One step each and one cell: the cells say the weighted mean of the first rewards.
  const Problem steps = random_problem({.episodes = 20, .longest = 1, .truncated = 0.0}, Seed{2});
  double sum = 0.0, weights = 0.0;
  for (std::int64_t i = 0; i < 20; ++i) {
    sum += steps.episode(i).ratios[0] * steps.episode(i).rewards[0];
    weights += steps.episode(i).ratios[0];
  }
  EXPECT_NEAR(fit(Auto{.ladder = {1}}, steps).answer.find(FamilyKind::cells)->value, sum / weights, 1e-10);
  // Fewer than 32 steps, horizon 1, a single step.
  for (const std::int64_t episodes : {2, 3, 7}) {
    const Estimate e =
        estimate(Auto{}, random_problem({.episodes = episodes, .longest = 3, .truncated = 0.0}, Seed{3}));
    EXPECT_TRUE(std::isfinite(e.value) && std::isfinite(e.std_error.value_or(0.0)));
  }
  const Problem one_step = random_problem({.episodes = 9}, Seed{4}, ProblemOptions{.horizon = Horizon{1}});
  EXPECT_TRUE(std::isfinite(estimate(Auto{}, one_step).value));
}

TEST(Automatic, OfAConstantStateIsDefined) {
  Problem problem = walk(30, 6, Seed{5}, false);
  Columns columns = problem.data().columns();
  columns.states = make_discrete_states(std::vector<std::int64_t>(problem.steps(), 1));
  const Estimate e = estimate(Auto{}, make_problem(Dataset(std::move(columns)), ProblemOptions{.horizon = Horizon{6}}));
  EXPECT_TRUE(std::isfinite(e.value));
  EXPECT_TRUE(std::isfinite(*e.std_error));
}

TEST(Automatic, RefusesWhatHasNoAnswer) {
  EXPECT_THROW(estimate(Auto{}, random_problem({.episodes = 10, .zero_target = 1.0, .truncated = 0.0}, Seed{1})),
               DegenerateModel);
  // Truncated episodes of different lengths, and no horizon.
  try {
    estimate(Auto{}, random_problem({.episodes = 40, .truncated = 0.5}, Seed{1}));
    ADD_FAILURE() << "there is no horizon";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("auto needs a horizon"));
  }
  EXPECT_THROW(estimate(Auto{.seeds = 0}, walk(10, 5, Seed{1})), InvalidArgument);
  EXPECT_THROW(estimate(Auto{.ladder = {8, 4}}, walk(10, 5, Seed{1})), InvalidArgument);
}

// The state shown is always the same; what the last action was decides the next reward.
Problem forgetful(std::int64_t episodes, Seed seed, bool as_id = false) {
  Random random(seed, Stream::test_data, 11);
  testing::LogVectors columns;
  columns.action_count = 2;
  for (std::int64_t i = 0; i < episodes; ++i) {
    bool last = false;
    for (int t = 0; t < 4; ++t) {
      const bool act = random.uniform() < 0.5;
      columns.rewards.push_back(last ? 1.0 : 0.0);
      columns.actions.push_back(act ? 1 : 0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(act ? 0.9 : 0.1);
      last = act;
    }
    columns.end_episode();
  }
  columns.states = DenseStates{.dimension = 1, .values = std::vector<double>(columns.rewards.size(), 0.0)};
  if (as_id) columns.states = DiscreteStates{.code = std::vector<std::int32_t>(columns.rewards.size(), 0), .ids = {7}};
  return make_problem(std::move(columns).dataset());
}

TEST(Automatic, NoticesThatHistoryMattersAndUsesIt) {
  const Problem problem = forgetful(400, Seed{7});  // truth: 3 * 0.9
  const AutoFit found = fit(Auto{}, problem);
  EXPECT_FALSE(found.evidence.cells_history.markov);
  EXPECT_NEAR(found.estimate.value, 2.7, 4.0 * *found.estimate.std_error);
  EXPECT_LT(*found.estimate.std_error, 0.2);
  // One ratio cannot see the last action: those who look at the state alone have no say.
  EXPECT_LT(found.answer.weight_of(FamilyKind::cells) + found.answer.weight_of(FamilyKind::waves), 0.01);
  EXPECT_LT(found.answer.find(FamilyKind::cells)->value, 2.0);
  EXPECT_THAT(found.estimate.findings,
              Contains(AllOf(Field(&Finding::code, "history_matters"), Field(&Finding::severity, Severity::info))));
  // Without memory cumulative weights still know better, where they are healthy.
  const AutoFit blind = fit(Auto{.history = History::off}, problem);
  EXPECT_EQ(blind.answer.remembering(), 0.0);
  EXPECT_THAT(blind.estimate.findings,
              Contains(AllOf(Field(&Finding::code, "history_matters"), Field(&Finding::severity, Severity::warning))));
  // Rows of one id have different histories, so their sums must not be shared.
  const AutoFit of_id = fit(Auto{.history = History::on}, forgetful(400, Seed{7}, true));
  EXPECT_NEAR(of_id.estimate.value, 2.7, 4.0 * *of_id.estimate.std_error);
}

TEST(Automatic, RemembersOnRequest) {
  const Problem problem = walk(200, 10, Seed{8});
  const AutoFit alone = fit(Auto{}, problem);
  EXPECT_TRUE(alone.evidence.cells_history.markov);
  EXPECT_EQ(alone.answer.remembering(), 0.0);
  const AutoFit only = fit(Auto{.history = History::on}, problem);
  EXPECT_EQ(only.answer.weight_of(FamilyKind::cells) + only.answer.weight_of(FamilyKind::waves), 0.0);
  EXPECT_GT(only.answer.remembering(), 0.0);
  const AutoFit both = fit(Auto{.history = History::mixed}, problem);
  EXPECT_GT(both.answer.remembering(), 0.0);
  EXPECT_GT(both.answer.weight_of(FamilyKind::cells), 0.0);
  for (const AutoFit* each : {&alone, &only, &both}) {
    EXPECT_NEAR(each->estimate.value, true_value(10), 4.0 * *each->estimate.std_error);
  }
}

TEST(Automatic, FamiliesMakeUpTheAnswer) {
  for (const bool dense : {true, false}) {
    const Estimate found = estimate(Auto{.seeds = 2}, walk(80, 10, Seed{8}, dense));
    ASSERT_GE(found.families.size(), 4u);
    double value = 0.0, weights = 0.0;
    for (const FamilyAnswer& family : found.families) {
      value += family.weight * family.value;
      weights += family.weight;
      EXPECT_FALSE(family.reason.empty());
    }
    EXPECT_NEAR(weights, 1.0, 1e-12);
    EXPECT_NEAR(value, found.value, 1e-9);
    EXPECT_GE(found.families.front().weight, found.families.back().weight);
  }
}

// A walk round a ring of states (six) that nothing ends but the clock: reward = the state, every episode `length` long.
Problem ring(std::int64_t episodes, std::int64_t length, EpisodeEnd end, std::int64_t states = 6) {
  Random random(Seed{4}, Stream::test_data, 11);
  testing::LogVectors columns;
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < episodes; ++i) {
    std::int64_t x = 0;
    for (std::int64_t t = 0; t < length; ++t) {
      const bool on = random.uniform() < 0.5;
      ids.push_back(x);
      columns.rewards.push_back(static_cast<double>(x));
      columns.behavior.push_back(0.5);
      columns.target.push_back(on ? 0.8 : 0.2);
      if (on) x = (x + 1) % states;
    }
    columns.end_episode(end);
  }
  columns.states = make_discrete_states(ids);
  return make_problem(std::move(columns).dataset());
}

double true_value_of_ring(std::int64_t length) {
  std::vector<double> value(6, 0.0);
  for (std::int64_t t = 0; t < length; ++t) {
    std::vector<double> before(6);
    for (std::size_t x = 0; x < 6; ++x) before[x] = static_cast<double>(x) + 0.8 * value[(x + 1) % 6] + 0.2 * value[x];
    value = before;
  }
  return value[0];
}

TEST(Automatic, IsNotMisledByEpisodesThatTheClockEnds) {
  const Estimate ended = estimate(Auto{}, ring(400, 15, EpisodeEnd::terminated));
  const Estimate cut = estimate(Auto{}, ring(400, 15, EpisodeEnd::truncated));
  EXPECT_EQ(ended.value, cut.value);
  EXPECT_EQ(ended.std_error, cut.std_error);
  const double truth = true_value_of_ring(15);
  EXPECT_NEAR(ended.value, truth, 4.0 * *ended.std_error);
  EXPECT_LT(*ended.std_error, 0.05 * truth);
  EXPECT_THAT(ended.findings, Contains(Field(&Finding::code, "fixed_length")));
  // Six ids: all levels of the ladder are the same abstraction, and differ by rounding alone.
  EXPECT_THAT(ended.findings, Not(Contains(Field(&Finding::code, "ladder_drift"))));
  EXPECT_THAT(cut.findings, Not(Contains(Field(&Finding::code, "fixed_length"))));
}

// With the step as its state, a log of fixed length ends where its states say so.
TEST(Automatic, BelievesStatesThatEndEpisodes) {
  const Problem by_step = [] {
    testing::LogVectors columns;
    std::vector<std::int64_t> ids;
    Random random(Seed{4}, Stream::test_data, 12);
    for (int i = 0; i < 40; ++i) {
      for (int t = 0; t < 6; ++t) {
        ids.push_back(t);
        columns.rewards.push_back(1.0);
        columns.behavior.push_back(0.5);
        columns.target.push_back(random.uniform() < 0.5 ? 0.8 : 0.2);
      }
      columns.end_episode();
    }
    columns.states = make_discrete_states(ids);
    return make_problem(std::move(columns).dataset());
  }();
  const Estimate found = estimate(Auto{}, by_step);
  EXPECT_NEAR(found.value, 6.0, 1e-9);
  EXPECT_THAT(found.findings, Not(Contains(Field(&Finding::code, "fixed_length"))));
  EXPECT_THAT(found.findings, Not(Contains(Field(&Finding::code, "unsupported_steps"))));
}

// One state; an action ends the episode, the other does not. The longest of the logged episodes says nothing about a
// policy that hardly ever ends one.
Problem leaving(double behavior, double target) {
  testing::LogVectors columns;
  columns.action_count = 2;
  Random random(Seed{6}, Stream::test_data, 13);
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 100; ++i) {
    for (bool left = false; !left;) {
      left = random.uniform() < behavior;
      ids.push_back(0);
      columns.rewards.push_back(1.0);
      columns.actions.push_back(left ? 1 : 0);
      columns.behavior.push_back(left ? behavior : 1.0 - behavior);
      columns.target.push_back(left ? target : 1.0 - target);
    }
    columns.end_episode();
  }
  columns.states = make_discrete_states(ids);
  return make_problem(std::move(columns).dataset());
}

TEST(Automatic, SaysWhereEpisodesOfTheTargetPolicyWouldBeLongerThanAnyLogged) {
  const auto short_horizon = Field(&Finding::code, "horizon_short");
  const auto severe = [&](Severity severity) {
    return Contains(AllOf(short_horizon, Field(&Finding::severity, severity)));
  };
  EXPECT_THAT(estimate(Auto{}, leaving(0.5, 0.02)).findings, severe(Severity::critical));
  EXPECT_THAT(estimate(Auto{}, leaving(0.5, 0.25)).findings, severe(Severity::warning));
  EXPECT_THAT(estimate(Auto{}, leaving(0.5, 0.6)).findings, Not(Contains(short_horizon)));
  // Who gives a horizon has said what counts.
  const Problem asked = leaving(0.5, 0.02).with_horizon(Horizon{5});
  EXPECT_THAT(estimate(Auto{}, asked).findings, Not(Contains(short_horizon)));
}

TEST(Automatic, CountsNoStepsThatNoEpisodeHas) {
  const Problem ended = ring(20, 15, EpisodeEnd::terminated);
  EXPECT_EQ(auto_horizon(ended.with({.horizon = Horizon{40}})).steps, 15);
  EXPECT_EQ(auto_horizon(ended.with({.horizon = Horizon{9}})).steps, 9);
  EXPECT_EQ(auto_horizon(ring(20, 15, EpisodeEnd::truncated).with({.horizon = Horizon{40}})).steps, 40);
  EXPECT_EQ(auto_horizon(ring(9, 15, EpisodeEnd::terminated).with({.horizon = Horizon{40}})).steps, 40);  // too few
  EXPECT_EQ(auto_horizon(walk(50, 12, Seed{1}).with({.horizon = Horizon{40}})).steps, 40);
}

TEST(Automatic, StaysWithinWhatIsPossible) {
  const Estimate e = estimate(Auto{}, walk(12, 8, Seed{9}));
  ASSERT_TRUE(e.range);
  EXPECT_EQ(e.range->lower, 0.0);
  EXPECT_EQ(e.range->upper, 7.0 * 8.0);
  const auto interval = influence_interval(e, Level{0.999999});
  EXPECT_GE(interval->lower, 0.0);
  EXPECT_LE(interval->upper, 56.0);
}

TEST(Automatic, ErrorTermsAddUpToTheStandardError) {
  const AutoFit found = fit(Auto{}, walk(200, 10, Seed{10}));
  const AnswerErrors& e = found.answer.errors;
  EXPECT_NEAR(std::pow(*found.estimate.std_error, 2),
              std::max(e.score, e.half) + e.instability + e.spread + e.doubts + e.seeds + e.draws, 1e-12);
  double sum = 0.0;
  for (const double x : found.estimate.influence) sum += x;
  EXPECT_NEAR(sum, 0.0, 1e-8);
}

// A walk that goes round in a ring for ever and earns 1 a step; recordings stop by chance, at the latest after 30
// steps.
Problem ring(EpisodeEnd stop) {
  Random random(Seed{4}, Stream::test_data, 12);
  testing::LogVectors columns;
  columns.action_count = 2;
  std::vector<std::int64_t> places;
  for (int i = 0; i < 150; ++i) {
    std::int64_t place = 0;
    bool over = false;
    for (int t = 0; t < 30 && !over; ++t) {
      const bool right = random.uniform() < 0.5;
      over = random.uniform() < 0.1;
      places.push_back(place);
      columns.actions.push_back(right ? 1 : 0);
      columns.behavior.push_back(0.5);
      columns.target.push_back(right ? 0.7 : 0.3);
      columns.rewards.push_back(1.0);
      place = (place + (right ? 1 : 4)) % 5;
    }
    columns.end_episode(stop);
  }
  columns.states = make_discrete_states(places);
  return make_problem(std::move(columns).dataset(), {.horizon = Horizon{30}});
}

// Without flags nobody can know whether the walk ended. The answer is that of the logs as they are; the interval holds
// what it would be if they were cut.
TEST(Automatic, HoldsBothAnswersWhereEndsHaveNoReason) {
  const AutoFit found = fit(Auto{}, ring(EpisodeEnd::terminated));
  EXPECT_LT(found.estimate.value, 12.0);
  ASSERT_TRUE(found.if_cut);
  EXPECT_NEAR(*found.if_cut, 30.0, 0.01);
  EXPECT_GE(*found.estimate.std_error, *found.if_cut - found.estimate.value);
  EXPECT_THAT(found.estimate.findings,
              Contains(Finding{Severity::warning, "missing_flags", {{"value", *found.if_cut}}}));
  EXPECT_GE(influence_interval(found.estimate, Level{0.95})->upper, 30.0 - 1e-9);
  // Who knows that these are ends gets the same value, without the doubt.
  const AutoFit known = fit(Auto{.ends = Ends::real}, ring(EpisodeEnd::terminated));
  EXPECT_EQ(known.estimate.value, found.estimate.value);
  EXPECT_LT(*known.estimate.std_error, 0.1 * *found.estimate.std_error);
  EXPECT_FALSE(known.if_cut);
  EXPECT_THAT(known.estimate.findings, Not(Contains(Field(&Finding::code, "missing_flags"))));
  // Where the cuts are marked, that is the answer, and nothing is doubted.
  const AutoFit marked = fit(Auto{}, ring(EpisodeEnd::truncated));
  EXPECT_NEAR(marked.estimate.value, *found.if_cut, 0.01);
  EXPECT_FALSE(marked.if_cut);
  EXPECT_THAT(marked.estimate.findings, Not(Contains(Field(&Finding::code, "missing_flags"))));
}

}  // namespace
}  // namespace starope
