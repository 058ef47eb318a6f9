#include "terminal.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace starope::cli {
namespace {

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST(Terminal, ColorOnlyOnATerminalThatWantsIt) {
  EXPECT_TRUE(make_terminal(true, 100, environment({})).color);
  EXPECT_FALSE(make_terminal(false, {}, environment({})).color);
  EXPECT_FALSE(make_terminal(true, 100, environment({{"NO_COLOR", "1"}})).color);
  EXPECT_TRUE(make_terminal(true, 100, environment({{"NO_COLOR", ""}})).color);  // no-color.org: empty means unset
  EXPECT_FALSE(make_terminal(true, 100, environment({{"TERM", "dumb"}})).color);
}

TEST(Terminal, WidthFromColumnsThenFromTheTerminalThenEighty) {
  EXPECT_EQ(make_terminal(true, 100, environment({{"COLUMNS", "120"}})).width, 120U);
  EXPECT_EQ(make_terminal(true, 100, environment({})).width, 100U);
  EXPECT_EQ(make_terminal(false, {}, environment({})).width, 80U);
  EXPECT_EQ(make_terminal(false, {}, environment({{"COLUMNS", "wide"}})).width, 80U);
  EXPECT_EQ(make_terminal(false, {}, environment({{"COLUMNS", "0"}})).width, 80U);
  EXPECT_EQ(make_terminal(true, 10, environment({})).width, 40U);
}

TEST(Say, WholeSentencesInFilesAndBrokenOnesOnTerminals) {
  std::ostringstream out;
  std::ostringstream err;
  Streams file{out, err};
  say(file, "a sentence of words that is longer than forty columns");
  EXPECT_EQ(err.str(), "starope: a sentence of words that is longer than forty columns\n");
  err.str("");
  Streams terminal{out, err, {}, {.is_terminal = true, .color = false, .width = 40}};
  say(terminal, "a sentence of words that is longer than forty columns");
  EXPECT_EQ(err.str(), "starope: a sentence of words that is\n  longer than forty columns\n");
  EXPECT_EQ(out.str(), "");
}

TEST(Printable, ControlCharactersOfFilesAreWrittenOut) {
  EXPECT_EQ(printable("a\x1b]0;owned\x07"
                      "b"),
            "a\\x1b]0;owned\\x07b");
  EXPECT_EQ(printable("\x1b[2J\x1b[1;1H"), "\\x1b[2J\\x1b[1;1H");
  EXPECT_EQ(printable("a\tb\rc\x7f"), "a\\x09b\\x0dc\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");  // CSI in one character
  EXPECT_EQ(printable("abc\xE2\x80\xAE"
                      "fdp"),
            "abc\\u202efdp");  // what follows would run backwards
  const std::string styled = "line\n\x1b[1mstrong\x1b[0m \xC3\xBC \xE2\x80\x94";
  EXPECT_EQ(printable(styled, {.color = true}), styled);
  EXPECT_EQ(printable("a name in \x1b[31mred\x1b[0m"), "a name in \\x1b[31mred\\x1b[0m");  // nothing else is styled
  EXPECT_EQ(printable("\xE2"), "\xE2");
}

TEST(Progress, SilentWhereStderrIsNoTerminal) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  Progress(streams).show("working");
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, RewritesOneLineAndLeavesNothingBehind) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err, {}, {.is_terminal = true, .color = false, .width = 40}};
  {
    Progress progress(streams);
    progress.show("one");
    progress.show(std::string(50, 'x'));
  }
  EXPECT_EQ(err.str(), "one\r\x1b[K" + std::string(36, 'x') + "...\r\x1b[K");
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace starope::cli
