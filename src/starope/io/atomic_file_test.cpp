#include "starope/io/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::content_of;
using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string error_of(const std::string& path, std::size_t bytes = 1,
                     AtomicFile::Temporary how = AtomicFile::Temporary::nameless) {
  try {
    AtomicFile file(path, how);
    file.write(std::string(bytes, 'x'));
    file.commit();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

TEST(AtomicFile, AppearsWithTheCommitAndNotBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  const std::string content(1'000'000, 'x');
  {
    AtomicFile file(path);
    file.write(content);
    EXPECT_EQ(content_of(path), "old");
    file.commit();
  }
  EXPECT_EQ(content_of(path), content);
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, LeavesNothingBehindWithoutACommit) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  EXPECT_THROW(
      {
        AtomicFile file(path);
        AtomicFile other(folder.path("new"));
        file.write(std::string(1'000'000, 'x'));
        throw std::runtime_error("stop");
      },
      std::runtime_error);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, TwoWritersOfOneFileDoNotMix) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a");
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(content_of(path), "first");
  second.commit();
  EXPECT_EQ(content_of(path), "second");
}

// Who can guess the name can put a link there, and have somebody else's file overwritten.
TEST(AtomicFile, TheTemporaryNameCannotBeGuessed) {
  const TemporaryFolder folder;
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    const AtomicFile file(folder.path("a"), AtomicFile::Temporary::named);
    const std::filesystem::directory_iterator files(folder.path());
    const std::string name = files->path().filename().string();
    EXPECT_THAT(name, ::testing::MatchesRegex("a\\.[0-9a-f]{16}\\.tmp"));
    EXPECT_TRUE(names.insert(name).second);
  }
  EXPECT_EQ(folder.files(), 0U);
}

// A process that is killed runs no destructor and no handler.
TEST(AtomicFile, AKilledProcessLeavesNothingBehind) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  EXPECT_EXIT(
      {
        AtomicFile file(path);
        file.write(std::string(1'000'000, 'x'));
        ::raise(SIGKILL);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
}

// Where files must have names, a handler of signals removes them.
TEST(AtomicFile, UnfinishedFilesWithNamesCanBeRemovedFromAHandler) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  EXPECT_EXIT(
      {
        std::signal(SIGTERM, [](int) {
          AtomicFile::remove_unfinished();
          ::_exit(7);
        });
        AtomicFile file(path, AtomicFile::Temporary::named);
        const AtomicFile other(folder.path("b"), AtomicFile::Temporary::named);
        file.write(std::string(1'000'000, 'x'));
        ::raise(SIGTERM);
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.files(), 1U);
  AtomicFile::remove_unfinished();  // what is finished is not touched
  EXPECT_EQ(error_of(folder.path("c"), 1, AtomicFile::Temporary::named), "no error");
  AtomicFile::remove_unfinished();
  EXPECT_EQ(content_of(folder.path("c")), "x");
}

TEST(AtomicFile, NamedAndNamelessFilesEndAlike) {
  const TemporaryFolder folder;
  for (const auto how : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const std::string path = folder.write("a", "old");
    EXPECT_EQ(error_of(path, 600'000, how), "no error");
    EXPECT_EQ(content_of(path), std::string(600'000, 'x'));
    EXPECT_EQ(folder.files(), 1U);
    EXPECT_THAT(error_of(folder.path("no/such/a"), 1, how), HasSubstr("does not exist"));
  }
}

TEST(AtomicFile, GoesBackToChangeWhatIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a");
  AtomicFile file(path);
  file.write(std::string(600'000, 'x'));
  EXPECT_EQ(file.position(), 600'000U);
  file.seek(2);
  file.write("yy");
  EXPECT_EQ(file.position(), 4U);
  file.seek(600'000);
  file.write("end");
  file.commit();
  const std::string content = content_of(path);
  EXPECT_EQ(content.size(), 600'003U);
  EXPECT_EQ(content.substr(0, 6), "xxyyxx");
  EXPECT_EQ(content.substr(599'998), "xxend");
}

TEST(AtomicFile, KeepsThePermissionsAndFollowsLinks) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  const std::string link = folder.path("link");
  std::filesystem::create_symlink("a", link);
  EXPECT_EQ(error_of(link), "no error");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(path), "x");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(AtomicFile, WritesToWhatIsNoRegularFileDirectly) {
  EXPECT_EQ(error_of("/dev/null", 10'000'000), "no error");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr(folder.path()), HasSubstr("directory")));
  EXPECT_THAT(error_of(folder.path("no/such/a")), AllOf(HasSubstr("no/such/a"), HasSubstr("does not exist")));
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));
  EXPECT_THAT(error_of("/dev/full", 1), AllOf(HasSubstr("/dev/full"), HasSubstr("disk is full")));  // at the commit
  EXPECT_THAT(error_of("/dev/full", 10'000'000), HasSubstr("disk is full"));                        // while writing
}

TEST(AtomicFile, SaysThatAFolderOrFileMayNotBeWritten) {
  const TemporaryFolder folder;
  const starope::testing::AsOrdinaryUser nobody(folder);
  const std::string path = folder.write("a", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_THAT(error_of(path), HasSubstr("may not be written"));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0555), 0);
  EXPECT_THAT(error_of(folder.path("b")), HasSubstr("may not be written"));
}

// A library that is told a name writes what commit() puts in place.
TEST(AtomicFile, OthersCanWriteItByAName) {
  const TemporaryFolder folder;
  for (const auto how : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const std::string path = folder.path("a.txt");
    AtomicFile file(path, how);
    {
      std::ofstream other(file.open_elsewhere());
      other << "by another";
      ASSERT_TRUE(other.good());
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
    EXPECT_EQ(content_of(path), "by another");
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace starope::io
