#include "starope/io/spool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::random_logs;
using ::starope::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Every kind of column: states of each kind, actions of each kind, names, probabilities of each scale, final states.
std::vector<Dataset> all_kinds() {
  std::vector<Dataset> kinds;
  kinds.push_back(random_logs({.episodes = 20, .truncated = 0.5, .final_states = 0.5}, Seed{1}));
  kinds.push_back(random_logs({.episodes = 7, .discrete_states = 5}, Seed{2}));
  Columns columns = kinds[0].columns();
  std::vector<std::string> names;
  for (int e = 0; e < 20; ++e) names.push_back(std::string(e, 'x') + std::to_string(e));
  columns.episode_ids = Column<std::string>(std::move(names));
  const auto rows = static_cast<std::size_t>(kinds[0].state_rows()), steps = static_cast<std::size_t>(kinds[0].steps());
  std::vector<float> singles;
  for (std::size_t i = 0; i < 3 * rows; ++i) singles.push_back(static_cast<float>(i) / 3);
  columns.states = DenseStates{.dimension = 3, .values = std::move(singles), .names = {"a", "b", "c"}};
  std::vector<double> moves;
  for (std::size_t i = 0; i < 2 * steps; ++i) moves.push_back(static_cast<double>(i) / 7);
  columns.actions = ContinuousActions{.dimension = 2, .values = std::move(moves)};
  kinds.emplace_back(columns);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < 2 * rows; ++i) words.push_back(i % 2 == 0 ? i * 0x9e3779b97f4a7c15 : i % 4);
  columns.states = BinaryStates{.dimension = 66, .words = std::move(words)};
  columns.actions = {};
  columns.target =
      LoggedProbabilities{.values = std::vector<double>(steps, -0.5), .scale = LoggedProbabilities::Scale::logarithm};
  kinds.emplace_back(columns);
  return kinds;
}

TEST(Spool, GivesBackWhatItGotFromMemoryAndFromItsFile) {
  const TemporaryFolder folder;
  const std::vector<Dataset> kinds = all_kinds();
  std::int64_t bytes = 0;
  for (const Dataset& each : kinds) bytes += bytes_of(each.columns());
  for (const std::int64_t memory : {std::int64_t{0}, bytes / 2, bytes}) {
    Spool spool(memory, folder.path());
    for (const Dataset& each : kinds) spool.add(each);
    EXPECT_EQ(spool.size(), 4);
    EXPECT_EQ(spool.bytes(), bytes);
    EXPECT_EQ(spool.in_memory(), memory == bytes);
    EXPECT_EQ(folder.files(), 0U);  // the file has no name
    for (const std::size_t i : {3U, 0U, 1U, 2U, 3U}) {
      const Dataset again = spool.block(static_cast<std::int64_t>(i));
      expect_equal(again, kinds[i]);
      EXPECT_EQ(again.episode_ids(), kinds[i].episode_ids());
      EXPECT_EQ(again.states(), kinds[i].states());
    }
  }
}

// What others need later is taken from the blocks in memory, the last ones first; nothing is lost.
TEST(Spool, MovesBlocksToItsFileWhereMemoryIsNeededElsewhere) {
  const TemporaryFolder folder;
  const std::vector<Dataset> kinds = all_kinds();
  std::int64_t bytes = 0;
  for (const Dataset& each : kinds) bytes += bytes_of(each.columns());
  Spool spool(bytes, folder.path());
  for (const Dataset& each : kinds) spool.add(each);
  const auto lies_in_place = [&](std::size_t i) {  // what is read again is a copy
    const Dataset once = spool.block(static_cast<std::int64_t>(i)), again = spool.block(static_cast<std::int64_t>(i));
    return once.rewards().data() == again.rewards().data();
  };
  spool.leave(0);
  EXPECT_TRUE(spool.in_memory());
  spool.leave(1);
  EXPECT_FALSE(spool.in_memory());
  EXPECT_TRUE(lies_in_place(0));
  EXPECT_TRUE(lies_in_place(2));
  EXPECT_FALSE(lies_in_place(3));
  spool.leave(bytes);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_FALSE(lies_in_place(i));
    expect_equal(spool.block(static_cast<std::int64_t>(i)), kinds[i]);
  }
  EXPECT_EQ(spool.bytes(), bytes);
}

// A block that somebody still holds is not overwritten by the next one, and one that is gone leaves its place.
TEST(Spool, BlocksThatAreHeldKeepTheirMemory) {
  const std::vector<Dataset> kinds = all_kinds();
  std::optional<Dataset> held;
  const double* place = nullptr;
  {
    Spool spool(0, {});
    for (const Dataset& each : kinds) spool.add(each);
    held = spool.block(0);
    const Dataset other = spool.block(0);
    EXPECT_NE(other.rewards().data(), held->rewards().data());
    place = spool.block(0).rewards().data();
    EXPECT_EQ(spool.block(0).rewards().data(), place);
  }
  expect_equal(*held, kinds[0]);  // and outlives the spool
}

TEST(Spool, SettlesBlocksWhereverTheyAre) {
  const Dataset data = random_logs({.episodes = 5}, Seed{3});
  for (const std::int64_t memory : {0, 1 << 20}) {
    Spool spool(memory, {});
    spool.add(data);
    spool.settle([](Columns& columns) {
      std::get<DiscreteActions>(columns.actions).count = 9;
      return true;
    });
    EXPECT_EQ(std::get<DiscreteActions>(spool.block(0).actions()).count, 9);
  }
}

TEST(Spool, SaysWhichFileCannotBeWritten) {
  Spool nowhere(0, "/there/is/no/such/folder");
  EXPECT_THAT([&] { nowhere.add(random_logs({.episodes = 5}, Seed{4})); },
              ThrowsMessage<FileError>(HasSubstr("/there/is/no/such/folder/starope-")));
}

}  // namespace
}  // namespace starope::io
