#include "starope/study/world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/base/error.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StudyWorld, ByName) {
  EXPECT_EQ(study_world({.domain = "CartPole"}).name, "cartpole");
  EXPECT_THAT([] { study_world({.domain = "cartpol"}); }, ThrowsMessage<InvalidArgument>(HasSubstr("'cartpole'")));
}

TEST(StudyWorld, ParametersOfRandomMdps) {
  const auto symbols = [](const char* text) {
    const envs::NamedDomain world = study_world({.domain = text});
    const Dataset data = world.simulate(world.behavior, world.target, {.episodes = 500, .threads = Threads{1}});
    return std::get<DiscreteStates>(data.states()).ids.size();
  };
  EXPECT_EQ(symbols("random-mdp(states=5)"), 5U);
  EXPECT_THAT([] { study_world({.domain = "cartpole(states=5)"}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("no parameters")));
}

TEST(StudyWorld, TablesAreReadWhenTheyAreUsed) {
  const envs::NamedDomain world = study_world({.domain = "icu-sepsis", .file = "missing.npz"});
  EXPECT_THROW(world.simulate(world.behavior, world.target, {.episodes = 1}), FileError);
}

}  // namespace
}  // namespace starope
