#include "starope/auto/feature_views.hpp"

#include <gtest/gtest.h>

#include "starope/auto/bag_features.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

struct Logs {
  Problem problem = testing::random_problem({.episodes = 60, .dimension = 3, .truncated = 0.5, .final_states = 0.5},
                                            Seed{4}, {.horizon = Horizon{9}});
  FeatureMap map = fit_features(problem);
  BagFeatures states = map.apply(problem.data());
  Views views = [this] {
    FeatureView turned{.metric = Eigen::MatrixXd::Random(2, 3)};
    FeatureView traced{.history = fit_traces(states, problem, 0.6)};
    FeatureView both = turned;
    both.history = fit_last_step(turned.apply(states, problem.data()), problem);
    return Views{{.view = {}, .seeds = 1, .which = 0},
                 {.view = turned, .seeds = 2, .which = 1},
                 {.view = traced, .seeds = 1, .which = 2},
                 {.view = both, .seeds = 1, .which = 3}};
  }();
};

TEST(FeatureViews, MembersLabelOtherLogsAsTheyLabeledTheirOwn) {
  const Logs logs;
  const Bag bag = make_bag(logs.views, logs.states, logs.problem, BagOptions{.ladder = {4, 9}});
  ASSERT_EQ(bag.members.size(), 10u);
  ASSERT_EQ(bag.rules.size(), 10u);
  EXPECT_EQ(bag.seeds, 5u);
  EXPECT_EQ(label(bag, logs.views, logs.states, logs.problem.data()).members, bag.members);

  // A part of the logs has the labels that it has among all of them.
  const Dataset part = logs.problem.data().take(20, 45);
  const Bag of_part = label(bag, logs.views, logs.map.apply(part), part);
  const std::int64_t first = logs.problem.data().first_step(20);
  for (std::size_t m = 0; m < bag.members.size(); ++m) {
    EXPECT_EQ(of_part.members[m].cells, bag.members[m].cells);
    for (std::int64_t row = 0; row < part.steps(); ++row) {
      ASSERT_EQ(of_part.members[m].of_row[row], bag.members[m].of_row[first + row]) << m;
    }
  }
}

TEST(FeatureViews, AreValuesWithBytes) {
  const Logs logs;
  for (const ViewOfSeeds& v : logs.views) {
    ByteWriter to;
    v.view.write(to);
    ByteReader from(to.bytes(), "view");
    EXPECT_EQ(FeatureView::read(from), v.view);
    ByteReader cut(std::span(to.bytes()).first(to.bytes().size() - 1), "view");
    EXPECT_THROW(FeatureView::read(cut), DataError);
  }
}

TEST(FeatureViews, RefuseStatesOfAnotherKind) {
  const Logs logs;
  const BagFeatures narrow{.dimension = 2, .values = std::vector<double>(10)};
  EXPECT_THROW(logs.views[1].view.apply(narrow, logs.problem.data()), InvalidArgument);
  const Bag bag = make_bag(logs.views, logs.states, logs.problem, BagOptions{.ladder = {4}});
  EXPECT_THROW(label(bag, 0, 1, narrow), InvalidArgument);
}

}  // namespace
}  // namespace starope
