#include "starope/estimators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  try {
    parse_estimators(text);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

const Star& as_star(const NamedEstimator& named) {
  return std::get<Star>(named.estimator);
}

TEST(EstimatorText, SplitsAtCommasOutsideParentheses) {
  const auto list = parse_estimators("naive, star(clusters=32,clip=2) ,wpdis");
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].text, "naive");
  EXPECT_EQ(list[1].text, "star(clusters=32,clip=2)");
  EXPECT_TRUE(std::holds_alternative<Naive>(list[0].estimator));
  EXPECT_EQ(std::get<Clusters>(as_star(list[1]).phi).clusters, 32);
  EXPECT_EQ(as_star(list[1]).clip, Clip::last(2));
}

TEST(EstimatorText, KnowsTheImportanceSamplingFamily) {
  const auto is = [](const char* text) { return std::get<ImportanceSampling>(parse_estimator(text).estimator); };
  EXPECT_FALSE(is("is").weighted || is("is").per_decision);
  EXPECT_TRUE(is("wis").weighted && !is("wis").per_decision);
  EXPECT_TRUE(!is("pdis").weighted && is("pdis").per_decision);
  EXPECT_TRUE(is("wpdis").weighted && is("wpdis").per_decision);
}

TEST(EstimatorText, ReadsEveryStarOption) {
  const Star s =
      as_star(parse_estimator("star(clusters=7,clip=none,init=kmeans++,scale=none,seed=3,iterations=5,truncation="
                              "censor,horizon=50,time=indexed)"));
  const auto& k = std::get<Clusters>(s.phi);
  EXPECT_EQ(k.clusters, 7);
  EXPECT_EQ(k.init, KMeansInit::plus_plus);
  EXPECT_EQ(k.scale, FeatureScale::none);
  EXPECT_EQ(k.seed, Seed{3});
  EXPECT_EQ(k.max_iterations, 5);
  EXPECT_TRUE(s.clip.is_none());
  EXPECT_EQ(s.truncation, TruncationRule::censor);
  EXPECT_EQ(s.time, TimeModel::indexed);
  ASSERT_TRUE(s.horizon);
  EXPECT_EQ(*s.horizon, Horizon{50});
  const Star none = as_star(parse_estimator("star(phi=one,horizon=none)"));
  ASSERT_TRUE(none.horizon);
  EXPECT_EQ(*none.horizon, std::nullopt);
  EXPECT_FALSE(as_star(parse_estimator("star(phi=one)")).horizon);
}

TEST(EstimatorText, NamesEveryAbstraction) {
  EXPECT_TRUE(std::holds_alternative<One>(as_star(parse_estimator("star(phi=one)")).phi));
  EXPECT_TRUE(std::holds_alternative<Identity>(as_star(parse_estimator("star(phi=identity)")).phi));
  EXPECT_TRUE(std::holds_alternative<Time>(as_star(parse_estimator("star(phi=time)")).phi));
  EXPECT_EQ(std::get<Grid>(as_star(parse_estimator("star(phi=grid,bins=6)")).phi).bins, 6);
  EXPECT_EQ(std::get<RandomCentroids>(as_star(parse_estimator("star(phi=random,clusters=9)")).phi).clusters, 9);
  EXPECT_EQ(std::get<Clusters>(as_star(parse_estimator("star(phi=kmeans,clusters=9)")).phi).clusters, 9);
}

TEST(EstimatorText, ReadsFilesThroughItsCaller) {
  const EstimatorFiles files{
      .centroids =
          [](const std::string& path) { return CentroidTable{.dimension = 1, .values = {1.0}, .source = path}; },
      .lookup = [](const std::string& path) { return LookupTable{.state = {0}, .z = {0}, .source = path}; }};
  EXPECT_EQ(std::get<CentroidTable>(as_star(parse_estimator("star(centroids=c.csv,clip=2)", files)).phi).source,
            "c.csv");
  EXPECT_EQ(std::get<LookupTable>(as_star(parse_estimator("star(lookup=l.csv)", files)).phi).source, "l.csv");
}

TEST(EstimatorText, UsesTheCallersSeedUnlessOneIsGiven) {
  EXPECT_EQ(std::get<Clusters>(as_star(parse_estimator("star(clusters=2)", {}, Seed{8})).phi).seed, Seed{8});
  EXPECT_EQ(std::get<Clusters>(as_star(parse_estimator("star(clusters=2,seed=1)", {}, Seed{8})).phi).seed, Seed{1});
}

