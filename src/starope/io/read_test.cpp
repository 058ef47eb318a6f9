#include "starope/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_logs.hpp"
#include "starope/problem.hpp"
#include "starope/rng/random.hpp"
#include "support/test_data.hpp"

namespace starope::io {
namespace {

using ::starope::testing::expect_equal;
using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Read, TheExtensionTellsTheFormat) {
  const TemporaryFolder folder;
  const std::string csv = "episode,state,reward,behavior_prob,target_prob\na,1,0,1,1\n";
  std::string tsv = csv;
  std::replace(tsv.begin(), tsv.end(), ',', '\t');
  for (const char* name : {"a.csv", "a.CSV", "a"}) EXPECT_EQ(read(folder.write(name, csv)).data.steps(), 1) << name;
  EXPECT_EQ(read(folder.write("a.tsv", tsv)).data.steps(), 1);
  EXPECT_EQ(read(folder.write("a.txt", csv)).data.steps(), 1);  // where the name says nothing, the first line does
  EXPECT_EQ(read(folder.write("a.log", tsv)).data.steps(), 1);
  for (const char* name : {"a.ods", "a.xlsx"}) {
    try {
      read(folder.write(name, std::string("\xD0\xCF\x11\xE0\0,", 6)));
      FAIL() << name;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(name), HasSubstr("cannot be read"), HasSubstr(".csv")));
    }
  }
  EXPECT_THROW(read(folder.path()), FileError);
  for (const char* name : {"missing.csv", "missing.txt", "missing.npz", "missing"}) {
    EXPECT_THAT([&] { read(folder.path(name)); },
                ::testing::ThrowsMessage<FileError>(AllOf(HasSubstr(name), HasSubstr("there is no such file"))));
  }
}

TEST(ReadBytes, GivesWhatTheFileWithTheseBytesGives) {
  const TemporaryFolder folder;
  const Dataset data = starope::testing::random_logs({.final_states = 0.5}, Seed{4});
  const auto bytes_of = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  write_csv(data, folder.path("a.csv"));
  write_npz(data, folder.path("a.npz"));
  for (const char* name : {"a.csv", "a.npz"}) {
    const ReadResult there = read_bytes(bytes_of(folder.path(name)), name);
    expect_equal(there.data, data);
    EXPECT_EQ(there.summary.file, name);
  }
  std::string tsv = bytes_of(folder.path("a.csv"));
  std::replace(tsv.begin(), tsv.end(), ',', '\t');
  expect_equal(read_bytes(tsv, "a.tsv").data, data);
  expect_equal(read_bytes(tsv, "a.txt").data, data);  // what it contains tells more than its name
  EXPECT_THROW(read_bytes("a text\nwithout columns\n", "a.docx"), FileError);
  try {
    read_bytes("episode,state,reward,behavior_prob,target_prob\na,1,zero,1,1\n", "made up");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("made up"), HasSubstr("row 2")));
  }
}

// ---- the same logs in any notation ----------------------------------------------------------------------------------

// Rewrites a canonical CSV in another style that means the same.
std::string restyled(const std::string& canonical, Random& random) {
  const bool crlf = random.below(2) == 0;
  const bool quotes = random.below(2) == 0;
  std::string text = random.below(2) == 0 ? "\xEF\xBB\xBF" : "";
  std::string cell;
  const auto finish_cell = [&] {
    const bool quote = quotes && random.below(4) == 0;
    const bool blanks = !quote && random.below(6) == 0;
    text += quote ? "\"" + cell + "\"" : blanks ? " " + cell + "\t" : cell;
    cell.clear();
  };
  for (const char c : canonical) {
    if (c != ',' && c != '\n') {
      cell += c;
      continue;
    }
    finish_cell();
    text += c == ',' ? "," : crlf ? "\r\n" : "\n";
  }
  const auto end = random.below(3);
  if (end == 0) text.erase(text.find_last_not_of("\r\n") + 1);
  if (end == 1) text += "\n\r\n\n";
  return text;
}

TEST(ReadProperty, StyleChunksAndThreadsChangeNothing) {
  const TemporaryFolder folder;
  for (std::uint64_t item = 0; item < 25; ++item) {
    Random random(Seed{3}, Stream::test_data, item);
    const Dataset data = starope::testing::random_logs({.episodes = 1 + static_cast<std::int64_t>(random.below(20)),
                                                        .longest = 6,
                                                        .discrete_states = item % 2 == 0 ? 4 : 0,
                                                        .final_states = 0.5},
                                                       Seed{item});
    std::string canonical;
    write_csv(data, TextSink([&](std::string_view piece) { canonical += piece; }));
    const std::string path = folder.write("a.csv", restyled(canonical, random));
    for (const std::int64_t chunk_bytes : {1, 50, 1 << 20}) {
      for (int threads = 1; threads <= 4; ++threads) {
        expect_equal(read(path, {.threads = Threads(threads), .chunk_bytes = chunk_bytes}).data, data);
      }
    }
  }
}

