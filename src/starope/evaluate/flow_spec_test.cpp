#include "starope/evaluate/flow_spec.hpp"

#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/estimators.hpp"

namespace starope {
namespace {

TEST(FlowSpec, TextsComeBack) {
  for (const char* given :
       {"mis(phi=identity)", "mis(clusters=16,time=indexed)", "mis(phi=one,truncation=censor,horizon=40,dr=mb)", "dice",
        "dice(features=clusters,clusters=8)", "dice(features=rbf,waves=16,ridge=0.01,seed=3)"}) {
    EXPECT_EQ(text(parse_estimator(given).estimator), given);
  }
}

TEST(FlowSpec, WhatStarAloneHasIsRefused) {
  EXPECT_THROW(parse_estimator("mis(clusters=8,clip=2)"), InvalidArgument);
  EXPECT_THROW(parse_estimator("mis(phi=value)"), InvalidArgument);
  EXPECT_THROW(parse_estimator("mis(clusters=8,dr=foo)"), InvalidArgument);
  EXPECT_THROW(parse_estimator("dice(features=mlp)"), InvalidArgument);
}

}  // namespace
}  // namespace starope
