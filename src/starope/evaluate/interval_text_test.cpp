#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/interval.hpp"

namespace starope {
namespace {

TEST(IntervalText, IsReadAndWritten) {
  for (const char* text : {"influence", "t", "bootstrap-percentile", "bootstrap-bca(replicates=500,refit=yes,seed=3)",
                           "bootstrap-studentized(replicates=20)", "hoeffding(lower=-1,upper=2.5,weight=20)",
                           "empirical-bernstein", "anderson(lower=0,upper=1)"}) {
    EXPECT_EQ(starope::text(parse_interval(text)), text);
  }
}

TEST(IntervalText, TheSeedOfTheRunServesThoseWhoNameNone) {
  EXPECT_EQ(parse_interval("bootstrap-bca", Seed{5}).seed, Seed{5});
  EXPECT_EQ(parse_interval("bootstrap-bca(seed=7)", Seed{5}).seed, Seed{7});
  EXPECT_EQ(parse_interval("influence", Seed{5}), IntervalRecipe{});
}

TEST(IntervalText, SlipsAreNamed) {
  const auto complaint = [](const char* text) -> std::string {
    try {
      parse_interval(text);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(complaint("bootstrap-bka").find("bootstrap-bca"), std::string::npos);
  EXPECT_NE(complaint("hoeffding(lower=1)").find("lower= and upper="), std::string::npos);
  EXPECT_NE(complaint("hoeffding(lower=1,upper=1)").find("less than upper"), std::string::npos);
  EXPECT_NE(complaint("anderson(lower=0,upper=x)").find("upper"), std::string::npos);
  EXPECT_NE(complaint("t(replicates=5)").find("replicates"), std::string::npos);
  EXPECT_NE(complaint("bootstrap-bca(replicates=2)").find("replicates"), std::string::npos);
}

TEST(IntervalText, HelpNamesEveryMethod) {
  const std::string help = interval_help();
  for (const char* method : {"influence", "bootstrap-studentized", "anderson", "none"})
    EXPECT_NE(help.find(method), std::string::npos);
}

}  // namespace
}  // namespace starope
