#include "starope/io/open.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

void expect_the_blocks_of_memory(const std::string& path, const ReadOptions& options, std::int64_t steps,
                                 std::int64_t kept = 3000) {
  const ReadResult memory = read(path, options);
  const OpenedLogs opened = open(path, options, {.steps = steps, .memory = kept});
  EXPECT_EQ(opened.summary.rows, memory.summary.rows);
  EXPECT_EQ(opened.summary.final_states, memory.summary.final_states);
  EXPECT_EQ(opened.summary.used, memory.summary.used);
  EXPECT_EQ(opened.findings, memory.findings);
  for (int pass = 0; pass < 2; ++pass) {
    const Source::Next next = opened.source.open();
    for (const EpisodeRange& range : make_blocks(memory.data, steps)) {
      const auto block = next();
      ASSERT_TRUE(block.has_value());
      expect_equal(*block, memory.data.take(range.first, range.last));
      EXPECT_EQ(block->episode_ids().index(), memory.data.episode_ids().index());
      if (const auto* actions = std::get_if<DiscreteActions>(&memory.data.actions())) {
        EXPECT_EQ(std::get<DiscreteActions>(block->actions()).count, actions->count);
      }
    }
    EXPECT_FALSE(next().has_value());
  }
}

TEST(Open, YieldsTheBlocksOfMemoryWhateverTheBatches) {
  const TemporaryFolder folder;
  for (const std::int64_t ids : {0, 5}) {
    const Dataset data = testing::random_logs(
        {.episodes = 200, .longest = 30, .discrete_states = ids, .truncated = 0.5, .final_states = 0.5}, Seed{1});
    const std::string path = folder.path("logs.csv");
    write_csv(data, path);
    for (const std::int64_t bytes : {64, 1000, 1 << 20}) {  // batches of a few rows, and of all
      for (const std::int64_t steps : {1, 50, 700, 1 << 20}) {
        expect_the_blocks_of_memory(path, {.threads = Threads{2}, .chunk_bytes = bytes}, steps, 20 * bytes);
      }
    }
  }
}

// What the whole decides: ids are texts because of a late one, actions are three because of a late one, and 32 features
// are no bits because of a late one.
TEST(Open, WhatTheWholeDecidesHoldsInEveryBlock) {
  const TemporaryFolder folder;
  std::string header = "episode,action,reward,behavior_prob,target_prob", zeros, late;
  for (int i = 0; i < 32; ++i) {
    header += ",state_" + std::to_string(i);
    zeros += ",0";
    late += i == 7 ? ",0.5" : ",1";
  }
  std::string table = header + "\n";
  for (int e = 0; e < 30; ++e) table += std::to_string(e) + ",0,1,0.5,0.5" + zeros + "\n";
  const std::string bits = folder.write("bits.csv", table);
  const std::string mixed = folder.write("mixed.csv", table + "last,2,1,0.5,0.5" + late + "\n");
  for (const std::string& path : {bits, mixed}) expect_the_blocks_of_memory(path, {.chunk_bytes = 300}, 2);
  EXPECT_TRUE(std::holds_alternative<BinaryStates>(open(bits, {}, {.steps = 2}).source.open()()->states()));
  EXPECT_TRUE(std::holds_alternative<DenseStates>(open(mixed, {}, {.steps = 2}).source.open()()->states()));
}

TEST(Open, AnEpisodeLongerThanABatchIsWhole) {
  const TemporaryFolder folder;
  std::string table = "episode,state,reward,behavior_prob,target_prob\n";
  for (int t = 0; t < 500; ++t) table += "a," + std::to_string(t) + ",1,0.5,0.5\n";
  table += "b,0,1,0.5,0.5\n";
  const std::string path = folder.write("long.csv", table);
  expect_the_blocks_of_memory(path, {.chunk_bytes = 64}, 3);
  EXPECT_EQ(open(path, {.chunk_bytes = 64}, {.steps = 3}).source.open()()->length(0), 500);
}

TEST(Open, SaysWhatIsWrongWithTheRowOfTheFile) {
  const TemporaryFolder folder;
  std::string good = "episode,state,reward,behavior_prob,target_prob\n";
  for (int e = 0; e < 40; ++e) good += std::to_string(e) + ",1,1,0.5,0.5\n";
  const std::string number = folder.write("number.csv", good + "40,1,x,0.5,0.5\n");
  const std::string value = folder.write("value.csv", good + "40,1,1,2,0.5\n");
  const std::string again = folder.write("again.csv", good + "3,1,1,0.5,0.5\n");
  const ReadOptions options{.chunk_bytes = 64};
  for (const std::string& path : {number, value, again}) {
    EXPECT_THAT([&] { open(path, options, {.steps = 2}); }, ThrowsMessage<DataError>(HasSubstr("row 42"))) << path;
  }
  EXPECT_THAT([&] { open(again, options, {.steps = 2}); }, ThrowsMessage<DataError>(HasSubstr("comes back")));
}

// The standard input for as long as this lives: a pipe that can be read only once.
class PipedInput {
 public:
  explicit PipedInput(std::string_view text) : before_(::dup(STDIN_FILENO)) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));  // fits into the pipe
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
  }
  PipedInput(const PipedInput&) = delete;
  PipedInput& operator=(const PipedInput&) = delete;
  ~PipedInput() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
  }

 private:
  int before_;
};

