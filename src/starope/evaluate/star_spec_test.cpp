#include "starope/evaluate/star_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate/registry.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

TEST(StarSpec, WritesWhatIsNotUsual) {
  for (const char* same :
       {"star(clusters=8)", "star(phi=one,clip=none)", "star(phi=grid,bins=6,truncation=censor,horizon=none)",
        "star(clusters=4,init=kmeans++,seed=3,clip=2,time=indexed)", "star(phi=value,clusters=16,clip=2)",
        "star(phi=time,rollouts=1000,seed=5)"}) {
    EXPECT_EQ(text(parse_estimator(same).estimator), same);
  }
  EXPECT_EQ(text(parse_estimator("star(clusters=8,clip=1,time=pooled,rollouts=0)").estimator), "star(clusters=8)");
}

TEST(StarSpec, RolloutsAreAnOption) {
  const auto star = std::get<Star>(parse_estimator("star(phi=one,rollouts=500,seed=2)").estimator);
  EXPECT_EQ(star.rollouts, 500);
  EXPECT_EQ(star.seed, Seed{2});
  EXPECT_EQ(std::get<Star>(parse_estimator("star(phi=one,rollouts=500)", {}, Seed{9}).estimator).seed, Seed{9});
  EXPECT_THROW(parse_estimator("star(phi=one,rollouts=-1)"), InvalidArgument);
  EXPECT_THROW(parse_estimator("star(phi=one,seed=2)"), InvalidArgument);  // of nothing
}

TEST(StarSpec, SaysWhichAbstractionsThereAre) {
  try {
    parse_estimator("star(clip=2)");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("phi=one|identity|time|grid|random|value, centroids=FILE or lookup=FILE"));
  }
  try {
    parse_estimator("mis");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("phi=one|identity|time|grid|random, centroids=FILE or lookup=FILE"));
  }
}

TEST(StarSpec, ExplainsOnlyWhatThereIs) {
  const auto help_of = [](StarOptions which, const std::string& name) {
    for (const OptionSpec& option : star_options(which)) {
      if (option.name == name) return option.help;
    }
    return std::string("no such option");
  };
  EXPECT_EQ(help_of(StarOptions::all, "phi"), "the abstraction; value: cells of equal value and occupancy");
  EXPECT_EQ(help_of(StarOptions::cells, "phi"), "the abstraction");
  EXPECT_EQ(help_of(StarOptions::all, "seed"), "of k-means, random, value and rollouts; default: --seed");
  EXPECT_EQ(help_of(StarOptions::cells, "seed"), "of k-means and random; default: --seed");
  EXPECT_EQ(help_of(StarOptions::all, "clusters"), "k-means clusters of the states; also of random and value");
  EXPECT_EQ(help_of(StarOptions::cells, "clusters"), "k-means clusters of the states; also of random");
  EXPECT_EQ(help_of(StarOptions::cells, "clip"), "no such option");
}

}  // namespace
}  // namespace starope