// The outcome as a text: of the data their canonical form, or the error.
std::string outcome(const std::string& path, const ReadOptions& options) {
  try {
    std::string text;
    write_csv(read(path, options).data, TextSink([&](std::string_view piece) { text += piece; }));
    return text;
  } catch (const Error& error) {
    return std::string("error ") + error.code() + ": " + error.what();
  }
}

TEST(ReadProperty, DamagedFilesReadOrFailAlikeAndNeverCrash) {
  const TemporaryFolder folder;
  const Dataset data =
      starope::testing::random_logs({.episodes = 6, .longest = 4, .discrete_states = 3, .final_states = 0.7}, Seed{5});
  std::string canonical;
  write_csv(data, TextSink([&](std::string_view piece) { canonical += piece; }));
  const std::string alphabet = "0123456789.,,,\n\n\"\"\r-+eE nai_tx\t\\;\xEF\xBB\xBF\xFF";
  int errors = 0;
  int readable = 0;
  for (std::uint64_t item = 0; item < 3000; ++item) {
    Random random(Seed{9}, Stream::test_data, item);
    std::string damaged = item % 3 == 0 ? restyled(canonical, random) : canonical;
    const std::uint64_t changes = 1 + random.below(4);
    for (std::uint64_t k = 0; k < changes && !damaged.empty(); ++k) {
      const std::size_t at = random.below(damaged.size());
      const char c =
          random.below(20) == 0 ? static_cast<char>(random.below(256)) : alphabet[random.below(alphabet.size())];
      switch (random.below(5)) {
        case 0:
          damaged.erase(at, 1 + random.below(8));
          break;
        case 1:
          damaged.insert(at, 1, c);
          break;
        case 2:
          damaged.insert(at, damaged.substr(at, random.below(40)));
          break;
        case 3:
          if (random.below(10) == 0) damaged.resize(at);
          break;
        default:
          damaged[at] = c;
      }
    }
    const std::string path = folder.write("a.csv", damaged);
    ReadOptions options;
    options.sort = item % 5 == 0;
    options.threads = Threads(1);
    const std::string whole = outcome(path, options);
    options.chunk_bytes = 1 + static_cast<std::int64_t>(random.below(200));
    options.threads = Threads(static_cast<int>(1 + random.below(3)));
    EXPECT_EQ(outcome(path, options), whole) << damaged;
    ++(whole.starts_with("error ") ? errors : readable);
  }
  // Both must happen, or the test tests one side only.
  EXPECT_GT(errors, 300);
  EXPECT_GT(readable, 100);
}

// ---- files made by others -------------------------------------------------------------------------------------------

TEST(Golden, LogsOfAllDomainsAreReadAndWrittenBack) {
  const TemporaryFolder folder;
  const struct {
    const char* name;
    std::int64_t dimension;  // 0: discrete
    std::int32_t actions;
  } domains[] = {{"cartpole", 4, 2}, {"asterix", 0, 0}, {"sepsis", 0, 25}};
  for (const auto& domain : domains) {
    const std::string log = std::string("golden/") + domain.name;
    const ReadResult result = read(starope::testing::committed_file(log + ".npz"));
    EXPECT_GT(result.data.episodes(), 10) << domain.name;
    EXPECT_TRUE(result.summary.ignored.empty()) << domain.name;
    if (domain.dimension > 0) {
      EXPECT_EQ(std::get<DenseStates>(result.data.states()).dimension, domain.dimension);
    }
    if (domain.actions > 0) {
      EXPECT_EQ(std::get<DiscreteActions>(result.data.actions()).count, domain.actions);
    }
    EXPECT_NO_THROW(make_problem(result.data)) << domain.name;
    write_csv(result.data, folder.path("back.csv"));
    expect_equal(read(folder.path("back.csv")).data, result.data);
    if (const auto original = starope::testing::shared_file(log + ".csv"))  // as another program wrote it
      expect_equal(read(*original).data, result.data);
  }
  const Dataset cartpole = read(starope::testing::committed_file("golden/cartpole.npz")).data;
  EXPECT_EQ(std::get<DenseStates>(cartpole.states()).values[4], 0.044072091579437256);
  EXPECT_EQ(cartpole.target()->values[1], 0.9);
}

}  // namespace
}  // namespace starope::io
