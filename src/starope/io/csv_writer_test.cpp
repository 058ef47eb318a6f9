#include "starope/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;

std::string text_of(const Dataset& data, const WriteOptions& options = {}) {
  std::string text;
  write_csv(
      data, [&](std::string_view piece) { text += piece; }, options);
  return text;
}

Columns small() {
  Columns c;
  c.offsets = {0, 2, 3};
  c.episode_ids = std::vector<std::string>{"anna", "b, \"bert\"\n"};
  c.states = make_discrete_states(std::vector<std::int64_t>{7, -2, 7, 9});
  c.has_final_state = {false, true};
  c.actions = DiscreteActions{{0, 1, 0}, 2};
  c.rewards = {1.0, 0.1, -2e-30};
  c.behavior = LoggedProbabilities{{0.5, 0.25, 1.0}};
  c.target = LoggedProbabilities{{0.0, -0.125, -std::numeric_limits<double>::infinity()},
                                 LoggedProbabilities::Scale::logarithm};
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated};
  return c;
}

TEST(WriteCsv, WritesTheCanonicalTable) {
  const Dataset data(small());
  const std::string expected =
      "episode,t,state,action,reward,behavior_prob,target_logp,terminated,truncated\n"
      "anna,0,7,0,1,0.5,0,0,0\n"
      "anna,1,-2,1,0.1,0.25,-0.125,1,0\n"
      "\"b, \"\"bert\"\"\n\",0,7,0,-2e-30,1,-inf,0,1\n";
  EXPECT_EQ(text_of(data, {.final_states = false}), expected);
  EXPECT_EQ(text_of(data), expected + "\"b, \"\"bert\"\"\n\",1,9,,,,,0,0\n");
}

TEST(WriteCsv, ReadsBackAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.csv");
  const Dataset data(small());
  write_csv(data, path);
  expect_equal(read_csv(path).data, data);
}

TEST(WriteCsv, ReadsBackContinuousStatesActionsAndDistributions) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.csv");
  Columns c = small();
  c.episode_ids = std::vector<std::int64_t>{5, -3};
  c.states = DenseStates{1, {1, 2, 3, 4}, {}};  // look like ids, and must not become ones
  c.actions = ContinuousActions{1, {1, 2, 3}};
  c.behavior->density = true;
  c.target->density = true;
  write_csv(Dataset(c), path);
  expect_equal(read_csv(path).data, Dataset(c));

  Columns d = small();
  d.behavior_distribution = ActionProbabilities{2, {0.5, 0.5, 0.75, 0.25, 1, 0}};
  d.target.reset();
  d.target_distribution = ActionProbabilities{2, {1, 0, 0.1, 0.9, 0.3, 0.7}};
  write_csv(Dataset(d), path);
  const Dataset back = read_csv(path).data;
  EXPECT_EQ(back.target()->values, (std::vector<double>{1, 0.9, 0.3}));  // taken from the distribution
  d.target = back.target();
  expect_equal(back, Dataset(d));
}

TEST(WriteCsv, StatesOfBitsBecomeColumnsOfZerosAndOnes) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.csv");
  Columns c = small();
  constexpr std::int64_t dimension = 66;  // more than a word
  BinaryStates bits;
  bits.dimension = dimension;
  bits.words = {5, 2, 0, 0, ~std::uint64_t{0}, 3, 1, 1};
  c.states = bits;
  write_csv(Dataset(c), path);
  expect_equal(read_csv(path).data, Dataset(c));  // many features that are all 0 or 1 are kept as bits
}

TEST(WriteCsv, SmallIntegersAndTheirNeighborsReadBack) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.csv");
  Columns c = small();
  c.offsets = {0, 8};
  c.episode_ids = std::vector<std::int64_t>{1};
  c.ends = {EpisodeEnd::terminated};
  c.has_final_state = {};
  c.states = std::monostate();
  c.actions = std::monostate();
  c.behavior.reset();
  c.target.reset();
  c.rewards = {0.0, -0.0, 9.0, 10.0, 9.5, -1.0, std::nextafter(1.0, 2.0), 5e-324};
  write_csv(Dataset(c), path);
  expect_equal(read_csv(path, {.need_state = false, .need_behavior = false, .need_target = false}).data, Dataset(c));
}

TEST(WriteCsv, ReadsBackRandomLogsBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.csv");
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = starope::testing::random_logs(
        {.discrete_states = seed % 2 == 0 ? 5 : 0, .actions = 4, .zero_target = 0.2, .final_states = 0.5}, Seed{seed});
    write_csv(data, path);
    // The largest action may not occur, and then nobody can know of it; everything else comes back.
    expect_equal(read_csv(path).data, data);
  }
}

TEST(WriteCsv, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_csv(Dataset(small()), folder.path("no/such/folder.csv")), FileError);
  EXPECT_THROW(write_csv(Dataset(small()), "/dev/full"), FileError);
}

}  // namespace
}  // namespace starope::io
