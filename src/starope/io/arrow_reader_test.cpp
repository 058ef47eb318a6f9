#include "starope/io/arrow_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/testing_arrow.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using namespace ::starope::testing;  // NOLINT(google-build-using-namespace): a table in every second line
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Two episodes of two steps.
std::vector<ArrowNode> columns() {
  return {numbers<std::int64_t>("episode", "l", {7, 7, 8, 8}),
          numbers<std::int32_t>("t", "i", {0, 1, 0, 1}),
          numbers<double>("state", "g", {0.5, 1.5, 2.5, 3.5}),
          numbers<std::int8_t>("action", "c", {0, 1, 1, 0}),
          numbers<double>("reward", "g", {1, 2, 3, 4}),
          numbers<double>("behavior_prob", "g", {0.5, 0.5, 0.5, 0.5}),
          numbers<double>("target_prob", "g", {0.25, 0.25, 0.25, 0.75})};
}

ArrowNode with(const ArrowNode& column) {
  std::vector<ArrowNode> all = columns();
  for (ArrowNode& each : all) {
    if (each.name == column.name) {
      each = column;
      return table(std::move(all));
    }
  }
  all.push_back(column);
  return table(std::move(all));
}

ReadResult read_table(const ArrowNode& batch, const ReadOptions& options = {}) {
  ArrowArrayStream stream = arrow_stream(batch);
  return read(&stream, "frame", options);
}

