#include "starope/io/column_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "starope/error.hpp"

namespace starope::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// A value that the option takes and that is not its default.
std::vector<std::string> some_values(const ColumnOption& option) {
  if (std::holds_alternative<std::vector<std::string> ReadOptions::*>(option.field)) return {"a,b", "c"};
  if (std::holds_alternative<bool ReadOptions::*>(option.field)) return {"true"};
  return {option.value == std::string("KIND") ? "continuous" : std::string("my_") + option.name};
}

TEST(ColumnOptions, WhatIsSaidIsHeard) {
  std::set<std::string> names;
  ReadOptions all;
  for (const ColumnOption& option : column_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    ReadOptions one;
    const SaidOption said{option.name, some_values(option)};
    say_option(one, said);
    EXPECT_THAT(said_options(one), ElementsAre(said));  // no other field
    say_option(all, said);
  }
  EXPECT_EQ(said_options(all).size(), column_options().size());
  EXPECT_TRUE(said_options({}).empty());
}

TEST(ColumnOptions, FieldsHaveTheirNames) {
  ReadOptions options;
  say_option(options, {"behavior_prob", {"pb"}});
  say_option(options, {"state", {"x", "y"}});
  say_option(options, {"action_kind", {"discrete"}});
  say_option(options, {"sql", {"select 1"}});
  EXPECT_EQ(options.behavior_prob, "pb");
  EXPECT_THAT(options.state, ElementsAre("x", "y"));
  EXPECT_EQ(options.action_kind, ActionKind::discrete);
  EXPECT_EQ(options.sql, "select 1");
}

TEST(ColumnOptions, FlagsHaveHyphens) {
  EXPECT_EQ(flag_of("t"), "--t");
  EXPECT_EQ(flag_of("duckdb_library"), "--duckdb-library");
}

TEST(ColumnOptions, WrongOnesAreNamed) {
  ReadOptions options;
  const auto saying = [&](const char* name, const std::vector<std::string>& values) {
    return [&options, name, values] { say_option(options, {name, values}); };
  };
  EXPECT_THAT(saying("behavior_porb", {"x"}),
              ThrowsMessage<InvalidArgument>(HasSubstr("did you mean 'behavior_prob'")));
  EXPECT_THAT(saying("state_kind", {"numbers"}),
              ThrowsMessage<InvalidArgument>(AllOf(HasSubstr("state_kind: "), HasSubstr("continuous"))));
  EXPECT_THAT(saying("reward", {"x", "y"}), ThrowsMessage<InvalidArgument>(HasSubstr("reward: one value")));
  EXPECT_THAT(saying("sort", {"maybe"}), ThrowsMessage<InvalidArgument>(HasSubstr("true or false")));
}

}  // namespace
}  // namespace starope::io
