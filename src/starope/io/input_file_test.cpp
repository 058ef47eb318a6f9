#include "starope/io/input_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::string& path) {
  try {
    const InputFile file(path);
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(InputFile, ShowsTheBytesOfAFileAlsoAfterAMove) {
  const TemporaryFolder folder;
  const std::string content = std::string("a,b\n\0x", 6);
  InputFile file(folder.write("a.csv", content));
  const std::string_view before = file.bytes();
  const InputFile moved = std::move(file);
  EXPECT_EQ(moved.bytes(), content);
  EXPECT_EQ(moved.bytes().data(), before.data());
}

TEST(InputFile, AnEmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  EXPECT_TRUE(InputFile(folder.write("a.csv", "")).bytes().empty());
}

TEST(InputFile, ReadsAPipeToItsEnd) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string content(300'000, 'x');  // more than a pipe holds at once
  std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << content; });
  EXPECT_EQ(InputFile(pipe).bytes(), content);
}

TEST(InputFile, NoticesThatAFileIsCutOrWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.csv", std::string(100'000, 'x'));
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  {
    const InputFile file(path);
    EXPECT_NO_THROW(file.expect_unchanged());
    std::filesystem::resize_file(path, 10);
    EXPECT_EQ(file.bytes()[99'999], '\0');  // and not SIGBUS
    EXPECT_THAT([&] { file.expect_unchanged(); }, ::testing::ThrowsMessage<FileError>(HasSubstr("changed or cut")));
  }
  const InputFile file(path);
  std::ofstream(path, std::ios::in | std::ios::out | std::ios::binary) << 'y';
  EXPECT_THROW(file.expect_unchanged(), FileError);
  const InputFile copied("bytes", "name");
  EXPECT_NO_THROW(copied.expect_unchanged());
}

TEST(InputFile, ADeviceThatNeverEndsIsRefused) {
  EXPECT_THAT(error_of("/dev/zero"), HasSubstr("no end in sight"));
}

TEST(InputFile, SaysWhatIsWrongWithThePath) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.path("none.csv")), AllOf(HasSubstr("none.csv"), HasSubstr("no such file")));
  EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr(folder.path()), HasSubstr("directory"), HasSubstr("/*.csv'")));
  EXPECT_THAT(error_of(folder.path("*.*")), HasSubstr("The pattern of several files ends in their kind"));
  EXPECT_THAT(error_of(folder.write("a", "") + "/b"), HasSubstr("no such file"));
}

TEST(InputFile, SaysThatAFileMayNotBeRead) {
  const TemporaryFolder folder;
  const starope::testing::AsOrdinaryUser nobody(folder);
  const std::string path = folder.write("a.csv", "x");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  EXPECT_THAT(error_of(path), HasSubstr("may not be read"));
}

TEST(InputStream, ReadsOneBehindTheOther) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", "abcdefg");
  InputStream stream(path);
  std::vector<char> bytes{'-'};
  EXPECT_EQ(stream.append(bytes, 3), 3U);
  EXPECT_EQ(stream.append(bytes, 10), 4U);
  EXPECT_EQ(stream.append(bytes, 10), 0U);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "-abcdefg");
  EXPECT_EQ(size_of_file(path), 7);
  EXPECT_EQ(size_of_file(folder.path()), std::nullopt);
  EXPECT_EQ(size_of_file(folder.path("none")), std::nullopt);
  EXPECT_THROW(InputStream(folder.path()), FileError);
  EXPECT_THROW(InputStream(folder.path("none")), FileError);
}

TEST(InputStream, SaysThatAFileWasCutOrGrew) {
  const TemporaryFolder folder;
  for (const std::uintmax_t size : {std::uintmax_t{200}, std::uintmax_t{5000}}) {
    const std::string path = folder.write("a.csv", std::string(1000, 'x'));
    InputStream stream(path);
    std::vector<char> bytes;
    EXPECT_EQ(stream.append(bytes, 100), 100U);
    std::filesystem::resize_file(path, size);
    EXPECT_THAT([&] { stream.append(bytes, 10'000); },
                ::testing::ThrowsMessage<FileError>(HasSubstr("changed or cut while it was read")));
  }
}

}  // namespace
}  // namespace starope::io
