#include "estimator_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "failure.hpp"
#include "starope/base/error.hpp"
#include "starope/data/random_logs.hpp"

namespace starope::cli {
namespace {

using ::testing::HasSubstr;

EstimatorFiles one_good_file() {
  return {.centroids =
              [](const std::string& path) {
                if (path != "good.csv") throw FileError("no file '" + path + "'");
                return CentroidTable{.dimension = 1, .values = {0.0, 1.0}, .source = path};
              },
          .lookup = [](const std::string& path) -> LookupTable { throw FileError("no file '" + path + "'"); }};
}

TEST(EstimatorList, ListsOfAllFlagsOneAfterTheOther) {
  const EstimatorList list = parse_estimator_lists({"naive,star(clusters=3,clip=2)", "is"}, {}, Seed{});
  ASSERT_EQ(list.estimators.size(), 3U);
  EXPECT_EQ(list.estimators[0].text, "naive");
  EXPECT_EQ(list.estimators[1].text, "star(clusters=3,clip=2)");
  EXPECT_EQ(list.estimators[2].text, "is");
}

TEST(EstimatorList, SeedIsForThoseThatNameNone) {
  const EstimatorList list = parse_estimator_lists({"star(clusters=3),star(clusters=3,seed=4)"}, {}, Seed{9});
  const auto seed = [&](std::size_t i) {
    return std::get<KMeansOptions>(std::get<Star>(list.estimators[i].estimator).phi).seed;
  };
  EXPECT_EQ(seed(0), Seed{9});
  EXPECT_EQ(seed(1), Seed{4});
}

TEST(EstimatorList, SlipsAreUsageErrors) {
  try {
    parse_estimator_lists({"naive,wpids"}, {}, Seed{});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'wpdis'?"));
    EXPECT_EQ(error.command(), "starope evaluate");
  }
}

TEST(EstimatorList, ABrokenFileFailsItsEstimatorAlone) {
  const EstimatorList list = parse_estimator_lists(
      {"naive,star(centroids=bad.csv,clip=2),star(centroids=good.csv),star(lookup=map.csv)"}, one_good_file(), Seed{});
  ASSERT_EQ(list.estimators.size(), 4U);
  EXPECT_EQ(broken_file(list, list.estimators[0]), nullptr);
  ASSERT_NE(broken_file(list, list.estimators[1]), nullptr);
  EXPECT_EQ(broken_file(list, list.estimators[1])->code, "file_error");
  EXPECT_EQ(broken_file(list, list.estimators[1])->message, "no file 'bad.csv'");
  EXPECT_EQ(broken_file(list, list.estimators[2]), nullptr);
  ASSERT_NE(broken_file(list, list.estimators[3]), nullptr);
  EXPECT_EQ(broken_file(list, list.estimators[3])->message, "no file 'map.csv'");
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

}  // namespace
}  // namespace starope::cli
