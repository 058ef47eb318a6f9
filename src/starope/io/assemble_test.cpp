#include "starope/io/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "starope/error.hpp"
#include "starope/io/small_table.hpp"

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::none;
using testing::small;
using testing::with_final_state;
constexpr auto terminated = EpisodeEnd::terminated;
constexpr auto truncated = EpisodeEnd::truncated;

std::string error_of(LongTable table, bool sort = false) {
  try {
    assemble(std::move(table), {.sort = sort});
  } catch (const DataError& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

std::vector<EpisodeEnd> ends_of(const Dataset& data) {
  std::vector<EpisodeEnd> ends;
  for (std::int64_t e = 0; e < data.episodes(); ++e) ends.push_back(data.end(e));
  return ends;
}

TEST(LongTable, BecomesADataSet) {
  const ReadResult result = assemble(small());
  const Dataset& data = result.data;
  EXPECT_EQ(data.episodes(), 2);
  EXPECT_EQ(data.length(0), 2);
  EXPECT_EQ(data.episode_name(1), "b");
  EXPECT_EQ(std::get<DiscreteStates>(data.states()), (DiscreteStates{{0, 1, 0}, {7, 9}}));
  EXPECT_THAT(std::get<DiscreteActions>(data.actions()).id, ElementsAre(0, 2, 1));
  EXPECT_EQ(std::get<DiscreteActions>(data.actions()).count, 3);
  EXPECT_THAT(data.rewards(), ElementsAre(1, 2, 3));
  EXPECT_THAT(data.behavior()->values, ElementsAre(0.5, 0.25, 1.0));
  EXPECT_FALSE(data.target());
  EXPECT_EQ(result.summary.rows, 3);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(LongTable, WithoutFlagsEveryEpisodeTerminates) {
  EXPECT_THAT(ends_of(assemble(small()).data), ElementsAre(terminated, terminated));
}

TEST(LongTable, FlagsSayHowAnEpisodeEnds) {
  const auto ends = [](std::optional<std::vector<std::uint8_t>> term, std::optional<std::vector<std::uint8_t>> trunc) {
    LongTable t = small();
    t.terminated = std::move(term);
    t.truncated = std::move(trunc);
    const ReadResult result = assemble(std::move(t));
    return std::pair(ends_of(result.data), result.findings.empty() ? std::string() : text(result.findings[0]));
  };
  using Ends = std::vector<EpisodeEnd>;
  EXPECT_EQ(ends({{0, 1, 0}}, {{0, 0, 1}}), std::pair(Ends({terminated, truncated}), std::string()));
  EXPECT_EQ(ends({{0, 1, 1}}, {{0, 1, 0}}), std::pair(Ends({terminated, terminated}), std::string()));
  EXPECT_EQ(ends({{0, 0, 1}}, {{0, 0, 0}}),
            std::pair(Ends({truncated, terminated}),
                      std::string("1 episode ends without terminated or truncated: taken as truncated.")));
  EXPECT_EQ(
      ends({{0, 0, 0}}, std::nullopt),
      std::pair(Ends({truncated, truncated}), std::string("2 episodes end without terminated: taken as truncated.")));
  EXPECT_EQ(ends(std::nullopt, {{0, 1, 0}}), std::pair(Ends({truncated, terminated}), std::string()));
}

TEST(LongTable, TheStateAfterATruncatedEpisodeIsKept) {
  const ReadResult result = assemble(with_final_state());
  EXPECT_EQ(result.data.steps(), 3);
  EXPECT_EQ(result.data.final_row(0), std::nullopt);
  EXPECT_EQ(result.data.final_row(1), 3);
  EXPECT_EQ(std::get<DiscreteStates>(result.data.states()), (DiscreteStates{{1, 2, 1, 0}, {5, 7, 9}}));
  EXPECT_THAT(result.data.rewards(), ElementsAre(1, 2, 3));
  EXPECT_EQ(result.summary.final_states, 1);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(LongTable, AFlagMayStandInTheFinalRow) {
  LongTable t = with_final_state();
  t.truncated = std::vector<std::uint8_t>{0, 0, 0, 1};
  EXPECT_THAT(ends_of(assemble(std::move(t)).data), ElementsAre(terminated, truncated));
}

TEST(LongTable, TheStateAfterATerminationIsDroppedAndSaidSo) {
  LongTable t = with_final_state();
  t.truncated.reset();
  t.terminated.reset();
  const ReadResult result = assemble(std::move(t));
  EXPECT_EQ(result.data.state_rows(), 3);
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].code, "final_state_unused");
}

TEST(LongTable, APartialRowElsewhereIsAMissingValue) {
  LongTable t = small();
  t.partial_rows = {0};
  EXPECT_THAT(error_of(std::move(t)), HasSubstr("missing_value: logs.csv, row 2, column 'r'"));
  LongTable lonely = small();
  lonely.partial_rows = {2};  // b has no step
  EXPECT_THAT(error_of(std::move(lonely)), HasSubstr("row 4, column 'r'"));
}

TEST(LongTable, SortingMovesAllColumnsTogether) {
  LongTable t = small();
  t.rows = 6;
  t.episode.first_row = {0, 1, 2, 3, 5};
  t.episode.text = {"b", "a", "b", "a", "b"};  // row 5 is b's final state, row 3 and 4 are a's
  t.t = {4, 0, 2, 9, 3, none};
  t.states = NumberRows{2, {0, 0, 10, 10, 20, 20, 30, 30, 40, 40, 50, 50}, {"x", "y"}};
  t.actions = NumberRows{1, {0, 1, 2, 3, 4, none}};
  t.rewards = {0, 1, 2, 3, 4, none};
  t.behavior = LoggedRows{{.1, .2, .3, .4, .5, none}};
  t.terminated = std::vector<std::uint8_t>{0, 0, 0, 1, 0, 0};
  t.truncated = std::vector<std::uint8_t>{1, 0, 0, 0, 0, 0};
  t.partial_rows = {5};
  const Dataset data = assemble(std::move(t), {.sort = true}).data;
  EXPECT_EQ(data.episode_name(0), "b");
  EXPECT_THAT(data.rewards(), ElementsAre(2, 0, 1, 4, 3));
  EXPECT_THAT(data.behavior()->values, ElementsAre(.3, .1, .2, .5, .4));
  EXPECT_THAT(std::get<ContinuousActions>(data.actions()).values, ElementsAre(2, 0, 1, 4, 3));
  EXPECT_THAT(std::get<DenseStates>(data.states()).values.widened(),
              ElementsAre(20, 20, 0, 0, 10, 10, 40, 40, 30, 30, 50, 50));
  EXPECT_THAT(ends_of(data), ElementsAre(truncated, terminated));
  EXPECT_EQ(data.final_row(0), 5);
}

TEST(LongTable, SortingStillNamesTheRowsOfTheFile) {
  LongTable t = small();
  t.episode.first_row = {0, 1, 2};
  t.episode.text = {"a", "b", "a"};
  t.rewards[2] = none;
  EXPECT_THAT(error_of(std::move(t), true), HasSubstr("logs.csv, row 4, column 'r'"));
  LongTable same_time = small();
  same_time.t = {3, 3, 0};
  EXPECT_THAT(error_of(std::move(same_time), true),
              AllOf(HasSubstr("t_not_increasing: logs.csv, row 3"), HasSubstr("in row 2"), HasSubstr("its own time")));
}

TEST(LongTable, TimeMustIncrease) {
  LongTable t = small();
  t.t = {5, 4.5, 0};
  EXPECT_THAT(error_of(std::move(t)),
              AllOf(HasSubstr("t_not_increasing: logs.csv, row 3, column 't': '4.5' does not come after 5"),
                    HasSubstr("row 2"), HasSubstr("--sort")));
  LongTable endless = small();
  endless.t = {0, std::numeric_limits<double>::infinity(), 0};
  EXPECT_THAT(error_of(std::move(endless)), HasSubstr("'inf' is not a finite number"));
}

TEST(LongTable, NothingFollowsAnEnd) {
  for (const bool is_terminated : {true, false}) {
    LongTable t = small();
    (is_terminated ? t.terminated : t.truncated) = std::vector<std::uint8_t>{1, 0, 0};
    EXPECT_THAT(error_of(std::move(t)),
                AllOf(HasSubstr("row_after_termination: logs.csv, row 3"), HasSubstr("row after termination"),
                      HasSubstr(is_terminated ? "terminated = 1 in row 2" : "truncated = 1 in row 2")));
  }
}

TEST(LongTable, ProbabilitiesCanComeFromTheDistributions) {
  LongTable t = small();
  t.behavior.reset();
  t.behavior_distribution = DistributionRows{3, {.5, .25, .25, .25, 0, .75, 0, 1, 0}};
  const Dataset data = assemble(std::move(t)).data;
  EXPECT_THAT(data.behavior()->values, ElementsAre(.5, .75, 1));
  LongTable zero = small();
  zero.used = {{"reward", "r"}, {"behavior_probs_0", "p_0"}};
  zero.behavior.reset();
  zero.behavior_distribution = DistributionRows{3, {.5, .25, .25, .25, .75, 0, 0, 1, 0}};
  EXPECT_THAT(error_of(std::move(zero)), AllOf(HasSubstr("logs.csv, row 3, column 'p_0..'"), HasSubstr("could not")));
}

TEST(LongTable, ActionsAreCheckedWithTheirRows) {
  LongTable t = small();
  t.behavior_distribution = DistributionRows{2, {.5, .5, .75, .25, 0, 1}};
  EXPECT_THAT(error_of(std::move(t)),
              AllOf(HasSubstr("bad_action: logs.csv, row 3, column 'drug': '2'"), HasSubstr("2 actions 0..1")));
  LongTable negative = with_final_state();
  negative.actions = std::vector<std::int64_t>{0, -1, 1, 0};
  EXPECT_THAT(error_of(std::move(negative)), HasSubstr("row 3, column 'drug': '-1'"));
  LongTable huge = small();
  huge.actions = std::vector<std::int64_t>{0, 1, std::int64_t{1} << 40};
  EXPECT_THAT(error_of(std::move(huge)), HasSubstr("row 4, column 'drug': '1099511627776'"));
}

TEST(LongTable, ValuesAreCheckedWithTheRowsAndNamesOfTheFile) {
  LongTable t = with_final_state();
  // A final state in the middle shifts the rows behind it.
  t.rows = 5;
  t.episode.first_row = {0, 2, 4};
  t.episode.text = {"a", "b", "c"};
  t.states = NumberRows{1, {1, 2, 3, 4, 5}, {"hr"}};
  t.actions = std::monostate();
  t.rewards = {1, 2, 3, none, 5};
  t.terminated.reset();
  t.truncated = std::vector<std::uint8_t>{0, 1, 1, 0, 0};
  t.behavior->values = {.5, .5, .5, none, 1.5};
  EXPECT_THAT(error_of(std::move(t)), HasSubstr("logs.csv, row 6, column 'pb': '1.5'"));
  LongTable bad_final = with_final_state();
  bad_final.states = NumberRows{1, {1, 2, 3, none}, {"reward"}};  // a feature may have the name of a role
  EXPECT_THAT(error_of(std::move(bad_final)), HasSubstr("logs.csv, row 5, column 'reward': 'nan'"));
}

TEST(Assemble, APartTakesFromTheWholeWhatItCannotKnow) {
  LongTable t = small();
  t.episode.text = {"1", "2"};
  const Dataset data = assemble(std::move(t), {.whole = WholeTable{.actions = 5}}).data;
  EXPECT_EQ(std::get<DiscreteActions>(data.actions()).count, 5);
  EXPECT_TRUE(std::holds_alternative<Column<std::string>>(data.episode_ids()));
}

TEST(Assemble, SaysWhichRowsTheStepsWere) {
  EXPECT_THAT(assemble_with_rows(small()).rows, IsEmpty());
  LongTable mixed = small();  // a, b, a
  mixed.episode.first_row = {0, 1, 2};
  mixed.episode.text = {"a", "b", "a"};
  EXPECT_THAT(assemble_with_rows(std::move(mixed), {.sort = true}).rows, ElementsAre(0, 2, 1));
  // The state after the last step of a stands between the episodes, and is no step.
  LongTable between = with_final_state();
  between.rewards = {1, none, 3, 4};
  between.behavior->values = {0.5, none, 1.0, 0.5};
  between.episode.first_row = {0, 2};
  between.truncated = std::vector<std::uint8_t>{1, 0, 0, 0};
  between.terminated = std::vector<std::uint8_t>{0, 0, 0, 1};
  between.partial_rows = {1};
  const LogsWithRows found = assemble_with_rows(std::move(between));
  EXPECT_THAT(found.rows, ElementsAre(0, 2, 3));
  EXPECT_EQ(found.logs.data.steps(), 3);
}

}  // namespace
}  // namespace starope::io
