#include "starope/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "starope/error.hpp"
#include "starope/study/estimator_grid.hpp"
#include "starope/study/paper_figures.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::int64_t grid_size(const StudyDomain& domain, const std::string& family) {
  return std::count_if(domain.estimators.begin(), domain.estimators.end(),
                       [&](const std::string& text) { return grid_point(text).family == family; });
}

TEST(BuiltinStudies, PaperHasItsTwelveCasesAndGrids) {
  const StudySpec spec = builtin_study("paper", {.dynamics = "tables.npz"});
  ASSERT_EQ(spec.domains.size(), 3U);
  int cases = 0;
  for (const StudyDomain& domain : spec.domains) {
    EXPECT_EQ(domain.trials, 200);
    for (const std::int64_t size : domain.sizes) cases += paper_reading(domain.domain, size).has_value() ? 1 : 0;
    EXPECT_EQ(grid_size(domain, "star(horizon=none)"), domain.domain == "cartpole" ? 35 : 25);
    EXPECT_EQ(grid_size(domain, "star(phi=random,horizon=none)"), domain.domain == "cartpole" ? 35 : 25);
    for (const char* name : {"naive", "is", "pdis", "wis", "wpdis"}) {
      EXPECT_THAT(domain.estimators, ::testing::Contains(name));
    }
  }
  EXPECT_EQ(cases, 12);
  check_study(spec);
}

TEST(BuiltinStudies, SepsisAsksForItsTablesAndHasBothVariants) {
  EXPECT_THAT([] { builtin_study("paper-icu-sepsis"); }, ThrowsMessage<InvalidArgument>(HasSubstr("--dynamics")));
  const StudySpec spec = builtin_study("paper-icu-sepsis", {.dynamics = "tables.npz"});
  ASSERT_EQ(spec.domains.size(), 2U);
  EXPECT_EQ(spec.domains[0].domain, "icu-sepsis");
  EXPECT_EQ(spec.domains[1].domain, "icu-sepsis-frozen");
}

TEST(BuiltinStudies, NetworksAreAnExtra) {
  const auto networks = [](const StudySpec& spec) {
    const auto& all = spec.domains[0].estimators;
    return std::count_if(all.begin(), all.end(), [](const auto& e) {
      return e == "fqe" || e.find("q=fqe)") != std::string::npos || e.find("mlp") != std::string::npos;
    });
  };
  EXPECT_EQ(networks(builtin_study("paper-cartpole")), 0);
  EXPECT_GT(networks(builtin_study("paper-cartpole", {.neural = true})), 3);
}

TEST(BuiltinStudies, EveryOtherIsCompleteByItself) {
  for (const std::string& name : builtin_study_names()) {
    if (name == "paper" || name == "paper-icu-sepsis") continue;
    const StudySpec spec = complete_study(builtin_study(name));
    EXPECT_EQ(spec.name, name);
  }
  EXPECT_THAT([] { builtin_study("papre"); }, ThrowsMessage<InvalidArgument>(HasSubstr("did you mean 'paper'")));
}

}  // namespace
}  // namespace starope