TEST(EstimatorText, SuggestsTheNearestName) {
  EXPECT_THAT(error_of("wpdsi"), HasSubstr("unknown estimator 'wpdsi'; did you mean 'wpdis'?"));
  EXPECT_THAT(error_of("star(cluster=3)"), HasSubstr("did you mean 'clusters'?"));
  EXPECT_THAT(error_of("star(clusters=3,truncation=censr)"), HasSubstr("did you mean 'censor'?"));
  EXPECT_THAT(error_of("star(phi=grd)"), HasSubstr("did you mean 'grid'?"));
}

TEST(EstimatorText, RefusesWhatCannotBeMeant) {
  EXPECT_THAT(error_of("star"), HasSubstr("needs an abstraction"));
  EXPECT_THAT(error_of("star(clusters=0)"), HasSubstr("at least 1"));
  EXPECT_THAT(error_of("star(clusters=3x)"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("star(clusters=3,clip=0)"), HasSubstr("clip"));
  EXPECT_THAT(error_of("star(clusters=3,horizon=0)"), HasSubstr("horizon"));
  EXPECT_THAT(error_of("star(clusters=3,clusters=4)"), HasSubstr("given twice"));
  EXPECT_THAT(error_of("star(clusters)"), HasSubstr("option=value"));
  EXPECT_THAT(error_of("star(clusters=3"), HasSubstr("not closed"));
  EXPECT_THAT(error_of("star(phi=one,clusters=3)"), HasSubstr("means nothing"));
  EXPECT_THAT(error_of("star(lookup=a.csv,clusters=3)"), HasSubstr("means nothing"));
  EXPECT_THAT(error_of("naive(clip=2)"), HasSubstr("takes no options"));
  EXPECT_THAT(error_of("naive,,is"), HasSubstr("empty entry"));
}

TEST(EstimatorText, KnowsTheAutomaticEstimatorAndItsOptions) {
  const auto automatic = [](const char* text) { return std::get<Auto>(parse_estimator(text, {}, Seed{5}).estimator); };
  EXPECT_EQ(automatic("auto").history, History::automatic);
  EXPECT_EQ(automatic("auto").seeds, 6);
  EXPECT_EQ(automatic("auto").seed, Seed{5});
  EXPECT_EQ(automatic("auto(history=mixed,seeds=3,seed=8)").history, History::mixed);
  EXPECT_EQ(automatic("auto(history=mixed,seeds=3,seed=8)").seeds, 3);
  EXPECT_EQ(automatic("auto(history=mixed,seeds=3,seed=8)").seed, Seed{8});
  EXPECT_EQ(automatic("auto").ends, Ends::tested);
  EXPECT_EQ(automatic("auto(ends=real)").ends, Ends::real);
  EXPECT_EQ(text(Estimator{Auto{.ends = Ends::real, .seed = Seed{5}}}), "auto(ends=real,seed=5)");
  EXPECT_EQ(automatic("auto(ladder=16-32-64)").ladder, (std::vector<std::int64_t>{16, 32, 64}));
  EXPECT_THAT(error_of("auto(ladder=16-8)"), HasSubstr("ascending"));
  for (const char* list : {"16-x", "16-", "-16", "16--32", "0-4", "16-99999999999999999999"}) {
    const std::string given = std::string("auto(ladder=") + list + ")";
    EXPECT_THAT(error_of(given), AllOf(HasSubstr(given), HasSubstr("whole number")));  // as it was given
  }
  EXPECT_THAT(error_of("auto(history=maybe)"), HasSubstr("history"));
}

TEST(EstimatorText, KnowsTheValueAwareAbstraction) {
  const auto value = std::get<ValueStar>(parse_estimator("star(phi=value,clusters=16,clip=2)", {}, Seed{3}).estimator);
  EXPECT_EQ(value.clusters, 16);
  EXPECT_EQ(value.star.clip, Clip::last(2));
  EXPECT_EQ(value.seed, Seed{3});
  EXPECT_THAT(error_of("star(phi=value,bins=3)"), HasSubstr("bins means nothing together with phi=value"));
}

}  // namespace
}  // namespace starope
