#include "starope/io/log_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "starope/error.hpp"

namespace starope::io {
namespace {

using ::testing::ElementsAre;

// Two batches of a table in memory, of any types: what another format looks like to the reader of logs.
class TableInMemory : public TableReader {
 public:
  TableInMemory(std::vector<TableColumn> columns, std::vector<std::vector<std::vector<double>>> batches)
      : columns_(std::move(columns)), batches_(std::move(batches)) {}

  const std::vector<TableColumn>& columns() const override { return columns_; }
  TableSource source() const override { return {.file = "memory", .first_row = first_row_}; }
  std::optional<std::int64_t> next(std::int64_t) override {
    if (at_ >= 0) first_row_ += static_cast<std::int64_t>(batches_[at_].size());
    if (++at_ == static_cast<std::int64_t>(batches_.size())) return std::nullopt;
    return static_cast<std::int64_t>(batches_[at_].size());
  }
  TableReading read(std::vector<WantedColumn> wanted) override {
    TableReading reading;
    const auto& rows = batches_[at_];
    for (const WantedColumn& column : wanted) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const double value = rows[r][column.field];
        const auto row = static_cast<std::int64_t>(r);
        if (const auto* number = std::get_if<NumberCells>(&column.cells)) number->first[row * number->stride] = value;
        if (const auto* single = std::get_if<FloatCells>(&column.cells))
          single->first[row * single->stride] = static_cast<float>(value);
        if (const auto* id = std::get_if<IntegerCells>(&column.cells))
          id->first[row] = static_cast<std::int64_t>(value);
        if (const auto* flag = std::get_if<FlagCells>(&column.cells)) flag->first[row] = value != 0.0 ? 1 : 0;
        if (std::holds_alternative<TextCells>(column.cells)) {
          reading.text.first_row.push_back(row);
          reading.text.unescaped.push_back(std::make_unique<std::string>(std::to_string(static_cast<int>(value))));
          reading.text.text.emplace_back(*reading.text.unescaped.back());
        }
      }
    }
    return reading;
  }

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::vector<double>>> batches_;
  std::int64_t at_ = -1;
  std::int64_t first_row_ = 0;
};

// What is mapped from a file that somebody writes to while it is read.
class ChangingTable : public TableInMemory {
 public:
  using TableInMemory::TableInMemory;
  void expect_unchanged() const override { throw FileError("it was changed"); }
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();
using Type = TableColumn::Type;

std::vector<TableColumn> columns(Type state, Type action) {
  return {{"episode", Type::integer},
          {"state", state},
          {"action", action},
          {"reward", Type::real},
          {"behavior_prob", Type::real},
          {"target_prob", Type::real},
          {"note", Type::real}};
}

// Whether the ids that lie there in the end give episodes or a complaint: neither means anything.
TEST(LogReader, BelievesNothingOfAFileThatChangedBeforeItsEpisodesWereTold) {
  const auto rows = [](double second, double third) {
    return std::vector<std::vector<std::vector<double>>>{
        {{0, 7, 1, 0.5, 0.5, 0.25, 9}, {second, 8, 0, 1, 1, 1, 9}, {third, 7, 1, 2, 0.5, 0.5, 9}}};
  };
  for (const auto& batches : {rows(1, 2), rows(1, 0)}) {
    ChangingTable table(columns(Type::integer, Type::integer), batches);
    EXPECT_THAT([&] { read_logs(table, {}); }, ::testing::ThrowsMessage<FileError>("it was changed"));
  }
}

TEST(LogReader, TakesWhatHasARoleBatchByBatch) {
  TableInMemory table(columns(Type::integer, Type::integer),
                      {{{0, 7, 1, 0.5, 0.5, 0.25, 9}, {0, 8, 0, 1, 1, 1, 9}}, {{1, 7, 1, 2, 0.5, 0.5, 9}}});
  LogReader reader(table, {});
  const auto first = reader.next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->rows, 2);
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(first->states), ElementsAre(7, 8));
  EXPECT_THAT(std::get<std::vector<std::int64_t>>(first->actions), ElementsAre(1, 0));
  EXPECT_THAT(first->rewards, ElementsAre(0.5, 1.0));
  EXPECT_THAT(first->target->values, ElementsAre(0.25, 1.0));
  EXPECT_THAT(first->ignored, ElementsAre("note"));
  const auto second = reader.next();
  ASSERT_TRUE(second.has_value());
  EXPECT_THAT(second->rewards, ElementsAre(2.0));
  EXPECT_EQ(second->source.at(0, "x").row, 2);
  EXPECT_FALSE(reader.next().has_value());
}

