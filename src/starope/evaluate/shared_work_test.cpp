#include "starope/evaluate/shared_work.hpp"

#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/q/testing.hpp"

namespace starope {
namespace {

TEST(SharedWork, TheSameValueIsFittedOnce) {
  const Problem problem = testing::random_problem({.episodes = 40}, Seed{2});
  SharedWork shared(problem, Threads{1});
  const Ledger::Item user = shared.ledger().open();
  const Labeling three{.phi = Clusters{.clusters = 3}, .horizon = {}};
  const FittedAbstraction& first = shared.labels(three, user);
  EXPECT_EQ(&shared.labels(three, user), &first);
  EXPECT_NE(&shared.labels({.phi = Clusters{.clusters = 3, .tolerance = 0.1}, .horizon = {}}, user), &first);
  EXPECT_NE(&shared.labels({.phi = Clusters{.clusters = 3}, .horizon = Horizon{2}}, user), &first);
}

TEST(SharedWork, AHorizonThatNoEpisodeReachesShowsTheSameStates) {
  const Problem problem = testing::random_problem({.episodes = 40, .shortest = 5, .longest = 5}, Seed{2});
  const Star star{.phi = Clusters{.clusters = 3}, .horizon = Horizon{5}};
  EXPECT_EQ(labeling_of(star, problem).horizon, std::nullopt);
  EXPECT_EQ(labeling_of(Star{.phi = star.phi, .horizon = Horizon{4}}, problem).horizon, Horizon{4});
}

TEST(SharedWork, OneFitOfQForAllThatAskForTheSame) {
  const Problem problem = testing::tabular_problem({}, Seed{3});
  SharedWork shared(problem, Threads{1});
  const Ledger::Item user = shared.ledger().open();
  const QRecipe fqe{};
  const auto fit = [&](const Estimator& estimator) {
    const Estimator fitted = shared.with_fitted_q(estimator, user);
    const auto* dr = std::get_if<DoublyRobust>(&fitted);
    const QSource& q = dr != nullptr ? dr->q : std::get<DirectMethod>(fitted).q;
    const auto* made = std::get_if<std::shared_ptr<const QFit>>(&q);
    return made == nullptr ? nullptr : made->get();
  };
  const QFit* first = fit(DirectMethod{.q = fqe});
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(fit(DoublyRobust{.q = fqe, .weighted = true}), first);
  EXPECT_NE(fit(DirectMethod{.q = QRecipe{.seed = Seed{1}}}), first);
  EXPECT_EQ(fit(DoublyRobust{.q = fqe, .folds = 2}), nullptr);  // fits of its own, to parts of the logs
}

TEST(SharedWork, EveryOptionOfAFitCounts) {
  const Clusters k;
  EXPECT_EQ(k, Clusters{});
  EXPECT_FALSE(k == (Clusters{.clusters = 9}));
  EXPECT_FALSE(k == (Clusters{.tolerance = 1e-3}));
  EXPECT_FALSE(k == (Clusters{.seed = Seed{1}}));
  const QRecipe q;
  EXPECT_EQ(q, QRecipe{});
  EXPECT_FALSE(q == (QRecipe{.ridge = 0.0}));
  EXPECT_FALSE(q == (QRecipe{.anchor = 0.5}));
}

TEST(SharedWork, TablesAreWhatTheyHold) {
  const CentroidTable a{.dimension = 1, .values = {0.0, 1.0}}, b{.dimension = 1, .values = {0.0, 2.0}};
  EXPECT_FALSE(AbstractionRecipe(a) == AbstractionRecipe(b));
  EXPECT_TRUE(AbstractionRecipe(a) == AbstractionRecipe(CentroidTable(a)));
  const LookupTable c{.state = {0, 1}, .z = {0, 1}}, d{.state = {0, 1}, .z = {0, 0}};
  EXPECT_FALSE(AbstractionRecipe(c) == AbstractionRecipe(d));
  EXPECT_FALSE(AbstractionRecipe(One{}) == AbstractionRecipe(Time{}));
}

}  // namespace
}  // namespace starope
