#include "app.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace starope::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  int code = 0;
  std::string out{};
  std::string err{};
};

Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  const int code = run_app(arguments, streams);
  return {code, out.str(), err.str()};
}

TEST(App, Version) {
  const Ran ran = run({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("starope "));
  EXPECT_EQ(ran.err, "");
}

TEST(App, HelpOfEveryCommandHasAnExample) {
  for (const char* command : {"evaluate", "inspect", "simulate"}) {
    const Ran ran = run({command, "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, HasSubstr(std::string("Usage: starope ") + command));
    EXPECT_THAT(ran.out, HasSubstr("Example:\n  starope "));
  }
}

TEST(App, UnknownWordsExitWithTwo) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_THAT(run({"simulat"}).err, HasSubstr("did you mean 'simulate'?"));
  EXPECT_THAT(run({"simulate", "--sed", "3"}).err, HasSubstr("did you mean '--seed'?"));
  EXPECT_EQ(run({"simulate", "--sed", "3"}).code, 2);
  EXPECT_THAT(run({"evaluate", "x.csv", "y.csv"}).err, HasSubstr("'y.csv' is one argument too many"));
}

TEST(App, ValuesThatCannotBeMeantNameTheCommandWhoseHelpExplainsThem) {
  const Ran ran = run({"evaluate", "x.csv", "--gamma", "2"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("--gamma 2"));
  EXPECT_THAT(ran.err, HasSubstr("'starope evaluate --help'"));
  EXPECT_EQ(ran.out, "");
}

TEST(App, MissingFilesExitWithOne) {
  const Ran ran = run({"evaluate", "/no/such/file.csv"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("/no/such/file.csv"));
  EXPECT_EQ(ran.out, "");
}

TEST(App, SimulatedLogsGoToStdoutAndTheTruthToStderr) {
  const Ran ran = run({"simulate", "cartpole", "--episodes", "2", "--horizon", "3"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, StartsWith("episode,t,state_0,"));
  EXPECT_THAT(ran.err, HasSubstr("target policy follow: true value 3"));
}

}  // namespace
}  // namespace starope::cli
