#include "starope/io/packed_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/duckdb.hpp"
#include "starope/io/testing_duckdb.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// "hello\n", by gzip.
constexpr unsigned char hello[] = {0x1f, 0x8b, 8,    0, 0, 0,    0,    0,    0,    3, 0xcb, 0x48, 0xcd,
                                   0xc9, 0xc9, 0xe7, 2, 0, 0x20, 0x30, 0x3a, 0x36, 6, 0,    0,    0};
const std::string gzipped(reinterpret_cast<const char*>(hello), sizeof(hello));

TEST(PackedFile, OtherFilesPass) {
  const starope::testing::TemporaryFolder folder;
  for (const char* text : {"", "episode,reward\n1,2\n", "\x1f", "(\xb5/"})
    EXPECT_NO_THROW(expect_whole(folder.write("x", text)));
  EXPECT_NO_THROW(expect_whole(folder.path("none")));
}

TEST(PackedFile, GzipIsUnpackedToItsEnd) {
  const starope::testing::TemporaryFolder folder;
  const auto expect = [&](const std::string& bytes, const char* says) {
    EXPECT_THAT([&] { expect_whole(folder.write("x.gz", bytes)); }, ThrowsMessage<DataError>(HasSubstr(says)));
  };
  EXPECT_NO_THROW(expect_whole(folder.write("x.gz", gzipped)));
  EXPECT_NO_THROW(expect_whole(folder.write("x.gz", gzipped + gzipped)));                 // two members
  EXPECT_NO_THROW(expect_whole(folder.write("x.gz", gzipped + std::string(512, '\0'))));  // filled up
  for (std::size_t size = 2; size < gzipped.size(); ++size) expect(gzipped.substr(0, size), "ends too early");
  expect(gzipped + gzipped.substr(0, 9), "ends too early");
  std::string other = gzipped;
  other[19] = 'x';  // of the checksum
  expect(other, "is damaged");
}

class PackedFileOfDuckDb : public starope::testing::DuckDbTest {};

// What DuckDB packed, some of it larger than a piece: whole it passes, and cut anywhere it does not.
TEST_F(PackedFileOfDuckDb, ZstdIsFollowedToItsEnd) {
  const starope::testing::TemporaryFolder folder;
  for (const char* rows : {"0", "1", "10", "400000"}) {
    for (const char* how : {"zstd", "gzip"}) {
      const std::string path = folder.path("x.csv.packed");
      DuckDb({}).run("COPY (SELECT hash(range) AS h FROM range(" + std::string(rows) + ")) TO " + sql_text(path) +
                         " (FORMAT csv, COMPRESSION " + how + ")",
                     path);
      EXPECT_NO_THROW(expect_whole(path)) << rows << how;
      const std::string whole = starope::testing::content_of(path);
      for (const double share : {0.3, 0.5, 0.9, 1.0}) {
        const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size() - 1));
        if (size < 5) continue;
        const std::string part = folder.write("cut", whole.substr(0, size));
        EXPECT_THROW(expect_whole(part), DataError) << rows << how << share;
      }
    }
  }
}

}  // namespace
}  // namespace starope::io
