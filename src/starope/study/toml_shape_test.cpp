#include "starope/study/toml_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/study.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

std::string complaint(const std::string& text) {
  try {
    check_toml_shape(text, "s.toml");
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "bad_toml");
    return error.what();
  }
  return {};
}

TEST(TomlShape, WhatTomlAllowsPasses) {
  for (const char* text : {"", "\n", "# only a comment", "a = 1", "a=1 # why\n",
                           ("\xEF\xBB\xBF"
                            "a = 1\r\nb = \"x\"\r\n"),
                           "\"quoted key\" = 1\n'x' = 2", "a.b.c = true\n[d.e]\nf = 1.5e3\n[[g]]\nh = 0x1F\n[[ g ]]\n",
                           "a = [ ]\nb = [1, 2, ]\nc = [\n  1, # one\n  2\n]\n", "a = [[1], [\"]\", '}']]\n",
                           "a = {b = 1, c = {d = []}}\ne = { }", "a = \"\"\"\nlines = [ # not a comment\n\"\"\"\n",
                           "a = '''it's'''\nb = \"\"\"quote at the end\"\"\"\"\n", "a = \"\\\"\\\\\"",
                           "a = 1979-05-27T07:32:00Z", "a = \"\xC3\xBC\"\n", "a = -inf\nb = +1_000"}) {
    EXPECT_EQ(complaint(text), "") << text;
  }
}

// The parser aborts on the first five, or does anything at all where assertions are off.
TEST(TomlShape, SlipsAreRefusedWithTheirRow) {
  EXPECT_THAT(complaint("\n[.a]"), HasSubstr("s.toml, row 2: is not TOML: '.' where a name should stand"));
  EXPECT_THAT(complaint("[#1]"), HasSubstr("'#' where a name"));
  EXPECT_THAT(complaint("[=]"), HasSubstr("'=' where a name"));
  EXPECT_THAT(complaint("a=[}"), HasSubstr("'}' where a value"));
  EXPECT_THAT(complaint("trials = 2\nsizes = [20, }"), HasSubstr("row 2: is not TOML: '}' where a value"));
  EXPECT_THAT(complaint("[[.a]]"), HasSubstr("'.' where a name"));
  EXPECT_THAT(complaint("[[a]"), HasSubstr("does not close"));
  EXPECT_THAT(complaint("[a"), HasSubstr("does not close"));
  EXPECT_THAT(complaint("[]"), HasSubstr("']' where a name"));
  EXPECT_THAT(complaint("\xC3\xBC = 1"), HasSubstr("a character of code 195 where a name"));
  EXPECT_THAT(complaint("a ="), HasSubstr("a value is missing"));
  EXPECT_THAT(complaint("a"), HasSubstr("the end of the file where '='"));
  EXPECT_THAT(complaint("a = 1 b = 2"), HasSubstr("'b' where the line should end"));
  EXPECT_THAT(complaint("a = [1 2]"), HasSubstr("'2' where ',' or ']'"));
  EXPECT_THAT(complaint("a = [1,\n2"), HasSubstr("the end of the file where ',' or ']'"));
  EXPECT_THAT(complaint("a = {b = 1"), HasSubstr("where ',' or '}' should stand"));
  EXPECT_THAT(complaint("a = \"x\nb = 1"), HasSubstr("row 1: is not TOML: a quote that opens"));
  EXPECT_THAT(complaint("a = '''x"), HasSubstr("a quote that opens does not close"));
  EXPECT_THAT(complaint("\"\"\"a\"\"\" = 1"), HasSubstr("a key of several lines"));
  EXPECT_THAT(complaint("a = " + std::string(100, '[')), HasSubstr("too deep"));
}

// No text makes the reader of studies do anything but answer or refuse. Half a million of these found nothing more.
TEST(TomlShape, RandomSlipsNeverAbort) {
  const std::string whole =
      "name = \"x\"\ntrials = 3 # why\nlevel = 0.9\nsizes = [20, 1_000]\nestimators = [\"naive\", 'wis']\n"
      "[[domain]]\ndomain = \"model-win\"\nhorizon = 5\n[[data]]\nfile = \"a.csv\"\ntruth = -1.5e3\na.b = {c = 1}\n"
      "d = \"\"\"\nlong\n\"\"\"\n";
  constexpr std::string_view pieces = "[]{}=.,#\"'\\\n\r\t -+_0159aeinfTZ:\xC3\xBC\xE2\x80";
  constexpr std::array<std::string_view, 8> words{"[[", "]]", "nan", "inf", "0x", "1e400", "'''", "\"\"\""};
  int parsed = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Random random(Seed{1}, Stream::test_data, i);
    std::string text = whole;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      const std::uint64_t kind = random.below(5);
      if (kind == 0) text.erase(at, 1 + random.below(12));
      if (kind == 1) text[at] = pieces[random.below(pieces.size())];
      if (kind == 2) text.insert(at, 1, pieces[random.below(pieces.size())]);
      if (kind == 3) text.insert(at, words[random.below(words.size())]);
      if (kind == 4) text.resize(at);
      if (text.empty()) text = "\n";
    }
    try {
      parse_study_toml(text, "s.toml");
      ++parsed;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(parsed, 0);
}

}  // namespace
}  // namespace starope
