#include "starope/phi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "starope/clustering/testing.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using ::testing::HasSubstr;
using testing::normal_numbers;

const std::vector<AbstractionRecipe>& dense_recipes() {
  static const std::vector<AbstractionRecipe> recipes{
      One{},
      Time{},
      Identity{},
      Grid{.bins = 3},
      Clusters{.clusters = 6},
      Clusters{.clusters = 6, .init = KMeansInit::plus_plus, .scale = FeatureScale::none},
      RandomCentroids{.clusters = 5},
      CentroidTable{.dimension = 2, .values = {0, 0, 1, 1, -1, 2}}};
  return recipes;
}

TEST(Abstraction, EveryRecipeLabelsEveryRowWithACell) {
  const Problem problem = testing::random_problem({.dimension = 2, .truncated = 0.6, .final_states = 0.8}, Seed{1},
                                                  {.horizon = Horizon{5}});
  ASSERT_GT(problem.data().state_rows(), problem.data().steps());
  for (const AbstractionRecipe& recipe : dense_recipes()) {
    const Labels labels = fit_abstraction(recipe, problem).labels;
    EXPECT_EQ(labels.of_row.size(), static_cast<std::size_t>(problem.data().state_rows())) << describe(recipe);
    EXPECT_LT(*std::max_element(labels.of_row.begin(), labels.of_row.end()), labels.cells) << describe(recipe);
  }
}

TEST(Abstraction, DiscreteRecipes) {
  const Problem problem = discrete_problem({3, 1, 2, 3, 1, 9}, {3, 2}, 1);
  const std::vector<AbstractionRecipe> recipes{One{},
                                               Time{},
                                               Identity{},
                                               Clusters{.clusters = 2},
                                               RandomCentroids{.clusters = 3},
                                               LookupTable{.state = {1, 2, 3, 9}, .z = {0, 0, 1, 2}}};
  for (const AbstractionRecipe& recipe : recipes) {
    const Labels labels = fit_abstraction(recipe, problem).labels;
    EXPECT_EQ(labels.of_row.size(), 6u) << describe(recipe);
    EXPECT_LT(*std::max_element(labels.of_row.begin(), labels.of_row.end()), labels.cells) << describe(recipe);
    if (!std::holds_alternative<Time>(recipe)) {
      EXPECT_EQ(labels.of_row[0], labels.of_row[3]) << describe(recipe);
      EXPECT_EQ(labels.of_row[1], labels.of_row[4]) << describe(recipe);
    }
  }
}

TEST(Abstraction, OnlyOneAndTimeNeedNoStates) {
  const Problem problem = testing::problem_of(std::monostate{}, {3, 2});
  std::vector<AbstractionRecipe> recipes = dense_recipes();
  recipes.emplace_back(LookupTable{.state = {1}, .z = {0}});
  for (const AbstractionRecipe& recipe : recipes) {
    if (std::holds_alternative<One>(recipe) || std::holds_alternative<Time>(recipe)) {
      EXPECT_EQ(fit_abstraction(recipe, problem).labels.of_row.size(), 5u);
      continue;
    }
    try {
      fit_abstraction(recipe, problem);
      ADD_FAILURE() << describe(recipe) << ": no error";
    } catch (const DataError& error) {
      EXPECT_EQ(error.code(), "missing_column") << describe(recipe);
      EXPECT_THAT(error.what(), HasSubstr("state_0"));
    }
  }
}

TEST(Abstraction, TheSameLabelsForAnyNumberOfThreads) {
  const Problem problem = dense_problem(2, normal_numbers(std::int64_t{2} * 9000, 1), {9000});  // more than one block
  for (const AbstractionRecipe& recipe : dense_recipes()) {
    EXPECT_EQ(fit_abstraction(recipe, problem, Threads{1}).labels, fit_abstraction(recipe, problem, Threads{3}).labels)
        << describe(recipe);
  }
}

TEST(Abstraction, OfBlocksIsThatOfMemory) {
  for (const bool single : {false, true}) {
    const Problem problem = testing::random_problem(
        {.episodes = 200, .dimension = 2, .single_precision = single, .truncated = 0.6, .final_states = 0.8}, Seed{9},
        {.horizon = Horizon{8}});
    const Source source = dataset_source(problem.data(), 100);
    for (const AbstractionRecipe& recipe : dense_recipes()) {
      if (std::holds_alternative<Identity>(recipe)) continue;  // of blocks it knows the states of the sample
      for (const std::int64_t most : {std::int64_t{300}, problem.data().steps()}) {
        const FittedAbstraction whole = fit_abstraction(recipe, problem, Threads{2}, most);
        const PhiFit blocks = fit_phi(recipe, source, problem.options(), Threads{2}, most);
        EXPECT_EQ(blocks.phi, *whole.phi) << describe(recipe) << " " << most;
        EXPECT_EQ(blocks.phi.label(problem.data()), whole.labels) << describe(recipe) << " " << most;
        EXPECT_EQ(blocks.findings.size(), whole.findings.size()) << describe(recipe) << " " << most;
      }
    }
  }
}

TEST(Abstraction, FindingsComeAlong) {
  const auto fit = fit_abstraction(Clusters{.clusters = 5}, dense_problem(1, {1, 1, 2}, {3}));
  ASSERT_EQ(fit.findings.size(), 1u);
  EXPECT_EQ(fit.findings[0].code, "fewer_clusters");
}

TEST(Abstraction, DescribesItselfAsInAnEstimatorString) {
  EXPECT_EQ(describe(One{}), "phi=one");
  EXPECT_EQ(describe(Time{}), "phi=time");
  EXPECT_EQ(describe(Identity{}), "phi=identity");
  EXPECT_EQ(describe(Grid{}), "phi=grid");
  EXPECT_EQ(describe(Grid{.bins = 7}), "phi=grid,bins=7");
  EXPECT_EQ(describe(Clusters{.clusters = 32}), "clusters=32");
  EXPECT_EQ(describe(Clusters{.init = KMeansInit::plus_plus, .scale = FeatureScale::none, .seed = Seed{3}}),
            "clusters=8,init=kmeans++,scale=none,seed=3");
  EXPECT_EQ(describe(RandomCentroids{.clusters = 4, .seed = Seed{9}}), "phi=random,clusters=4,seed=9");
  EXPECT_EQ(describe(CentroidTable{.source = "c.csv"}), "centroids=c.csv");
  EXPECT_EQ(describe(LookupTable{.source = "l.csv"}), "lookup=l.csv");
}

}  // namespace
}  // namespace starope
