#include "domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "failure.hpp"
#include "starope/base/error.hpp"

namespace starope::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string usage_error(const DomainRequest& request) {
  try {
    choose_domain(request);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

class PolicyFile : public ::testing::Test {
 protected:
  // A file of this process alone; several tests run at the same time.
  std::string write(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() / ("starope_policy_" + std::to_string(::getpid()) + ".csv");
    std::ofstream(path_) << text;
    return path_.string();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::filesystem::path path_{};
};

TEST(Domains, ByNameInAnySpelling) {
  EXPECT_EQ(choose_domain({.text = "CartPole"}).name, "cartpole");
  EXPECT_EQ(choose_domain({.text = "gridworld_8x8"}).name, "gridworld-8x8");
  EXPECT_THAT(usage_error({.text = "cartpol"}), HasSubstr("did you mean 'cartpole'?"));
  EXPECT_THAT(usage_error({.text = "cartpole(3)"}), HasSubstr("takes no parameters"));
}

TEST(Domains, RandomMdpsHaveParameters) {
  EXPECT_EQ(choose_domain({.text = "random-mdp(states=20,actions=7)"}).actions.size(), 7u);
  EXPECT_THAT(usage_error({.text = "random-mdp(states=20,action=7)"}), HasSubstr("did you mean 'actions'"));
}

TEST(Domains, IcuSepsisSaysWhatItNeedsAndFromWhere) {
  for (const char* name : {"icu-sepsis", "icu-sepsis-v2", "ICU_sepsis"}) {
    EXPECT_THAT(usage_error({.text = name}),
                AllOf(HasSubstr("--dynamics FILE"), HasSubstr("github.com/shreyasc-13/STAR"),
                      HasSubstr("github.com/icu-sepsis/icu-sepsis")));
  }
  EXPECT_THROW(choose_domain({.text = "icu-sepsis", .dynamics = "/no/such/file.npz"}), FileError);
}

TEST(Domains, OptionsOfIcuSepsisBelongToItAlone) {
  EXPECT_THAT(usage_error({.text = "cartpole", .dynamics = "x.npz"}), HasSubstr("belong to icu-sepsis"));
  EXPECT_THAT(usage_error({.text = "graph", .features = true}), HasSubstr("belong to icu-sepsis"));
  EXPECT_THAT(usage_error({.text = "asterix", .frozen_row = true}), HasSubstr("belong to icu-sepsis"));
}

TEST_F(PolicyFile, RowsInTheOrderOfTheStates) {
  const envs::PolicyTable table = read_policy_table(write("left,state,right\n0.1,1,0.9\n0.5,0,0.5\n"));
  EXPECT_EQ(table.actions, 2);
  EXPECT_THAT(table.values, ElementsAre(0.5, 0.5, 0.1, 0.9));
}

TEST_F(PolicyFile, WithoutStatesInTheOrderOfTheFile) {
  EXPECT_THAT(read_policy_table(write("left,right\n0.1,0.9\n0.5,0.5\n")).values, ElementsAre(0.1, 0.9, 0.5, 0.5));
  EXPECT_THAT(read_policy_table(write("0.25,0.75\n")).values, ElementsAre(0.25, 0.75));
}

TEST_F(PolicyFile, EveryStateOnce) {
  for (const char* states : {"0\n0", "0\n2", "-1\n0", "0\n0.5"}) {
    const std::string two = states;
    const std::string text =
        "state,a\n" + two.substr(0, two.find('\n')) + ",1\n" + two.substr(two.find('\n') + 1) + ",1\n";
    EXPECT_THROW(read_policy_table(write(text)), DataError) << text;
  }
}

}  // namespace
}  // namespace starope::cli
