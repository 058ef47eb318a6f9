#include "starope/io/zip_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/base/error.hpp"
#include "starope/io/testing_zip.hpp"

namespace starope::io {
namespace {

using starope::testing::make_zip;
using starope::testing::ZipMember;
using ::testing::HasSubstr;

std::string unpack(const ZipEntry& entry, std::size_t piece = 7) {
  ZipEntryReader reader(entry, "x.zip");
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
    unpack(archive.entries().front());
  } catch (const DataError& error) {
    return error.problem();
  }
  return {.code = "no error"};
}

const std::string text = [] {
  std::string s;
  for (int i = 0; i < 2000; ++i) s += std::to_string(i * i % 97) + " ";
  return s;
}();

TEST(ZipArchive, UnpacksStoredAndDeflatedMembers) {
  for (const bool zip64 : {false, true}) {
    const std::string bytes = make_zip({{.name = "a", .content = text, .zip64 = zip64},
                                        {.name = "b", .content = text, .deflated = true, .zip64 = zip64},
                                        {.name = "empty", .content = "", .deflated = true}},
                                       zip64, zip64 ? "a comment" : "");
    const ZipArchive archive(bytes, "x.zip");
    ASSERT_EQ(archive.entries().size(), 3u);
    EXPECT_EQ(unpack(*archive.find("a")), text);
    EXPECT_EQ(unpack(*archive.find("b")), text);
    EXPECT_EQ(unpack(*archive.find("b"), 1 << 20), text);
    EXPECT_EQ(unpack(*archive.find("b"), 1), text);
    EXPECT_EQ(unpack(*archive.find("empty")), "");
    EXPECT_LT(archive.find("b")->packed.size(), text.size() / 2);
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
    m.content = text;
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
      {{.name = "a", .content = text, .deflated = true, .zip64 = true, .size_change = std::int64_t{1} << 50}}));
  EXPECT_EQ(problem.code, "damaged_zip");
  EXPECT_THAT(problem.rule, HasSubstr("cannot hold"));
}

TEST(ZipArchive, RefusesOnePartOfSeveral) {
  std::string bytes = make_zip({{.name = "a", .content = text}});
  bytes[bytes.size() - 22 + 4] = 1;  // this is disk 1
  EXPECT_EQ(problem_of(bytes).code, "split_zip");
}

TEST(ZipArchive, EveryCutAndEveryFlippedByteIsNoticedOrHarmless) {
  for (const bool zip64 : {false, true}) {
    const std::string content = text.substr(0, 300);
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
          for (const ZipEntry& entry : archive.entries()) EXPECT_EQ(unpack(entry, 64), content) << i;
        } catch (const DataError&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace starope::io
