#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(EvaluateBehavior, NeedsNoLoggedProbabilities) {
  const Dataset logged = testing::tabular_logs({.episodes = 300, .states = 4}, Seed{3});
  Columns columns = logged.columns();
  columns.behavior.reset();
  columns.behavior_distribution.reset();
  const Dataset unknown(std::move(columns));
  const auto estimators = request_estimators({"wis,star(phi=identity)"}, {}, {});
  const Evaluation found = evaluate(unknown, BehaviorRecipe{}, {}, estimators, {.checks = false});
  ASSERT_TRUE(found.behavior.has_value());
  EXPECT_EQ(found.behavior->estimator, "wis");
  EXPECT_GE(found.behavior->methods.size(), 2U);
  EXPECT_FALSE(found.behavior->calibration.empty());
  // What the chosen method says is what the evaluation says.
  EXPECT_EQ(found.behavior->methods[0].method, found.behavior->method);
  EXPECT_EQ(found.behavior->methods[0].value, std::get<Estimate>(found.estimates[0].result).value);
  // One ratio at a time forgives much: close to the answer with the true probabilities.
  const Evaluation known = evaluate(make_problem(logged), estimators, {.checks = false});
  const auto& with = std::get<Estimate>(found.estimates[1].result);
  const auto& truth = std::get<Estimate>(known.estimates[1].result);
  EXPECT_NEAR(with.value, truth.value, 3.0 * *truth.std_error);
  EXPECT_EQ(to_json(evaluation_from_json(to_json(found))), to_json(found));
}

TEST(EvaluateBehavior, IsFittedAnewInEveryReplicate) {
  const Dataset logs = testing::tabular_logs({.episodes = 60, .states = 4}, Seed{3});
  const auto estimators = request_estimators({"wis"}, {}, {});
  const EvaluateOptions options{.interval = parse_interval("bootstrap-percentile(replicates=40)"), .checks = false};
  const Evaluation fitted = evaluate(logs, BehaviorRecipe{}, {}, estimators, options);
  const auto& interval = std::get<Estimate>(fitted.estimates[0].result).interval;
  ASSERT_TRUE(interval.has_value());
  EXPECT_LT(interval->lower, interval->upper);
}

TEST(EvaluateBehavior, FillsWhatWasNotLogged) {
  const Dataset logged = testing::tabular_logs({.episodes = 300, .states = 4}, Seed{3});
  Columns columns = logged.columns();
  std::vector<double> some(logged.behavior()->values.begin(), logged.behavior()->values.end());
  columns.behavior.reset();
  columns.behavior_distribution.reset();
  const auto estimators = request_estimators({"wis"}, {}, {});
  const BehaviorRecipe fill = parse_behavior("fill", {});
  // Nothing is missing: the logged probabilities are used, and nothing has to be said.
  columns.behavior_with_gaps = LoggedProbabilities{.values = std::vector<double>(some)};
  const Evaluation complete = evaluate(Dataset(columns), fill, {}, estimators, {.checks = false});
  const Evaluation known = evaluate(make_problem(logged), estimators, {.checks = false});
  const auto value_of = [](const Evaluation& of) { return std::get<Estimate>(of.estimates[0].result).value; };
  EXPECT_EQ(value_of(complete), value_of(known));
  EXPECT_FALSE(complete.behavior.has_value());
  for (std::size_t i = 0; i < some.size(); i += 10) some[i] = std::nan("");
  const auto missing = static_cast<std::int64_t>((some.size() + 9) / 10);
  columns.behavior_with_gaps = LoggedProbabilities{.values = std::move(some)};
  const Evaluation found = evaluate(Dataset(columns), fill, {}, estimators, {.checks = false});
  ASSERT_TRUE(found.behavior.has_value());
  EXPECT_EQ(found.behavior->filled, missing);
  ASSERT_FALSE(found.data.findings.empty());
  const Finding& said = found.data.findings.back();
  EXPECT_EQ(said.code, "behavior_filled");
  EXPECT_EQ(said.parameters.at(0), (FindingParameter{"rows", missing}));
  EXPECT_NE(value_of(found), value_of(known));
  EXPECT_NEAR(value_of(found), value_of(known), 3.0 * *std::get<Estimate>(known.estimates[0].result).std_error);
  EXPECT_EQ(to_json(evaluation_from_json(to_json(found))), to_json(found));
}

TEST(EvaluateBehavior, RecipesAreRead) {
  EXPECT_EQ(parse_behavior("fill", {}), (BehaviorRecipe{.cross_fit = true, .fill = true}));
  EXPECT_EQ(parse_behavior("fill(crossfit=no)", {}), (BehaviorRecipe{.cross_fit = false, .fill = true}));
  EXPECT_EQ(parse_behavior("estimate(pseudocounts=0.5)", {}), (BehaviorRecipe{.pseudo_counts = 0.5}));
  EXPECT_EQ(parse_behavior("estimate", Seed{4}), (BehaviorRecipe{.seed = Seed{4}}));
  EXPECT_EQ(parse_behavior("estimate(method=counts,folds=3,crossfit=yes)", {}),
            (BehaviorRecipe{.method = BehaviorMethod::counts, .folds = 3, .cross_fit = true}));
  EXPECT_THROW(parse_behavior("guess", {}), InvalidArgument);
  EXPECT_THROW(parse_behavior("estimate(method=count)", {}), InvalidArgument);
}

}  // namespace
}  // namespace starope
