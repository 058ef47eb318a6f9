#include "starope/auto/auto_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/families.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

struct Fitted {
  Problem problem;
  AutoModel model;
};

// Every family takes part.
Fitted fitted(const Problem& logs) {
  FittedFamilies families = fit_families(logs, {.seeds = 2, .history = History::on, .keep_models = true});
  WeighedAnswer answer = weigh(families.scores, families.evidence);
  for (WeighedFamily& family : answer.families) family.weight = 1.0 / static_cast<double>(answer.families.size());
  return {families.problem,
          AutoModel(*std::move(families.models), answer, {.episodes = logs.episodes(), .steps = logs.steps()})};
}

Problem logs(Seed seed = Seed{7}, std::int64_t ids = 0) {
  return testing::random_problem({.episodes = 90,
                                  .discrete_states = ids,
                                  .dimension = 2,
                                  .zero_target = 0.03,
                                  .truncated = 0.4,
                                  .final_states = 0.6},
                                 seed, {.discount = Discount{0.95}, .horizon = Horizon{8}});
}

double mean(const std::vector<double>& scores) {
  return moments(scores).mean();
}

AutoCounts count_all(const AutoModel& model, const Problem& problem) {
  std::vector<AutoCounts> one{no_counts(model)};
  add_block(model, problem, std::vector<std::size_t>(problem.episodes(), 0), one);
  return one.front();
}

// One pass without scores of the anchor says what two passes with them say.
TEST(AutoCounts, OnePassHasTheValuesOfTwo) {
  for (const Problem& problem :
       {logs(), logs(Seed{8}, 12), testing::with_all_actions(logs()), testing::with_all_actions(logs(Seed{9}, 12))}) {
    const Fitted fit = fitted(problem);
    AutoSums sums = fit.model.identity();
    fit.model.add_block(sums, fit.problem);
    const AutoScores scores = fit.model.score(fit.problem, sums);
    const AutoCounts counts = count_all(fit.model, fit.problem);
    const std::vector<double> values = part_values(fit.model, counts);
    ASSERT_EQ(values.size(), scores.families.size());
    ASSERT_GE(values.size(), 5U);
    for (std::size_t part = 0; part < values.size(); ++part) {
      EXPECT_NEAR(values[part], mean(scores.families[part]), 1e-10 * (1.0 + std::abs(values[part])))
          << name_of(fit.model.parts()[part].family);
    }
    EXPECT_NEAR(mixed_value(fit.model, counts), mean(scores.mixed), 1e-10 * (1.0 + std::abs(mean(scores.mixed))));
    EXPECT_EQ(counts.episodes, 90.0);
  }
}

TEST(AutoCounts, GroupsAndPartsAddUp) {
  const Fitted fit = fitted(logs());
  const AutoCounts whole = count_all(fit.model, fit.problem);
  std::vector<AutoCounts> groups(3, no_counts(fit.model));
  for (std::int64_t first = 0; first < 90; first += 30) {
    std::vector<std::int64_t> episodes;
    std::vector<std::size_t> group_of;
    for (std::int64_t i = first; i < first + 30; ++i) {
      episodes.push_back(i);
      group_of.push_back(static_cast<std::size_t>(i % 3));
    }
    add_block(fit.model, fit.problem.take(episodes), group_of, groups);
  }
  AutoCounts total = groups[2];
  total += groups[0];
  total += groups[1];
  EXPECT_NEAR(mixed_value(fit.model, total), mixed_value(fit.model, whole), 1e-11);
  EXPECT_EQ(total.lowest, whole.lowest);
  EXPECT_EQ(total.highest, whole.highest);
  EXPECT_EQ(total.episodes, whole.episodes);
}

TEST(AutoCounts, BytesAndStrangers) {
  const Fitted fit = fitted(logs()), other = fitted(logs(Seed{8}));
  AutoCounts counts = count_all(fit.model, fit.problem);
  EXPECT_EQ(AutoCounts::from_bytes(counts.to_bytes()), counts);
  const AutoCounts strange = count_all(other.model, other.problem);
  EXPECT_THROW(counts += strange, InvalidArgument);
  EXPECT_THROW(part_values(fit.model, strange), InvalidArgument);
  EXPECT_THROW(count_all(fit.model, fit.problem.with_horizon(Horizon{3})), InvalidArgument);
}

}  // namespace
}  // namespace starope
