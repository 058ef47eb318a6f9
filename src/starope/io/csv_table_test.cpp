#include "starope/io/csv_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/rng/random.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CsvTable, ShowsNamesAndTheFirstRow) {
  const TemporaryFolder folder;
  const CsvTable table(folder.write("a.csv", "id,x\n\"p, \"\"q\"\"\", 7 \r\nr,8\n"));
  EXPECT_THAT(table.names(), ElementsAre("id", "x"));
  EXPECT_THAT(table.first_row(), ElementsAre("p, \"q\"", "7"));
  EXPECT_EQ(table.rows(), 2);
}

// Rows are counted when the file is opened and parsed later: whatever is done to it in between is an error, not a
// crash.
TEST(CsvTable, AFileThatChangesWhileItIsReadIsAnError) {
  const TemporaryFolder folder;
  std::string rows, joined;
  for (int i = 0; i < 5'000; ++i) {
    rows += "1.5\n";
    joined += i % 2 == 0 ? "1.5 " : "1.5\n";
  }
  const auto fails_after = [&](const auto& change) {
    const std::string path = folder.write("a.csv", "x\n" + rows);
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    const CsvTable table(path);
    change(path);
    std::vector<double> numbers(5'000);
    EXPECT_THAT([&] { table.read({{.field = 0, .cells = NumberCells{.first = numbers.data(), .stride = 1}}}, ""); },
                ::testing::ThrowsMessage<FileError>(HasSubstr("while it was read")));
  };
  fails_after([](const std::string& path) { std::filesystem::resize_file(path, 100); });
  fails_after([](const std::string& path) { std::filesystem::resize_file(path, 0); });
  const auto overwrite = [](const std::string& path, const std::string& text) {
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << text;
  };
  fails_after([&](const std::string& path) { overwrite(path, "x\n" + joined); });                          // fewer rows
  fails_after([&](const std::string& path) { overwrite(path, "x\n" + std::string(rows.size(), '\n')); });  // more
  fails_after([&](const std::string& path) { overwrite(path, "x\n" + std::string(rows.size(), '1')); });   // one
  fails_after([&](const std::string& path) { overwrite(path, std::string(rows.size(), '"')); });
  fails_after([&](const std::string& path) { overwrite(path, "x\n2.5\n"); });  // the same rows with other numbers
}

// Random cells in random notation: what was meant is known, whatever the notation.
struct RandomTable {
  std::string text{};
  std::vector<std::string> ids{};
  std::vector<double> numbers{};

  RandomTable(std::uint64_t item, bool quotes) {
    Random random(Seed{11}, Stream::test_data, item);
    const bool crlf = random.below(2) == 0;
    if (random.below(2) == 0) text += "\xEF\xBB\xBF";
    text += crlf ? "id,junk,x\r\n" : "id,junk,x\n";
    const std::uint64_t rows = 1 + random.below(60);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::string odd[] = {"a,b", "two\nlines", "say \"hi\"", " ", "e"};
      std::string id = quotes && random.below(2) == 0 ? odd[random.below(5)] : std::to_string(random.below(4));
      const double number = random.normal();
      ids.push_back(id);
      numbers.push_back(number);
      text += quotes ? quoted(id) : id;
      text += quotes && random.below(2) == 0 ? ",\"x,\n\"," : ",junk,";
      const std::string written = fmt_shortest(number);
      text += quotes && random.below(3) == 0 ? quoted(written) : random.below(3) == 0 ? "  " + written : written;
      if (i + 1 < rows || random.below(2) == 0) text += crlf ? "\r\n" : "\n";
    }
    if (text.back() == '\n' && random.below(2) == 0) text += "\n\r\n";
  }

  static std::string fmt_shortest(double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    return buffer;
  }
  static std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  }
};

TEST(CsvTable, ReadsTheSameForAnyChunksAndThreads) {
  const TemporaryFolder folder;
  for (std::uint64_t item = 0; item < 60; ++item) {
    const RandomTable made(item, item % 2 == 1);
    const std::string path = folder.write("a.csv", made.text);
    for (const std::int64_t chunk_bytes : {1, 7, 64, 1'000'000}) {
      for (int threads = 1; threads <= 4; ++threads) {
        CsvOptions options;
        options.chunk_bytes = chunk_bytes;
        options.threads = Threads(threads);
        const CsvTable table(path, options);
        ASSERT_EQ(table.rows(), static_cast<std::int64_t>(made.ids.size())) << made.text;
        std::vector<double> numbers(made.ids.size());
        const CsvReading reading = table.read({WantedColumn{2, NumberCells{numbers.data()}, Blank::never, {}},
                                               WantedColumn{0, TextCells{}, Blank::never, {}}},
                                              "");
        EXPECT_EQ(numbers, made.numbers) << made.text;
        std::size_t run = 0;
        for (std::size_t i = 0; i < made.ids.size(); ++i) {
          const bool starts = i == 0 || made.ids[i] != made.ids[i - 1];
          if (!starts) continue;
          ASSERT_LT(run, reading.text.text.size());
          EXPECT_EQ(reading.text.text[run], made.ids[i]);
          EXPECT_EQ(reading.text.first_row[run], static_cast<std::int64_t>(i));
          ++run;
        }
        EXPECT_EQ(run, reading.text.text.size());
      }
    }
  }
}

TEST(CsvTable, ReportsTheFirstErrorOfTheFileForAnyChunksAndThreads) {
  const TemporaryFolder folder;
  std::string body = "a,b\n";
  for (int i = 0; i < 100; ++i) body += i == 37 || i == 38 || i == 90 ? "1,bad" + std::to_string(i) + "\n" : "1,2\n";
  const struct {
    std::string text, message;
  } cases[] = {{body, "row 39, column 'b': 'bad37'"},
               {body + "1,\"2\n", "row 39, column 'b': 'bad37'"},          // an open quote behind it
               {body + "1,x\"2,3\"\n1\n", "row 39, column 'b': 'bad37'"},  // a stray one
               {"a,b\n1,2\n1,x\"2\n1,2\n\"3\n1,2\n", "row 3, column 'b': has a quote"},
               {"a,b\n1,2\n1,\"2\n1,2\n1,2\n", "row 3, column 'b': opens a quote"},
               {"a,b\n1,\"2\n", "row 2, column 'b': opens a quote"},
               {"a,b\n1,2\n1\n1,x\n", "row 3: has 1 field"}};
  for (const auto& [text, message] : cases) {
    const std::string path = folder.write("a.csv", text);
    for (const std::int64_t chunk_bytes : {1, 5, 1'000'000}) {
      for (int threads = 1; threads <= 4; ++threads) {
        CsvOptions options;
        options.chunk_bytes = chunk_bytes;
        options.threads = Threads(threads);
        const CsvTable table(path, options);
        std::vector<double> numbers(table.rows());
        try {
          table.read({WantedColumn{1, NumberCells{numbers.data()}, Blank::never, {}}}, "");
          FAIL() << text;
        } catch (const DataError& error) {
          EXPECT_THAT(error.what(), HasSubstr(message)) << text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace starope::io