TEST(ArrowReader, ATableIsLogs) {
  const ReadResult result = read_table(table(columns()));
  EXPECT_EQ(result.data.episodes(), 2);
  EXPECT_EQ(result.data.episode_name(1), "8");
  EXPECT_THAT(result.data.rewards(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(std::get<DiscreteActions>(result.data.actions()).id, ElementsAre(0, 1, 1, 0));
  EXPECT_EQ(std::get<DenseStates>(result.data.states()).values, (std::vector<double>{0.5, 1.5, 2.5, 3.5}));
  EXPECT_EQ(result.summary.rows, 4);
  EXPECT_EQ(result.summary.file, "frame");
}

template <class T>
void expect_rewards(const char* format) {
  EXPECT_THAT(read_table(with(numbers<T>("reward", format, {1, 2, 3, 100}))).data.rewards(), ElementsAre(1, 2, 3, 100))
      << format;
}

TEST(ArrowReader, NumbersOfAllWidths) {
  expect_rewards<std::int8_t>("c");
  expect_rewards<std::uint8_t>("C");
  expect_rewards<std::int16_t>("s");
  expect_rewards<std::uint16_t>("S");
  expect_rewards<std::int32_t>("i");
  expect_rewards<std::uint32_t>("I");
  expect_rewards<std::int64_t>("l");
  expect_rewards<std::uint64_t>("L");
  expect_rewards<float>("f");
  expect_rewards<double>("g");
  const auto rewards = [](const ArrowNode& column) { return read_table(with(column)).data.rewards()[0]; };
  EXPECT_EQ(rewards(numbers<std::uint16_t>("reward", "e", {0x3800, 0, 0, 0})), 0.5);
  EXPECT_EQ(rewards(booleans("reward", {true, false, false, true})), 1.0);
  EXPECT_EQ(rewards(numbers<std::int64_t>("reward", "d:4,2", {-1250, -1, 0, 0, 0, 0, 0, 0})), -12.5);
  EXPECT_EQ(rewards(texts<std::int32_t>("reward", {"-2.5e1", "0", "1", "2"})), -25.0);
}

TEST(ArrowReader, EpisodesHaveNamesOfAnyType) {
  const auto names = [](const ArrowNode& column) {
    const ReadResult result = read_table(with(column));
    std::vector<std::string> all;
    for (std::int64_t e = 0; e < result.data.episodes(); ++e) all.push_back(result.data.episode_name(e));
    return all;
  };
  const std::vector<std::string> long_and_short{"a patient with a long name", "a patient with a long name", "b", "b"};
  EXPECT_THAT(names(texts<std::int32_t>("episode", long_and_short)), ElementsAre("a patient with a long name", "b"));
  EXPECT_THAT(names(texts<std::int64_t>("episode", long_and_short)), ElementsAre("a patient with a long name", "b"));
  EXPECT_THAT(names(text_views("episode", long_and_short)), ElementsAre("a patient with a long name", "b"));
  EXPECT_THAT(names(coded(numbers<std::uint32_t>("episode", "I", {1, 1, 0, 0}), text_views("", {"x", "y"}))),
              ElementsAre("y", "x"));
  EXPECT_THAT(names(coded(numbers<std::int8_t>("episode", "c", {0, 0, 1, 1}), texts<std::int64_t>("", {"x", "y"}))),
              ElementsAre("x", "y"));
  EXPECT_THAT(names(numbers<double>("episode", "g", {3, 3, 4, 4})), ElementsAre("3", "4"));
  ArrowNode wide = numbers<std::int64_t>("episode", "d:38,0", {5, 0, 5, 0, 6, 0, 6, 0});
  wide.length = 4;
  EXPECT_THAT(names(wide), ElementsAre("5", "6"));
  EXPECT_THAT(names(booleans("episode", {false, false, true, true})), ElementsAre("0", "1"));
}

TEST(ArrowReader, ListsAreVectors) {
  const std::vector<double> flat{0, 1, 2, 3, 4, 5, 6, 7};
  const ArrowNode elements = numbers<double>("item", "g", flat);
  std::vector<ArrowNode> without = columns();
  without.erase(without.begin() + 2);
  for (const ArrowNode& state :
       {lists<std::int32_t>("state", {0, 2, 4, 6, 8}, elements),
        lists<std::int64_t>("state", {0, 2, 4, 6, 8}, elements), fixed_lists("state", 2, elements)}) {
    std::vector<ArrowNode> all = without;
    all.push_back(state);
    const ReadResult result = read_table(table(all));
    EXPECT_EQ(std::get<DenseStates>(result.data.states()).values, flat) << state.format;
    EXPECT_EQ(std::get<DenseStates>(result.data.states()).dimension, 2);
    // Under another name, and of another part of the table.
    all.back().name = "seen";
    EXPECT_EQ(std::get<DenseStates>(read_table(table(all), {.state = {"seen"}}).data.states()).values, flat);
    for (const ArrowNode& part : {sliced(table(all), 2, 4), sliced_columns(table(all), 2, 4)}) {
      EXPECT_EQ(std::get<DenseStates>(read_table(part, {.state = {"seen"}}).data.states()).values,
                (std::vector<double>{4, 5, 6, 7}))
          << state.format;
    }
  }
  std::vector<ArrowNode> all = columns();
  all.push_back(
      lists<std::int32_t>("target_probs", {0, 2, 4, 6, 8},
                          numbers<float>("item", "f", {0.25F, 0.75F, 0.75F, 0.25F, 0.75F, 0.25F, 0.75F, 0.25F})));
  EXPECT_EQ(read_table(table(all)).data.target_distribution()->values,
            (std::vector<double>{0.25, 0.75, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25}));
}

TEST(ArrowReader, FloatsStaySingleAndManyBooleansAreBits) {
  std::vector<ArrowNode> all = columns();
  all[2] = fixed_lists("state", 2, numbers<float>("item", "f", {0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_NE(std::get<DenseStates>(read_table(table(all)).data.states()).values.floats(), nullptr);
  std::vector<bool> bits;
  for (int i = 0; i < 4 * 40; ++i) bits.push_back(i % 3 == 0);
  all[2] = fixed_lists("state", 40, booleans("item", bits));
  const Dataset data = read_table(table(all)).data;
  const auto& states = std::get<BinaryStates>(data.states());
  EXPECT_TRUE(states.bit(0, 0) && !states.bit(0, 1) && states.bit(3, 0) && states.bit(1, 38) && !states.bit(1, 39));
}

// Slices of one table, one batch each, are the table; so are any batches between which episodes are cut.
TEST(ArrowReader, ManyBatchesAndSlicesAreTheTable) {
  const std::vector<std::string> names{"first of them all", "first of them all", "b", "b"};
  for (const ArrowNode& episode : {texts<std::int32_t>("episode", names), text_views("episode", names)}) {
    std::vector<ArrowNode> all = columns();
    all[0] = episode;
    all[3] = coded(numbers<std::int8_t>("action", "c", {1, 0, 0, 1}), numbers<std::int64_t>("", "l", {1, 0}));
    const ArrowNode whole = table(all);
    const Dataset expected = read_table(whole).data;
    const ArrowNode none = sliced(whole, 1, 1);
    for (const auto& slice : {&sliced, &sliced_columns}) {
      const std::vector<ArrowNode> batches{none, slice(whole, 0, 1), slice(whole, 1, 3),
                                           none, slice(whole, 3, 4), none};
      ArrowArrayStream stream = arrow_stream(whole, batches);
      expect_equal(read(&stream, "frame").data, expected);
      stream = arrow_stream(whole, batches);
      const OpenedLogs opened = open(&stream, "frame", {}, {.steps = 2, .memory = 0});
      EXPECT_EQ(stream.release, nullptr);
      for (int pass = 0; pass < 2; ++pass) expect_equal(read_all(opened.source), expected);
    }
  }
}

TEST(ArrowReader, BehaviorProbabilitiesMayHaveGapsIfThatIsSaid) {
  const std::vector<double> logged{0.5, nan, 0.25, 0.5};
  for (const ArrowNode& column :
       {numbers<double>("behavior_prob", "g", logged),
        with_nulls(numbers<double>("behavior_prob", "g", {0.5, 77, 0.25, 0.5}), {true, false, true, true})}) {
    EXPECT_THAT([&] { read_table(with(column)); },
                ThrowsMessage<DataError>(
                    AllOf(HasSubstr("frame, row 1, column 'behavior_prob'"), HasSubstr("--behavior fill"))));
    const ReadResult result = read_table(with(column), {.behavior_gaps = true});
    EXPECT_FALSE(result.data.behavior().has_value());
    EXPECT_THAT(result.data.columns().behavior_with_gaps->values, ElementsAre(0.5, ::testing::IsNan(), 0.25, 0.5));
  }
}

// The state after the end: everything else is null there, or NaN where pandas has no null.
TEST(ArrowReader, NullsAndNansAreEmptyCells) {
  const std::vector<bool> valid{true, true, true, false};
  const auto ending = [&](bool nans) {
    std::vector<ArrowNode> all = columns();
    for (std::size_t c = 3; c < all.size(); ++c) {
      all[c] = numbers<double>(all[c].name, "g", {1, 1, 1, nans ? nan : 77});
      if (!nans && c == 3) all[c] = numbers<std::int8_t>("action", "c", {1, 0, 1, 77});
      if (!nans) all[c] = with_nulls(all[c], valid);
    }
    all.push_back(booleans("truncated", {false, true, true, false}));
    return table(all);
  };
  for (const bool nans : {false, true}) {
    const ReadResult result = read_table(ending(nans));
    EXPECT_EQ(result.data.steps(), 3) << nans;
    EXPECT_EQ(result.summary.final_states, 1);
    // A float column with gaps and whole numbers is what pandas makes of integers.
    EXPECT_TRUE(std::holds_alternative<DiscreteActions>(result.data.actions()));
  }
  EXPECT_THAT([&] { read_table(with(with_nulls(columns()[2], valid))); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("frame, row 3, column 'state'"), HasSubstr("missing value"))));
  EXPECT_THAT(
      [&] {
        read_table(with(with_nulls(columns()[4], {true, false, true, true})));
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("row 1, column 'reward'"), HasSubstr("missing value"))));
  EXPECT_THAT(
      [&] {
        read_table(with(numbers<double>("reward", "g", {1, 2, nan, 4})));
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("row 2, column 'reward'"), HasSubstr("missing value"))));
  EXPECT_THAT(
      [&] {
        read_table(with(numbers<double>("state", "g", {1.5, nan, 3, 4})));
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("row 1, column 'state'"), HasSubstr("not a finite number"))));
  EXPECT_THAT(
      [&] {
        read_table(with(numbers<double>("episode", "g", {1, 1, 2, nan})));
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr("row 3, column 'episode'"), HasSubstr("missing value"))));
  // Nulls of rows, of lists, of elements, of codes and of what they stand for.
  ArrowNode rows = with_nulls(table(columns()), {true, true, false, true});
  EXPECT_THAT([&] { read_table(rows); }, ThrowsMessage<DataError>(HasSubstr("row 2")));
  const ArrowNode elements = numbers<double>("item", "g", {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(
      [&] {
        read_table(with(with_nulls(fixed_lists("state", 2, elements), {true, false, true, true})));
      },
      ThrowsMessage<DataError>(HasSubstr("row 1, column 'state_0'")));
  const ArrowNode gap = with_nulls(elements, {true, true, true, true, true, false, true, true});
  EXPECT_THAT([&] { read_table(with(fixed_lists("state", 2, gap))); },
              ThrowsMessage<DataError>(HasSubstr("row 2, column 'state_1'")));
  const ArrowNode words = with_nulls(texts<std::int32_t>("", {"x", "y"}), {true, false});
  EXPECT_THAT(
      [&] {
        read_table(with(coded(numbers<std::int8_t>("episode", "c", {0, 0, 1, 1}), words)));
      },
      ThrowsMessage<DataError>(HasSubstr("row 2, column 'episode'")));
  EXPECT_THAT([&] { read_table(with({.name = "reward", .format = "n", .length = 4, .null_count = 4})); },
              ThrowsMessage<DataError>(HasSubstr("row 0, column 'reward'")));
}

TEST(ArrowReader, TheFirstRowThatIsWrongIsNamed) {
  std::vector<ArrowNode> all = columns();
  all[3] = numbers<double>("action", "g", {0, 1, 0.5, 1});
  all[4] = texts<std::int32_t>("reward", {"1", "x", "2", "3"});
  EXPECT_THAT([&] { read_table(table(all), {.action_kind = ActionKind::discrete}); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("row 1, column 'reward'"), HasSubstr("x"))));
  all[4] = columns()[4];
  EXPECT_THAT([&] { read_table(table(all), {.action_kind = ActionKind::discrete}); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("row 2, column 'action'"), HasSubstr("0.5"))));
  const auto refused = [](const ArrowNode& column, const std::string& what) {
    EXPECT_THAT([&] { read_table(with(column)); }, ThrowsMessage<DataError>(HasSubstr(what))) << column.format;
  };
  refused(numbers<std::uint64_t>("action", "L", {0, 1, ~std::uint64_t{0}, 1}), "row 2, column 'action'");
  refused(numbers<std::int32_t>("terminated", "i", {0, 1, 0, 2}), "row 3, column 'terminated'");
  refused(lists<std::int32_t>("state", {0, 2, 4, 5, 7}, numbers<double>("", "g", {1, 2, 3, 4, 5, 6, 7})),
          "row 2, column 'state_0': has 1 elements, but the lists above have 2");
  refused({.name = "reward", .format = "+m", .length = 4}, "column 'reward': holds maps, a type that cannot be read");
  refused({.name = "reward", .format = "w:16", .length = 4}, "column 'reward': holds bytes, a type that");
  refused({.name = "reward", .format = "tiM", .length = 4}, "holds intervals of time, a type that");
  refused(fixed_lists("state", 1, fixed_lists("item", 2, numbers<double>("", "g", {1, 2, 3, 4, 5, 6, 7, 8}))),
          "column 'state': holds lists of lists");
  EXPECT_THAT(
      [&] {
        ArrowArrayStream stream =
            arrow_stream(table(columns()),
                         {sliced(table(columns()), 0, 2), with(numbers<double>("reward", "g", {1, HUGE_VAL, 3, 4}))});
        read(&stream, "frame", {.t = ""});
      },
      ThrowsMessage<DataError>(HasSubstr("row 3, column 'reward'")));
}

