#include "starope/finding.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(Finding, SeveritiesHaveTheNamesOfTheJsonContract) {
  EXPECT_STREQ(name(Severity::info), "info");
  EXPECT_STREQ(name(Severity::warning), "warning");
  EXPECT_STREQ(name(Severity::critical), "critical");
}

Finding low_ess(double ess, std::int64_t episodes = 1300) {
  return {Severity::warning, "low_ess", {{"ess", ess}, {"episodes", episodes}}};
}

TEST(Finding, TheSentenceComesFromTheCatalog) {
  EXPECT_EQ(text(low_ess(1.25)),
            "The weights of 1,300 episodes carry the information of only 1.2: very few episodes decide this estimate, "
            "and its standard error is probably too small.");
}

TEST(Finding, CountsAgreeWithTheirNounsAndVerbs) {
  const auto unmarked = [](std::int64_t episodes) {
    return text(Finding{Severity::info, "unmarked_end", {{"episodes", episodes}, {"columns", "done"}}});
  };
  EXPECT_EQ(unmarked(1), "1 episode ends without done: taken as truncated.");
  EXPECT_EQ(unmarked(2000), "2,000 episodes end without done: taken as truncated.");
  const auto unused = [](std::int64_t states) {
    return text(Finding{Severity::info, "final_state_unused", {{"states", states}}}).substr(0, 75);
  };
  EXPECT_EQ(unused(1), "1 state after the last step of a terminated episode is not used. If such an");
  EXPECT_EQ(unused(3), "3 states after the last step of a terminated episode are not used. If such ");
}

TEST(Finding, NumbersToTypeHaveNoThousandsSeparated) {
  const std::string said = text(Finding{Severity::info, "natural_horizon", {{"steps", 1000}}});
  EXPECT_NE(said.find("have 1,000 steps"), std::string::npos) << said;
  EXPECT_NE(said.find("--horizon 1000;"), std::string::npos) << said;
}

TEST(Finding, SharesArePercentages) {
  const Finding zero{Severity::info, "zero_ratios", {{"share", 0.125}}};
  EXPECT_EQ(text(zero).substr(0, 22), "In 12 % of the steps t");
}

TEST(Finding, AWordChoosesItsPhrase) {
  const auto fixed = [](const char* ends) {
    return text(Finding{Severity::info, "fixed_length", {{"steps", 7}, {"ends", ends}}});
  };
  EXPECT_NE(fixed("kept").find("them. A model for all steps does not know the time"), std::string::npos);
  EXPECT_NE(fixed("hidden").find("them. Their ends are taken as the end of the recording."), std::string::npos);
}

TEST(Finding, TwoNumbersAreARangeUnlessTheyAreEqual) {
  const auto uneven = [](std::int64_t shortest, std::int64_t longest) {
    return text(Finding{
        Severity::warning, "uneven_truncation", {{"episodes", 1}, {"shortest", shortest}, {"longest", longest}}});
  };
  EXPECT_NE(uneven(20, 50).find("1 episode was cut after 20 to 50 steps"), std::string::npos);
  EXPECT_NE(uneven(20, 20).find("1 episode was cut after 20 steps"), std::string::npos);
}

TEST(Finding, SeveralOfAKindAreOneSentenceWithRanges) {
  const std::vector<Finding> all = {low_ess(1.5), low_ess(1.2), low_ess(9.75), low_ess(1.3)};
  EXPECT_EQ(text(all).substr(0, 70), "The weights of 1,300 episodes carry the information of only 1.2 to 9.8");
  const std::vector<Finding> counts = {low_ess(1.5, 1), low_ess(1.5, 20)};
  EXPECT_EQ(text(counts).substr(0, 31), "The weights of 1 to 20 episodes");
}

TEST(Finding, NumbersAreComparedByValue) {
  const auto at = [](double mean) { return Finding{Severity::critical, "missing_weight", {{"mean", mean}}}; };
  const std::vector<Finding> all = {at(0.01), at(3e-7)};
  EXPECT_EQ(text(all).substr(0, 48), "The mean weight of an episode is 3e-07 to 0.01; ");
}

TEST(Finding, OtherWordsCodesOrSeveritiesAreAnotherSentence) {
  EXPECT_TRUE(same_sentence(low_ess(1.0), low_ess(2.0)));
  Finding severe = low_ess(1.0);
  severe.severity = Severity::critical;
  EXPECT_FALSE(same_sentence(low_ess(1.0), severe));
  const Finding up{Severity::info, "c", {{"direction", "up"}}}, down{Severity::info, "c", {{"direction", "down"}}};
  EXPECT_TRUE(same_sentence(up, up));
  EXPECT_FALSE(same_sentence(up, down));
  EXPECT_FALSE(same_sentence(up, Finding{Severity::info, "d", {{"direction", "up"}}}));
}

}  // namespace
}  // namespace starope
