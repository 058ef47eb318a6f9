#include "starope/io/csv_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Scanned {
  TemporaryFolder folder{};
  InputFile file;
  CsvLayout layout;

  explicit Scanned(std::string_view content, const CsvOptions& options = {})
      : file(folder.write("a.csv", content)), layout(scan_csv(file, options)) {}

  // Row by row if the chunks are that small: the bytes of every chunk.
  std::vector<std::string> chunks() const {
    std::vector<std::string> all;
    for (const CsvChunk& chunk : layout.chunks) all.emplace_back(chunk.bytes);
    return all;
  }
};

CsvOptions tiny_chunks(int threads = 1) {
  CsvOptions options;
  options.chunk_bytes = 1;
  options.threads = Threads(threads);
  return options;
}

std::string error_of(std::string_view content) {
  try {
    const Scanned scanned(content);
  } catch (const DataError& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

TEST(CsvLayout, FindsHeaderAndRowsForAllLineEnds) {
  for (const char* content : {"a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4\r\n", "a,b\n1,2\n3,4", "a,b\r\n1,2\r\n3,4",
                              ("\xEF\xBB\xBF"
                               "a,b\n1,2\n3,4\n"),
                              "a,b\n1,2\n3,4\n\n\r\n\n", "a, b \n1,2\n3,4\n\n"}) {
    const Scanned scanned(content, tiny_chunks());
    EXPECT_THAT(scanned.layout.names, ElementsAre("a", "b")) << content;
    EXPECT_EQ(scanned.layout.fields, 2);
    EXPECT_EQ(scanned.layout.rows, 2) << content;
    ASSERT_EQ(scanned.layout.chunks.size(), 2U) << content;
    EXPECT_EQ(scanned.layout.chunks[1].first_row, 1);
    EXPECT_EQ(scanned.layout.file_row(1), 3);
    for (const CsvChunk& chunk : scanned.layout.chunks) EXPECT_EQ(chunk.bytes.back(), '\n');
  }
}

TEST(CsvLayout, AQuotedNewlineEndsNoRecord) {
  const Scanned scanned("a,b\n\"x\ny\",\"q\"\"\n\"\"\"\n2,\"\"\n3,4", tiny_chunks(3));
  EXPECT_TRUE(scanned.layout.quoted);
  EXPECT_THAT(scanned.chunks(), ElementsAre("\"x\ny\",\"q\"\"\n\"\"\"\n", "2,\"\"\n", "3,4\n"));
  EXPECT_EQ(scanned.layout.rows, 3);
}

TEST(CsvLayout, QuotesInTheHeaderAloneCostNothing) {
  const Scanned scanned("\"a \"\"x\"\"\",\"b\nc\"\r\n1,2\n");
  EXPECT_THAT(scanned.layout.names, ElementsAre("a \"x\"", "b\nc"));
  EXPECT_FALSE(scanned.layout.quoted);
  EXPECT_EQ(scanned.layout.rows, 1);
}

TEST(CsvLayout, ChunksHoldAboutTheBytesAskedFor) {
  std::string content = "a\n";
  for (int i = 0; i < 1000; ++i) content += std::to_string(i) + "\n";
  CsvOptions options;
  options.chunk_bytes = 100;
  const Scanned scanned(content, options);
  EXPECT_EQ(scanned.layout.rows, 1000);
  EXPECT_GT(scanned.layout.chunks.size(), 30U);
  std::string together = "a\n";
  std::int64_t row = 0;
  for (const CsvChunk& chunk : scanned.layout.chunks) {
    EXPECT_EQ(chunk.first_row, row);
    row += chunk.rows;
    EXPECT_LT(chunk.bytes.size(), 105U);
    together += chunk.bytes;
  }
  EXPECT_EQ(together, content);
}

TEST(CsvLayout, AnOpenQuoteIsKeptForTheParserToReport) {
  const Scanned scanned("a,b\n1,2\n3,\"4\n5,6\n", tiny_chunks());
  EXPECT_EQ(scanned.layout.rows, 1);
  EXPECT_EQ(scanned.layout.unterminated, "3,\"4\n5,6\n");
  EXPECT_THAT(scanned.chunks(), ElementsAre("1,2\n"));
}

TEST(CsvLayout, KnowsWhetherNumbersHaveAHeader) {
  CsvOptions options;
  options.header = CsvOptions::Header::automatic;
  const Scanned bare("1,2.5\n3,-4\n", options);
  EXPECT_FALSE(bare.layout.has_header);
  EXPECT_EQ(bare.layout.rows, 2);
  EXPECT_EQ(bare.layout.fields, 2);
  EXPECT_EQ(bare.layout.file_row(0), 1);
  EXPECT_EQ(Scanned("5", options).layout.rows, 1);
  const Scanned named("c_0,c_1\n3,-4\n", options);
  EXPECT_THAT(named.layout.names, ElementsAre("c_0", "c_1"));
  EXPECT_EQ(named.layout.rows, 1);
}

TEST(CsvLayout, RefusesFilesWithoutData) {
  for (const char* empty : {"", "\n", "\r\n\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"})
    EXPECT_THAT(error_of(empty), AllOf(HasSubstr("empty_file: "), HasSubstr("a.csv"), HasSubstr("is empty"))) << empty;
  for (const char* header : {"a,b", "a,b\n", "a,b\r\n\r\n"})
    EXPECT_THAT(error_of(header), AllOf(HasSubstr("no_rows: "), HasSubstr("a.csv"), HasSubstr("no rows"))) << header;
}

TEST(CsvLayout, RefusesBinaryFilesWhereverTheZeroStands) {
  EXPECT_THAT(error_of(std::string_view("a\0,b\n1,2\n", 9)), AllOf(HasSubstr("binary_data"), HasSubstr("row 1")));
  std::string late = "a,b\n";
  for (int i = 0; i < 30'000; ++i) late += "1,2\n";
  late += std::string("3,\0\n", 4);
  EXPECT_THAT(error_of(late), AllOf(HasSubstr("zero byte"), HasSubstr("row 30002"), HasSubstr("UTF-8")));
}

TEST(CsvLayout, RefusesBadHeaders) {
  EXPECT_THAT(error_of("a,b,a\n1,2,3\n"), AllOf(HasSubstr("duplicate_column"), HasSubstr("'a' twice")));
  EXPECT_EQ(error_of("a,,\n1,2,3\n"), "no error");  // nobody can ask for a column without a name
  EXPECT_THAT(error_of("a,\"b\n1,2\n"), AllOf(HasSubstr("unterminated_quote"), HasSubstr("row 1")));
  EXPECT_THAT(error_of("a,b\"c\n1,2\n"), AllOf(HasSubstr("stray_quote"), HasSubstr("row 1")));
  EXPECT_THAT(error_of("a,b\r1,2\r3,4\r"), AllOf(HasSubstr("carriage return"), HasSubstr("LF or CRLF")));
}

TEST(CsvField, KnowsItsTextAndItsEnd) {
  const auto at = [](std::string_view text) { return field_at(text.data(), text.data() + text.size(), ','); };
  EXPECT_EQ(at(" x y ,z\n").text, "x y");
  EXPECT_FALSE(at("x,\n").ends_record);
  EXPECT_TRUE(at("x\r\n").ends_record);
  EXPECT_EQ(at("x\r\n").text, "x");
  EXPECT_EQ(at("\" x,\n\"\r\n").text, " x,\n");
  EXPECT_EQ(unescaped(at("\"a\"\"b\"\"\",")), "a\"b\"");
  EXPECT_EQ(*at("\"a\"\"b\",c\n").terminator, ',');
  EXPECT_TRUE(at("").ends_record);
  EXPECT_TRUE(at("\"\"").ends_record);
  EXPECT_EQ(at("\"").flaw, CsvField::Flaw::unterminated);
  EXPECT_EQ(at("\"a\"\"").flaw, CsvField::Flaw::unterminated);
  EXPECT_EQ(at("\"a\"b,").flaw, CsvField::Flaw::text_behind_quote);
  EXPECT_EQ(at("\"a\" ,").flaw, CsvField::Flaw::text_behind_quote);
  EXPECT_EQ(at("a\"b,").flaw, CsvField::Flaw::stray_quote);
}

// Newlines inside quotes end no record, an open quote keeps its record for later, and so do blank lines.
TEST(CsvLayout, FindsWhereCompleteRecordsEnd) {
  EXPECT_EQ(end_of_records(""), 0U);
  EXPECT_EQ(end_of_records("a,b"), 0U);
  EXPECT_EQ(end_of_records("a,b\nc"), 4U);
  EXPECT_EQ(end_of_records("a,b\r\nc\n"), 7U);
  EXPECT_EQ(end_of_records("a\n\n\n"), 2U);
  EXPECT_EQ(end_of_records("\n\n"), 0U);
  EXPECT_EQ(end_of_records("a\n\"x\ny\",1\nz"), 10U);
  EXPECT_EQ(end_of_records("a\n\"x\ny"), 2U);
  EXPECT_EQ(end_of_records("\"x\n\"\"y\",1\n\"\n"), 10U);
}

TEST(CsvLayout, ALaterPartHasRowsOnlyAndGoesOnCounting) {
  const CsvLayout first = scan_csv(InputFile(std::string_view("a,b\n1,2\n3,4\n"), "part"), {});
  const InputFile later(std::string_view("5,6\n\"7\",8\n\n"), "part");
  const CsvLayout part = scan_csv_part(later, first, 2, {});
  EXPECT_EQ(part.names, first.names);
  EXPECT_EQ(part.rows, 2);
  EXPECT_TRUE(part.quoted);
  EXPECT_EQ(part.file_row(0), 4);
  EXPECT_EQ(scan_csv_part(InputFile(std::string_view("\n"), "part"), first, 4, {}).rows, 0);
}

}  // namespace
}  // namespace starope::io