// One table of all batches is what the batches are together, whatever kinds of columns they have.
TEST(LogReader, AppendsBatchesToOneTable) {
  const std::vector<std::vector<std::vector<double>>> rows = {
      {{0, 7, 1, 0.5, 0.5, 0.25, 9}, {0, 8, 0, 1, 1, 1, 9}, {1, 4, 0, none, none, none, 9}},
      {{1, 7, 1, 2, 0.5, 0.5, 9}, {2, 9, 0, none, none, none, 9}}};
  for (const Type state : {Type::integer, Type::real, Type::single}) {
    TableInMemory whole(columns(state, Type::integer), {{rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1]}});
    TableInMemory parts(columns(state, Type::integer), rows);
    const LongTable expected = *LogReader(whole, {}).next();
    LogReader reader(parts, {});
    LongTable all;
    EXPECT_TRUE(reader.append(all));
    EXPECT_EQ(all.rows, 3);
    EXPECT_TRUE(reader.append(all));
    EXPECT_FALSE(reader.append(all));
    EXPECT_EQ(all.rows, 5);
    EXPECT_EQ(all.source.first_row, 0);
    EXPECT_THAT(all.partial_rows, ElementsAre(2, 4));
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(all.actions), std::get<std::vector<std::int64_t>>(expected.actions));
    EXPECT_THAT(all.rewards, ::testing::Pointwise(::testing::NanSensitiveDoubleEq(), expected.rewards));
    EXPECT_EQ(all.states.index(), expected.states.index());
    if (const auto* ids = std::get_if<std::vector<std::int64_t>>(&all.states)) {
      EXPECT_THAT(*ids, ElementsAre(7, 8, 4, 7, 9));
    } else if (const auto* numbers = std::get_if<NumberRows>(&all.states)) {
      EXPECT_THAT(numbers->values, ElementsAre(7, 8, 4, 7, 9));
      EXPECT_THAT(numbers->names, ElementsAre("state"));
    } else {
      EXPECT_THAT(std::get<FloatRows>(all.states).values, ElementsAre(7, 8, 4, 7, 9));
    }
    // Episode 1 goes on in the second batch; this table writes the name of every row of its own batch.
    EXPECT_THAT(all.episode.text, ElementsAre("0", "0", "1", "2"));
    EXPECT_THAT(all.episode.first_row, ElementsAre(0, 1, 2, 4));
  }
}

TEST(LogReader, KeepsTheKindOfStates) {
  TableInMemory singles(columns(Type::single, Type::real), {{{0, 0.1, 1, 0, 1, 1, 0}}});
  const auto table = LogReader(singles, {}).next();
  EXPECT_THAT(std::get<FloatRows>(table->states).values, ElementsAre(0.1F));
  EXPECT_THAT(std::get<FloatRows>(table->states).names, ElementsAre("state"));
  EXPECT_TRUE(table->behavior->density);  // of numbers, not of ids
}

// A format that has no empty cells says it with NaN.
TEST(LogReader, RowsWithoutNumbersArePartial) {
  TableInMemory table(columns(Type::real, Type::integer),
                      {{{0, 1, 1, 0.5, 0.5, 0.25, 9}, {0, 2, -1, none, none, none, 9}, {1, 1, 0, none, 1, 1, 9}}});
  EXPECT_THAT(LogReader(table, {}).next()->partial_rows, ElementsAre(1));
}

TEST(LogReader, DoesNotGuessWhichOfTwoColumnsIsMeant) {
  const std::vector<std::vector<double>> rows{{1, 2, 3, 4, 5}};
  const auto with = [&](const char* fourth, const char* fifth) {
    return TableInMemory({{"episode", Type::integer},
                          {"state", Type::integer},
                          {"reward", Type::real},
                          {fourth, Type::real},
                          {fifth, Type::real}},
                         {rows});
  };
  ReadOptions options;
  options.need_behavior = options.need_target = false;
  TableInMemory twice = with("reward", "other");
  EXPECT_THAT([&] { LogReader(twice, options); },
              ::testing::ThrowsMessage<DataError>(::testing::HasSubstr("column 'reward': is the name of two columns")));
  TableInMemory unused = with("other", "other");
  const LogReader reader(unused, options);
  EXPECT_THAT(reader.ignored(), ElementsAre("other", "other"));
}

TEST(LogReader, SaysWhatIsMissing) {
  TableInMemory table({{"episode", Type::integer}, {"state", Type::real}}, {});
  EXPECT_THROW(LogReader(table, {}), DataError);
}

}  // namespace
}  // namespace starope::io
