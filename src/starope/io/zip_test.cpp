#include "starope/io/zip.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_zip.hpp"

namespace starope::io {
namespace {

using starope::testing::content_of;
using starope::testing::make_zip;
using starope::testing::TemporaryFolder;
using starope::testing::ZipMember;
using ::testing::HasSubstr;

std::string unpack(const ZipArchive& archive, const ZipEntry& entry, std::size_t piece = 7) {
  ZipEntryReader reader = archive.open(entry);
  std::string content;
  std::vector<std::byte> buffer(piece);
  for (std::size_t got = reader.read(buffer); got > 0; got = reader.read(buffer))
    content.append(reinterpret_cast<const char*>(buffer.data()), got);
  return content;
}

// What reading the first member of the archive complains about.
DataError::Problem problem_of(const std::string& bytes) {
  try {
    const ZipArchive archive(bytes, "x.zip");
    unpack(archive, archive.entries().front());
  } catch (const DataError& error) {
    return error.problem();
  }
  return {.code = "no error"};
}

const std::string long_text = [] {
  std::string s;
  for (int i = 0; i < 2000; ++i) s += std::to_string(i * i % 97) + " ";
  return s;
}();

TEST(ZipArchive, UnpacksStoredAndDeflatedMembers) {
  for (const bool zip64 : {false, true}) {
    const std::string bytes = make_zip({{.name = "a", .content = long_text, .zip64 = zip64},
                                        {.name = "b", .content = long_text, .deflated = true, .zip64 = zip64},
                                        {.name = "empty", .content = "", .deflated = true}},
                                       zip64, zip64 ? "a comment" : "");
    const ZipArchive archive(bytes, "x.zip");
    ASSERT_EQ(archive.entries().size(), 3u);
    EXPECT_EQ(unpack(archive, *archive.find("a")), long_text);
    EXPECT_EQ(unpack(archive, *archive.find("b")), long_text);
    EXPECT_EQ(unpack(archive, *archive.find("b"), 1 << 20), long_text);
    EXPECT_EQ(unpack(archive, *archive.find("b"), 1), long_text);
    EXPECT_EQ(unpack(archive, *archive.find("empty")), "");
    EXPECT_LT(archive.find("b")->packed_size, long_text.size() / 2);
    EXPECT_EQ(archive.find("c"), nullptr);
  }
}

TEST(ZipArchive, AnEmptyArchiveHasNoMembers) {
  EXPECT_TRUE(ZipArchive(make_zip({}), "x.zip").entries().empty());
}

TEST(ZipArchive, SaysWhatIsWrong) {
  EXPECT_EQ(problem_of("").code, "not_a_zip");
  EXPECT_EQ(problem_of("a,b,c\n1,2,3\n").code, "not_a_zip");
  EXPECT_EQ(problem_of(std::string(100'000, 'P')).code, "not_a_zip");
  const auto one = [](ZipMember m) {
    m.name = "a";
    m.content = long_text;
    return problem_of(make_zip({m}));
  };
  EXPECT_EQ(one({}).code, "no error");
  EXPECT_EQ(one({.crc_change = 1}).code, "bad_checksum");
  EXPECT_EQ(one({.deflated = true, .crc_change = 1}).code, "bad_checksum");
  EXPECT_EQ(one({.flags = 1}).code, "encrypted_zip");
  EXPECT_EQ(one({.method = 12}).code, "unsupported_zip");
  EXPECT_THAT(one({.method = 12}).rule, HasSubstr("method 12"));
  EXPECT_EQ(one({.local_name = "b"}).code, "damaged_zip");
  EXPECT_EQ(one({.size_change = 1}).code, "damaged_zip");
  EXPECT_EQ(one({.deflated = true, .size_change = 1}).code, "damaged_zip");
  EXPECT_EQ(one({.deflated = true, .size_change = -1}).code, "damaged_zip");
  EXPECT_EQ(one({.method = 8}).code, "damaged_zip");  // text is no deflate stream
  EXPECT_EQ(one({.crc_change = 1}).at.file, "x.zip");
  EXPECT_EQ(one({.crc_change = 1}).at.column, "a");
}

TEST(ZipArchive, RefusesSizesThatCannotBe) {
  // Nothing of this size is ever allocated.
  const auto problem = problem_of(make_zip(
      {{.name = "a", .content = long_text, .deflated = true, .zip64 = true, .size_change = std::int64_t{1} << 50}}));
  EXPECT_EQ(problem.code, "damaged_zip");
  EXPECT_THAT(problem.rule, HasSubstr("cannot hold"));
}

TEST(ZipArchive, RefusesWhatWouldUnpackToTooMuch) {
  const std::string bytes = make_zip({{.name = "a", .content = std::string(600, '0'), .deflated = true},
                                      {.name = "b", .content = std::string(600, '0'), .deflated = true}});
  EXPECT_EQ(ZipArchive(bytes, "x.zip", {.times_the_file = 1, .always = 1200}).entries().size(), 2U);
  try {
    const ZipArchive refused(bytes, "x.zip", {.times_the_file = 1, .always = 1199});
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "too_large");
    EXPECT_EQ(error.problem().at.column, "b");
  }
}

TEST(ZipArchive, LargeFilesMayUnpackToMore) {
  EXPECT_EQ(most_unpacked(0), std::uint64_t{1} << 28);
  EXPECT_EQ(most_unpacked(390'000), std::uint64_t{1} << 28);
  EXPECT_EQ(most_unpacked(1'000'000'000), 300'000'000'000U);
  EXPECT_EQ(most_unpacked(std::uint64_t{1} << 60), std::numeric_limits<std::uint64_t>::max());
}

TEST(ZipArchive, RefusesOnePartOfSeveral) {
  std::string bytes = make_zip({{.name = "a", .content = long_text}});
  bytes[bytes.size() - 22 + 4] = 1;  // this is disk 1
  EXPECT_EQ(problem_of(bytes).code, "split_zip");
}

TEST(ZipArchive, EveryCutAndEveryFlippedByteIsNoticedOrHarmless) {
  for (const bool zip64 : {false, true}) {
    const std::string content = long_text.substr(0, 300);
    const std::string good = make_zip({{.name = "a", .content = content, .deflated = true, .zip64 = zip64}}, zip64);
    for (std::size_t size = 0; size < good.size(); ++size)
      EXPECT_NE(problem_of(good.substr(0, size)).code, "no error") << size;
    for (std::size_t i = 0; i < good.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xff}) {
        std::string bad = good;
        bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ change);
        try {
          const ZipArchive archive(bad, "x.zip");
          // The directory may claim to be empty; what is there must be right.
          for (const ZipEntry& entry : archive.entries()) EXPECT_EQ(unpack(archive, entry, 64), content) << i;
        } catch (const DataError&) {
        }
      }
    }
  }
}

// Gives the content in pieces of whatever size it is asked for.
void add_text(ZipWriter& zip, const std::string& name, const std::string& content) {
  zip.add(name, content.size(), [content, done = std::size_t{0}](std::span<std::byte> out) mutable {
    ASSERT_LE(done + out.size(), content.size());
    std::memcpy(out.data(), content.data() + done, out.size());
    done += out.size();
  });
}

std::string noise(std::size_t size) {
  std::string s;
  std::uint32_t x = 1;
  for (std::size_t i = 0; i < size; ++i)
    s += static_cast<char>(static_cast<unsigned char>((x = x * 1664525 + 1013904223) >> 24));
  return s;
}

TEST(ZipWriter, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  const std::string regular(500'000, 'r'), irregular = noise(300'000);
  ZipWriter zip(folder.path("a.zip"));
  add_text(zip, "regular", regular);
  add_text(zip, "irregular", irregular);
  add_text(zip, "empty", "");
  zip.finish();
  const std::string bytes = content_of(folder.path("a.zip"));
  const ZipArchive archive(bytes, "a.zip");
  ASSERT_EQ(archive.entries().size(), 3u);
  EXPECT_EQ(unpack(archive, *archive.find("regular"), 1 << 20), regular);
  EXPECT_EQ(unpack(archive, *archive.find("irregular")), irregular);
  EXPECT_EQ(unpack(archive, *archive.find("empty")), "");
  EXPECT_LT(archive.find("regular")->packed_size, 2000u);
}

TEST(ZipWriter, TheSameContentGivesTheSameBytesAtAnyTime) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    ZipWriter zip(folder.path(name));
    add_text(zip, "x", noise(10'000));
    zip.finish();
  }
  EXPECT_EQ(content_of(folder.path("a")), content_of(folder.path("b")));
  // Local header: the time of writing is midnight of 1980-01-01, the first that the format knows.
  EXPECT_EQ(content_of(folder.path("a")).substr(10, 4), std::string("\x00\x00\x21\x00", 4));
}

TEST(ZipWriter, AnUnfinishedArchiveLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.zip", "old");
  {
    ZipWriter zip(path);
    add_text(zip, "x", noise(1000));
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(ZipWriter, AnErrorOfTheContentIsTheCallersAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.zip", "old");
  {
    ZipWriter zip(path);
    add_text(zip, "x", noise(100'000));
    zip.add("y", 1, [](std::span<std::byte>) { throw std::runtime_error("no more"); });
    EXPECT_THROW(zip.finish(), std::runtime_error);
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(ZipWriter, RefusesTwoMembersOfOneName) {
  const TemporaryFolder folder;
  ZipWriter zip(folder.path("a.zip"));
  add_text(zip, "x", "1");
  EXPECT_THROW(add_text(zip, "x", "2"), InvalidArgument);
}

TEST(ZipWriter, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(ZipWriter(folder.path("no/such/folder.zip")), FileError);
}

TEST(ZipWriter, ManyMembersNeedTheLargeDirectory) {
  const TemporaryFolder folder;
  ZipWriter zip(folder.path("a.zip"));
  for (int i = 0; i < 66'000; ++i) add_text(zip, std::to_string(i), "");
  zip.finish();
  const std::string bytes = content_of(folder.path("a.zip"));
  const ZipArchive archive(bytes, "a.zip");
  EXPECT_EQ(archive.entries().size(), 66'000u);
  EXPECT_EQ(archive.entries().back().name, "65999");
}

}  // namespace
}  // namespace starope::io