TEST(ArrowReader, StreamsThatFail) {
  const ArrowNode whole = table(columns());
  ArrowArrayStream stream = arrow_stream(whole, {whole}, "the query was interrupted");
  EXPECT_THAT([&] { read(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("the query was interrupted")));
  EXPECT_THAT([&] { read(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("read before")));
  stream = arrow_stream(whole, {});
  EXPECT_THAT([&] { read(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("has no rows")));
  stream = arrow_stream(whole, {sliced(whole, 2, 2)});
  EXPECT_THAT([&] { open(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("has no rows")));
  stream = arrow_stream(columns()[4], {columns()[4]});
  EXPECT_THAT([&] { read(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("no stream of tables")));
}

// What no honest program makes is refused before anything is allocated or looked up.
TEST(ArrowReader, WhatContradictsItself) {
  const auto refused = [](ArrowNode whole, const char* what) {
    ArrowArrayStream stream = arrow_stream(table(columns()), {std::move(whole)});
    EXPECT_THAT([&] { read(&stream, "frame"); }, ThrowsMessage<DataError>(HasSubstr("contradicts itself"))) << what;
  };
  for (const std::int64_t length : {std::int64_t{5}, std::int64_t{1} << 40, std::int64_t{1} << 62, std::int64_t{-1}}) {
    ArrowNode whole = table(columns());
    whole.length = length;
    refused(whole, "rows that the columns do not have");
  }
  ArrowNode whole = table(columns());
  whole.offset = std::numeric_limits<std::int64_t>::max();
  refused(whole, "an offset beyond everything");
  whole = table(columns());
  whole.children.pop_back();
  refused(whole, "a column too few");
  whole = table(columns());
  whole.children[4].buffers[1].reset();
  refused(whole, "a column without values");
  const auto refused_column = [](const ArrowNode& column, const char* what) {
    EXPECT_THAT([&] { read_table(with(column)); }, ThrowsMessage<DataError>(HasSubstr("contradicts itself"))) << what;
  };
  ArrowNode names = texts<std::int32_t>("episode", {"a", "a", "b", "b"});
  names.buffers[1] = bytes_of<std::int32_t>({0, 1, -5, 3, 4});
  refused_column(names, "offsets that go back");
  names = text_views("episode", {std::string(20, 'a'), std::string(20, 'a'), "b", "b"});
  names.buffers.back() = bytes_of<std::int64_t>({3, 3});
  refused_column(names, "views beyond their buffer");
  (*names.buffers[1])[8] = 77;
  refused_column(names, "views of a buffer that is not there");
  refused_column(coded(numbers<std::int32_t>("episode", "i", {0, 0, 5, 5}), texts<std::int32_t>("", {"a", "b"})),
                 "codes beyond the dictionary");
  refused_column(coded(numbers<std::int32_t>("episode", "i", {0, 0, -1, 1}), texts<std::int32_t>("", {"a", "b"})),
                 "negative codes");
  const ArrowNode elements = numbers<double>("item", "g", {0, 1, 2, 3, 4, 5, 6, 7});
  refused_column(lists<std::int64_t>("state", {0, 2, 4, 1000, 1002}, elements), "lists beyond their elements");
  ArrowNode narrow = fixed_lists("state", 2, elements);
  narrow.children[0].length = 5;
  refused_column(narrow, "lists with too few elements");
  narrow = fixed_lists("state", 2, elements);
  narrow.children.clear();
  refused_column(narrow, "lists without elements");
}

}  // namespace
}  // namespace starope::io
