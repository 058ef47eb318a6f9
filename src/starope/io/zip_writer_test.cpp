#include "starope/io/zip_writer.hpp"

#include <gtest/gtest.h>

#include "starope/base/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/zip_reader.hpp"

namespace starope::io {
namespace {

using starope::testing::content_of;
using starope::testing::TemporaryFolder;

void add(ZipWriter& zip, const std::string& name, const std::string& content, std::size_t piece) {
  zip.begin(name);
  for (std::size_t at = 0; at < content.size(); at += piece) {
    const std::string part = content.substr(at, piece);
    zip.write(std::as_bytes(std::span(part)));
  }
  zip.end();
}

std::string unpack(const ZipArchive& archive, const std::string& name) {
  ZipEntryReader reader(*archive.find(name), archive.file());
  std::string content(archive.find(name)->size, '\0');
  EXPECT_EQ(reader.read(std::as_writable_bytes(std::span(content))), content.size());
  return content;
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
  add(zip, "regular", regular, 100'000);
  add(zip, "irregular", irregular, 999);
  add(zip, "empty", "", 1);
  zip.finish();
  const std::string bytes = content_of(folder.path("a.zip"));
  const ZipArchive archive(bytes, "a.zip");
  ASSERT_EQ(archive.entries().size(), 3u);
  EXPECT_EQ(unpack(archive, "regular"), regular);
  EXPECT_EQ(unpack(archive, "irregular"), irregular);
  EXPECT_EQ(unpack(archive, "empty"), "");
  EXPECT_LT(archive.find("regular")->packed.size(), 2000u);
}

TEST(ZipWriter, TheSameContentGivesTheSameBytesHoweverItArrives) {
  const TemporaryFolder folder;
  for (const std::size_t piece : {1000u, 64u}) {
    ZipWriter zip(folder.path(std::to_string(piece)));
    add(zip, "x", noise(10'000), piece);
    zip.finish();
  }
  EXPECT_EQ(content_of(folder.path("1000")), content_of(folder.path("64")));
}

TEST(ZipWriter, AnUnfinishedArchiveIsNotReadable) {
  const TemporaryFolder folder;
  {
    ZipWriter zip(folder.path("a.zip"));
    add(zip, "x", noise(1000), 1000);
  }
  const std::string bytes = content_of(folder.path("a.zip"));
  EXPECT_THROW(ZipArchive(bytes, "a.zip"), DataError);
}

TEST(ZipWriter, SaysWhereItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(ZipWriter(folder.path("no/such/folder.zip")), FileError);
}

TEST(ZipWriter, ManyMembersNeedTheLargeDirectory) {
  const TemporaryFolder folder;
  ZipWriter zip(folder.path("a.zip"));
  for (int i = 0; i < 66'000; ++i) {
    zip.begin(std::to_string(i));
    zip.end();
  }
  zip.finish();
  const std::string bytes = content_of(folder.path("a.zip"));
  const ZipArchive archive(bytes, "a.zip");
  EXPECT_EQ(archive.entries().size(), 66'000u);
  EXPECT_EQ(archive.entries().back().name, "65999");
}

}  // namespace
}  // namespace starope::io
