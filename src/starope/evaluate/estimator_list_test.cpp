#include "starope/estimators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

// The failure of its file, if it has one.
const Failure* broken(const RequestedEstimator& requested) {
  return std::get_if<Failure>(&requested.estimator);
}

EstimatorFiles one_good_file() {
  return {.centroids =
              [](const std::string& path) {
                if (path != "good.csv") throw FileError("no file '" + path + "'");
                return CentroidTable{.dimension = 1, .values = {0.0, 1.0}, .source = path};
              },
          .lookup = [](const std::string& path) -> LookupTable { throw FileError("no file '" + path + "'"); }};
}

TEST(EstimatorList, ListsOfAllFlagsOneAfterTheOther) {
  const std::vector<RequestedEstimator> list = request_estimators({"naive,star(clusters=3,clip=2)", "is"}, {}, Seed{});
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].text, "naive");
  EXPECT_EQ(list[1].text, "star(clusters=3,clip=2)");
  EXPECT_EQ(list[2].text, "is");
}

TEST(EstimatorList, SeedIsForThoseThatNameNone) {
  const std::vector<RequestedEstimator> list =
      request_estimators({"star(clusters=3),star(clusters=3,seed=4)"}, {}, Seed{9});
  const auto seed = [&](std::size_t i) {
    return std::get<Clusters>(std::get<Star>(std::get<Estimator>(list[i].estimator)).phi).seed;
  };
  EXPECT_EQ(seed(0), Seed{9});
  EXPECT_EQ(seed(1), Seed{4});
}

TEST(EstimatorList, SlipsAreInvalidArguments) {
  try {
    request_estimators({"naive,wpids"}, {}, Seed{});
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'wpdis'?"));
  }
}

TEST(EstimatorList, ABrokenFileFailsItsEstimatorAlone) {
  const std::vector<RequestedEstimator> list = request_estimators(
      {"naive,star(centroids=bad.csv,clip=2),star(centroids=good.csv),star(lookup=map.csv)"}, one_good_file(), Seed{});
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(broken(list[0]), nullptr);
  ASSERT_NE(broken(list[1]), nullptr);
  EXPECT_EQ(broken(list[1])->code, "file_error");
  EXPECT_EQ(broken(list[1])->message, "no file 'bad.csv'");
  EXPECT_EQ(broken(list[2]), nullptr);
  ASSERT_NE(broken(list[3]), nullptr);
  EXPECT_EQ(broken(list[3])->message, "no file 'map.csv'");
}

TEST(EstimatorList, DefaultsFitTheStates) {
  EXPECT_EQ(default_estimators(testing::random_logs({.discrete_states = 4}, Seed{1})), "auto,naive,wis,wpdis");
  EXPECT_EQ(default_estimators(testing::random_logs({}, Seed{1})), "auto,naive,wis,wpdis");
  Columns columns;
  columns.offsets = {0, 1};
  columns.rewards = {1.0};
  columns.ends = {EpisodeEnd::terminated};
  EXPECT_EQ(default_estimators(Dataset(std::move(columns))), "naive,is,pdis,wis,wpdis");
}

TEST(EstimatorList, AllIsWhatTheLogsHaveTheColumnsFor) {
  // Ids and no distributions: no Q-functions.
  const Problem plain = testing::random_problem({.discrete_states = 4}, Seed{1});
  EXPECT_EQ(all_estimators(plain), "auto,naive,is,pdis,wis,wpdis,star(phi=identity,clip=1),mis(phi=identity)");
  const Dataset numbers = testing::random_logs({}, Seed{1});
  const Problem policy = make_problem(numbers, [](const StateView&, std::span<double> p) {
    for (double& x : p) x = 1.0 / static_cast<double>(p.size());
  });
  const std::string all = all_estimators(policy);
  EXPECT_THAT(all, HasSubstr("mb(model=mlp),fqe,qreg,dr(q=fqe),wdr(q=fqe),magic(q=fqe),star(clusters=32,clip=2)"));
  EXPECT_THAT(all, ::testing::Not(HasSubstr("mrdr")));  // needs the behavior policy's distributions
  EXPECT_EQ(request_estimators({all}, {}, Seed{}).size(), 15U);
}

TEST(EstimatorList, AllMayStandAmongOthers) {
  const Problem plain = testing::random_problem({.discrete_states = 4}, Seed{1});
  const std::vector<std::string> lists{"all, star(clusters=3,clip=2)", "naive"};
  EXPECT_TRUE(asks_for_all(lists));
  EXPECT_FALSE(asks_for_all({"naive,is", "wpdis"}));
  EXPECT_THAT(expand_all(lists, &plain),
              ::testing::ElementsAre(all_estimators(plain), "star(clusters=3,clip=2)", "naive"));
  EXPECT_THAT(expand_all(lists, nullptr), ::testing::ElementsAre("star(clusters=3,clip=2)", "naive"));
}

TEST(EstimatorList, ABrokenQTableFailsItsEstimatorAlone) {
  EstimatorFiles files = one_good_file();
  files.q_table = [](const std::string& path) -> QTable { throw FileError("no file '" + path + "'"); };
  const std::vector<RequestedEstimator> list = request_estimators({"naive,wdr(q=q.csv),magic(q=q.csv)"}, files, Seed{});
  EXPECT_EQ(broken(list[0]), nullptr);
  ASSERT_NE(broken(list[1]), nullptr);
  EXPECT_EQ(broken(list[1])->message, "no file 'q.csv'");
  EXPECT_NE(broken(list[2]), nullptr);
}

}  // namespace
}  // namespace starope
