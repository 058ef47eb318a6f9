#include "starope/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(StudyToml, ReadsDomainsAndData) {
  const StudySpec spec = parse_study_toml(R"toml(
seed = 3
level = 0.9
trials = 4
sizes = [10, 20]
estimators = ["naive", "star(clusters=2|4,clip=1)"]

[[domain]]
domain = "cartpole"
behavior = "oppose"
horizon = 30
gamma = 0.9

[[domain]]
name = "sepsis"
domain = "icu-sepsis"
dynamics = "tables.npz"
trials = 7

[[data]]
file = "logs/icu.csv"
truth = 1
sizes = [5]
estimators = "wis,wpdis"
)toml",
                                          "folder/mine.toml");
  EXPECT_EQ(spec.name, "mine");
  EXPECT_EQ(spec.seed, Seed{3});
  EXPECT_EQ(spec.level, Level{0.9});
  ASSERT_EQ(spec.domains.size(), 3U);
  EXPECT_EQ(spec.domains[0].behavior, "oppose");
  EXPECT_EQ(spec.domains[0].horizon, Horizon{30});
  EXPECT_EQ(spec.domains[0].discount, Discount{0.9});
  EXPECT_EQ(spec.domains[0].trials, 4);
  EXPECT_THAT(spec.domains[0].estimators, ElementsAre("naive", "star(clusters=2,clip=1)", "star(clusters=4,clip=1)"));
  EXPECT_EQ(spec.domains[1].name, "sepsis");
  EXPECT_EQ(spec.domains[1].file, "folder/tables.npz");
  EXPECT_EQ(spec.domains[1].trials, 7);
  EXPECT_EQ(spec.domains[2].name, "icu");
  EXPECT_EQ(spec.domains[2].file, "folder/logs/icu.csv");
  EXPECT_EQ(spec.domains[2].truth, 1.0);
  EXPECT_THAT(spec.domains[2].sizes, ElementsAre(5));
  EXPECT_THAT(spec.domains[2].estimators, ElementsAre("wis", "wpdis"));
}

TEST(StudyToml, ColumnsOfOwnLogsAreKeys) {
  const StudySpec spec = parse_study_toml(R"toml(
sizes = [5]
estimators = "naive"

[[data]]
file = "logs/*.parquet"
episode = "stay"
state = ["heart", "pressure"]
action = "dose"
action_kind = "discrete"
sort = true

[[data]]
name = "asked"
sql = "select * from 'a.parquet'"
)toml",
                                          "folder/mine.toml");
  ASSERT_EQ(spec.domains.size(), 2U);
  EXPECT_EQ(spec.domains[0].name, "logs/*.parquet");
  EXPECT_EQ(spec.domains[0].file, "folder/logs/*.parquet");
  EXPECT_EQ(spec.domains[0].columns.episode, "stay");
  EXPECT_THAT(spec.domains[0].columns.state, ElementsAre("heart", "pressure"));
  EXPECT_THAT(spec.domains[0].columns.action, ElementsAre("dose"));
  EXPECT_EQ(spec.domains[0].columns.action_kind, io::ActionKind::discrete);
  EXPECT_TRUE(spec.domains[0].columns.sort);
  EXPECT_EQ(spec.domains[1].file, "");
  EXPECT_EQ(spec.domains[1].columns.sql, "select * from 'a.parquet'");
}

TEST(StudyToml, ErrorsNameFileRowAndRule) {
  const auto parsing = [](const char* text) { return [text] { parse_study_toml(text, "s.toml"); }; };
  EXPECT_THAT(parsing("seed = \n"), ThrowsMessage<DataError>(AllOf(HasSubstr("s.toml"), HasSubstr("is not TOML"))));
  EXPECT_THAT(parsing("trials = 3\nsize = [4]\n"),
              ThrowsMessage<DataError>(AllOf(HasSubstr("row 2"), HasSubstr("did you mean 'sizes'"))));
  EXPECT_THAT(parsing("sizes = [4]\nestimators = [\"naive\"]\n"), ThrowsMessage<DataError>(HasSubstr("[[domain]]")));
  EXPECT_THAT(parsing("[[domain]]\ndomain = \"cartpole\"\nestimators = \"naive\"\n"),
              ThrowsMessage<DataError>(HasSubstr("sizes are missing")));
  EXPECT_THAT(parsing("trials = 0\n"), ThrowsMessage<DataError>(HasSubstr("at least 1")));
  EXPECT_THAT(parsing("sizes = [\"a\"]\n"), ThrowsMessage<DataError>(HasSubstr("whole numbers")));
  EXPECT_THAT(parsing("seed = \"1\"\n"), ThrowsMessage<DataError>(HasSubstr("seed must be a whole number")));
  EXPECT_THAT(parsing("[domain]\ndomain = \"cartpole\"\n"), ThrowsMessage<DataError>(HasSubstr("two brackets")));
  const auto own = [](const std::string& line) {
    return [line] { parse_study_toml("sizes = [4]\nestimators = \"naive\"\n[[data]]\n" + line + "\n", "s.toml"); };
  };
  EXPECT_THAT(own("state_kind = \"id\"\nfile = \"a.csv\""),
              ThrowsMessage<DataError>(AllOf(HasSubstr("row 4"), HasSubstr("state_kind: unknown value 'id'"))));
  EXPECT_THAT(own("reward = 3"), ThrowsMessage<DataError>(HasSubstr("reward must be a text in quotes")));
  EXPECT_THAT(own("sql = \"select 1\""), ThrowsMessage<DataError>(HasSubstr("name is missing")));
  EXPECT_THAT(own("rewards = \"gain\""), ThrowsMessage<DataError>(HasSubstr("did you mean 'reward'")));
  EXPECT_THROW(read_study_toml("missing.toml"), FileError);
}

}  // namespace
}  // namespace starope
