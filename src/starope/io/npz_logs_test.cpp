#include "starope/io/npz_logs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"
#include "starope/io/testing_zip.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(NpzLogs, ReadsBackRandomLogsBitForBit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Dataset data = starope::testing::random_logs(
        {.discrete_states = seed % 2 == 0 ? 5 : 0, .actions = 4, .zero_target = 0.2, .final_states = 0.5}, Seed{seed});
    write_npz(data, path);
    expect_equal(read(path).data, data);
  }
}

std::string zeros(const std::string& descr, std::size_t values, std::size_t size) {
  std::string dictionary =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(values) + ",), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + starope::testing::field(dictionary.size(), 2) + dictionary +
         std::string(values * size, '\0');
}

// As pandas hands over several columns: df[["x", "y"]].values is stored column by column.
TEST(NpzLogs, ColumnsMayBeStoredOneAfterTheOther) {
  const auto array = [](const std::string& shape, const std::string& fortran, const std::vector<double>& values) {
    const std::string dictionary = "{'descr': '<f8', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
    std::string bytes(values.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return std::string("\x93NUMPY\x01\x00", 8) + starope::testing::field(dictionary.size(), 2) + dictionary + bytes;
  };
  const std::string episode = zeros("<i8", 3, 8), reward = array("(3,)", "False", {1.0, 2.0, 3.0});
  const auto logs = [&](const std::string& state) {
    const TemporaryFolder folder;
    const std::string path =
        folder.write("a.npz", starope::testing::make_zip({{.name = "episode.npy", .content = episode},
                                                          {.name = "reward.npy", .content = reward},
                                                          {.name = "state.npy", .content = state}}));
    return read(path, {.need_behavior = false, .need_target = false}).data;
  };
  const Dataset by_column = logs(array("(3, 2)", "True", {10.0, 20.0, 30.0, 0.1, 0.2, 0.3}));
  EXPECT_EQ(by_column.steps(), 3);
  expect_equal(by_column, logs(array("(3, 2)", "False", {10.0, 0.1, 20.0, 0.2, 30.0, 0.3})));
  std::vector<double> scratch;
  const auto second = std::get<DenseStates>(by_column.states()).row(1, scratch);
  EXPECT_THAT(std::vector<double>(second.begin(), second.end()), ::testing::ElementsAre(20.0, 0.2));
}

// A small file must not fill the memory: what it unpacks to is bounded (zip_test), and what its small integers become.
TEST(NpzLogs, RefusesZerosThatWouldFillTheMemory) {
  const TemporaryFolder folder;
  const auto code_of = [&](const std::string& descr, std::size_t values, std::size_t size) {
    const std::string packed =
        starope::testing::make_zip({{.name = "episode.npy", .content = zeros(descr, values, size), .deflated = true},
                                    {.name = "reward.npy", .content = zeros(descr, values, size), .deflated = true}});
    EXPECT_LT(packed.size(), 400'000U);
    try {
      read(folder.write("bomb.npz", packed), {.need_state = false, .need_behavior = false, .need_target = false});
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("bomb.npz"), HasSubstr("reward"), HasSubstr("numpy.savez")));
      return error.code();
    }
    return std::string("read");
  };
  constexpr std::size_t most = (std::size_t{1} << 30) / 2;  // of two arrays
  EXPECT_EQ(code_of("|i1", most / 8 + 1, 1), "too_large");
  EXPECT_EQ(code_of("|b1", most / 8 + 1, 1), "too_large");  // a truth value that is a reward becomes a number, too
  EXPECT_EQ(code_of("|i1", 1000, 1), "read");
}

// Not what the archive unpacks to.
TEST(NpzLogs, TheMemoryIsThatOfNumbers) {
  const TemporaryFolder folder;
  const std::string packed = starope::testing::make_zip({{.name = "episode.npy", .content = zeros("|i1", 1000, 1)},
                                                         {.name = "reward.npy", .content = zeros("|b1", 1000, 1)}});
  EXPECT_EQ(npz_bytes_in_memory(InputFile(folder.write("a.npz", packed))), 16'000);
}

Columns small() {
  Columns c;
  c.offsets = {0, 2, 3};
  c.episode_ids = std::vector<std::int64_t>{70, -1};
  c.ends = {EpisodeEnd::truncated, EpisodeEnd::terminated};
  c.has_final_state = {true, false};
  c.states = DenseStates{2, {1, 2, 3, 4, 5, 6, 7, 8}, {}};
  c.actions = ContinuousActions{1, {0.5, 1.5, 2.5}};
  c.rewards = {1, -2, 0.1};
  c.behavior = LoggedProbabilities{{0.5, 2.0, 1.0}, LoggedProbabilities::Scale::linear, true};
  c.target = LoggedProbabilities{{-1, 0, 2}, LoggedProbabilities::Scale::logarithm, true};
  return c;
}

// It is not damaged: somebody writes it.
TEST(NpzLogs, AFileThatChangesWhileItIsReadIsRefusedAsThat) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  for (const std::uintmax_t size : {std::uintmax_t{0}, std::uintmax_t{300}}) {
    write_npz(Dataset(small()), path);
    InputFile file(path);
    std::filesystem::resize_file(path, size);
    EXPECT_THAT([&] { read_npz(std::move(file), {}); },
                ::testing::ThrowsMessage<FileError>(HasSubstr("changed or cut while it was read")));
  }
}