TEST(Open, ADashIsTheStandardInput) {
  const PipedInput input("episode,state,reward,behavior_prob,target_prob\na,1,1,1,1\na,2,2,1,1\nb,3,3,1,1\n");
  const OpenedLogs opened = open("-", {.chunk_bytes = 5}, {.steps = 1, .memory = 0});
  EXPECT_EQ(opened.summary.rows, 3);
  for (int pass = 0; pass < 2; ++pass) {
    const Source::Next next = opened.source.open();
    EXPECT_EQ(next()->steps(), 2);
    EXPECT_EQ(next()->episode_name(0), "b");
    EXPECT_FALSE(next().has_value());
  }
}

TEST(Open, AnEpisodeThatComesBackIsFoundInAPipeAsInAFile) {
  std::string table = "episode,state,reward,behavior_prob,target_prob\n";
  for (const char* id : {"x", "x", "b", "c", "b", "x", "d"}) table += std::string(id) + ",1,1,1,1\n";
  const TemporaryFolder folder;
  const std::string path = folder.write("again.csv", table);
  const auto message = [](const auto& work) {
    try {
      work();
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string expected = message([&] { read(path); });
  EXPECT_THAT(expected, HasSubstr("row 6"));
  for (const std::int64_t bytes : {1, 8, 1000}) {
    const PipedInput input(table);
    std::string said = message([&] { open("-", {.chunk_bytes = bytes}, {.steps = 1}); });
    EXPECT_EQ(said.replace(said.find("/dev/stdin"), 10, path), expected) << bytes;
  }
}

TEST(Open, RefusesBlocksWithoutSteps) {
  const TemporaryFolder folder;
  const std::string path = folder.write("logs.csv", "episode,state,reward,behavior_prob,target_prob\na,1,1,1,1\n");
  for (const std::int64_t steps : {0, -3}) {
    EXPECT_THAT([&] { open(path, {}, {.steps = steps}); }, ThrowsMessage<InvalidArgument>(HasSubstr("at least 1")));
  }
}

// 8 columns and t of 8 bytes, a flag of 1, and 8 of the ratios.
TEST(Open, KnowsAboutHowMuchMemoryAFileNeeds) {
  const TemporaryFolder folder;
  std::string table = "episode,t,state_0,state_1,state_2,state_3,state_4,reward,behavior_prob,target_prob,terminated\n";
  for (int i = 0; i < 20000; ++i) {
    table += std::to_string(i / 10) + "," + std::to_string(i % 10) + ",0.5,0.25,0.125,1.5,2.5,1,0.5,0.5," +
             (i % 10 == 9 ? "1\n" : "0\n");
  }
  const auto needed = memory_needed(folder.write("logs.csv", table));
  ASSERT_TRUE(needed.has_value());
  EXPECT_NEAR(static_cast<double>(*needed), 20000.0 * (9 * 8 + 1 + 8), 0.05 * 20000 * 81);
  const Dataset data = testing::random_logs({.episodes = 40}, Seed{2});
  write_npz(data, folder.path("logs.npz"));
  EXPECT_GE(memory_needed(folder.path("logs.npz")).value(), data.steps() * 5 * 8);
  EXPECT_EQ(memory_needed(folder.path("none.csv")), std::nullopt);
  EXPECT_EQ(memory_needed(folder.write("wrong.csv", "a,b\n1,2\n")), std::nullopt);
  EXPECT_EQ(memory_needed("-"), std::nullopt);
}

TEST(Open, KnowsTheSameOfTheBeginningOfATable) {
  std::string table = "episode,state,reward,behavior_prob,target_prob\n";
  for (int i = 0; i < 3000; ++i) table += std::to_string(1000 + i / 10) + ",17,1.5,0.5,0.5\n";
  const auto size = static_cast<std::int64_t>(table.size());
  const auto of_all = memory_needed(table, size, "a.csv", {});
  ASSERT_TRUE(of_all.has_value());
  EXPECT_NEAR(static_cast<double>(*of_all), 3000.0 * (4 * 8 + 8), 0.02 * 3000 * 40);
  // A beginning that ends inside a row, of a table ten times as large.
  const auto of_more = memory_needed(std::string_view(table).substr(0, 5003), 10 * size, "a.csv", {});
  ASSERT_TRUE(of_more.has_value());
  EXPECT_NEAR(static_cast<double>(*of_more), 10.0 * static_cast<double>(*of_all), 0.1 * static_cast<double>(*of_all));
  EXPECT_EQ(memory_needed("a,b\n1,2\n", 8, "a.csv", {}), std::nullopt);
  EXPECT_EQ(memory_needed("PK\x03\x04", 4, "a.csv", {}), std::nullopt);
}

TEST(Open, HalfTheMemoryIsSomeButNotAll) {
  EXPECT_GE(half_the_memory(), 1 << 20);
  EXPECT_LT(half_the_memory(), std::int64_t{1} << 50);
}

TEST(Open, OtherFormatsAndSortedRowsAreReadAtOnce) {
  const TemporaryFolder folder;
  const Dataset data = testing::random_logs({.episodes = 40}, Seed{2});
  const std::string path = folder.path("logs.npz");
  write_npz(data, path);
  expect_the_blocks_of_memory(path, {}, 30);
  const std::string apart =
      folder.write("apart.csv", "episode,state,reward,behavior_prob,target_prob\na,1,1,1,1\nb,2,2,1,1\na,3,3,1,1\n");
  expect_the_blocks_of_memory(apart, {.sort = true}, 2);
}

}  // namespace
}  // namespace starope::io