TEST(NpzLogs, ContinuousActionsLogarithmsAndFinalStates) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  write_npz(Dataset(small()), path);
  const ReadResult result = read_npz(path);
  expect_equal(result.data, Dataset(small()));
  EXPECT_EQ(result.summary.rows, 4);
  EXPECT_EQ(result.summary.final_states, 1);

  write_npz(Dataset(small()), path, {.final_states = false});
  EXPECT_EQ(read_npz(path).summary.rows, 3);
}

TEST(NpzLogs, BitsStayBits) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  Columns c = small();
  c.states = BinaryStates{.dimension = 66, .words = {5, 2, 0, 0, ~std::uint64_t{0}, 3, 1, 1}};
  write_npz(Dataset(c), path);
  expect_equal(read_npz(path).data, Dataset(c));
  EXPECT_EQ(NpzReader(path).open("state").header(), (NpyHeader{{NpyType::Kind::boolean, 1}, {4, 66}}));
}

TEST(NpzLogs, FloatsStayFloats) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  const NpyHeader single{{NpyType::Kind::real, 4}, {4, 2}};
  Columns c = small();
  c.states = DenseStates{2, std::vector<float>{0.1F, 2, 3, 4, 5, 6, 7, 8}, {}};
  write_npz(Dataset(c), path);
  const Dataset again = read_npz(path).data;
  expect_equal(again, Dataset(c));
  EXPECT_NE(std::get<DenseStates>(again.states()).values.floats(), nullptr);
  EXPECT_EQ(NpzReader(path).open("state").header(), single);
  // Beside a column of doubles they are doubles.
  NpzWriter npz(path);
  npz.add("episode", {2}, std::vector<std::int64_t>{1, 1});
  npz.add("reward", {2}, std::vector<double>{1, 1});
  npz.add("x", {2}, std::vector<float>{0.1F, 1});
  npz.add("y", {2}, std::vector<double>{0.1, 1});
  npz.finish();
  const ReadOptions options{.state = {"x", "y"}, .need_behavior = false, .need_target = false};
  const Dataset both = read_npz(path, options).data;
  EXPECT_EQ(std::get<DenseStates>(both.states()).values, (std::vector<double>{static_cast<double>(0.1F), 0.1, 1, 1}));
}

TEST(NpzLogs, ManyFloatsThatAreZerosAndOnesAreBits) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  std::vector<float> values(std::size_t{4} * 40, 0.0F);
  values[3] = values[77] = 1.0F;
  Columns c = small();
  c.states = DenseStates{40, std::move(values), {}};
  const Dataset data(std::move(c));
  write_npz(data, path);
  EXPECT_EQ(std::get<BinaryStates>(read_npz(path).data.states()).words,
            to_bits(std::get<DenseStates>(data.states()))->words);
}

TEST(NpzLogs, ColumnsAreFoundByNameInArraysOfOneOrTwoDimensions) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  NpzWriter npz(path);
  npz.add("stay", {3}, std::vector<std::int64_t>{4, 4, 9});
  npz.add("vitals", {3, 3}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  npz.add("age", {3}, std::vector<double>{50, 51, 52});
  npz.add("reward", {3}, std::vector<std::int32_t>{0, 1, 2});
  npz.add("behavior_prob", {3}, std::vector<double>{1, 1, 1});
  npz.add("target_prob", {3}, std::vector<double>{1, 1, 1});
  npz.add("note", {1, 1, 1}, std::vector<double>{0});  // no column
  npz.finish();
  const ReadResult result = read_npz(path, {.episode = "stay", .state = {"vitals_2", "age", "vitals_0"}});
  EXPECT_EQ(std::get<DenseStates>(result.data.states()).values, (std::vector<double>{3, 50, 1, 6, 51, 4, 9, 52, 7}));
  EXPECT_EQ(result.data.episode_name(1), "9");
  EXPECT_THAT(result.summary.ignored, ::testing::ElementsAre("vitals_1"));
}

TEST(NpzLogs, WhatIsWrongIsSaidWithItsPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.npz");
  const auto error_of = [&](const std::vector<double>& reward, const std::vector<double>& terminated) {
    NpzWriter npz(path);
    npz.add("episode", {2}, std::vector<std::int64_t>{1, 1});
    npz.add("state", {2}, std::vector<std::int64_t>{1, 1});
    npz.add("reward", {static_cast<std::int64_t>(reward.size())}, reward);
    npz.add("terminated", {2}, terminated);
    npz.add("behavior_prob", {2}, std::vector<double>{1, 1});
    npz.add("target_prob", {2}, std::vector<double>{1, 1});
    npz.finish();
    try {
      read_npz(path);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of({1, 2}, {0, 1}), "no error");
  EXPECT_THAT(error_of({1, 2, 3}, {0, 1}), AllOf(HasSubstr("a.npz"), HasSubstr("has 2 rows, but reward has 3")));
  EXPECT_THAT(error_of({1, 2}, {0, 0.5}), AllOf(HasSubstr("terminated"), HasSubstr("row 1"), HasSubstr("0.5")));
  EXPECT_THAT(error_of({1, std::nan("")}, {0, 1}), HasSubstr("reward"));  // not a final state: it has probabilities
}

TEST(NpzLogs, AFailedWriteLeavesTheOldFile) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_npz(Dataset(small()), folder.path("no/such/folder.npz")), FileError);
  EXPECT_THROW(write_npz(Dataset(small()), folder.path()), FileError);
  EXPECT_THROW(write_npz(Dataset(small()), "/dev/full"), FileError);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace starope::io
