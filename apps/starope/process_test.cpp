#include "process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string>

#include "starope/io/atomic_file.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::cli {
namespace {

// In a process of its own, whose exit code says what was not so.
TEST(Process, ClosedStandardDescriptorsAreOccupiedAndNeitherGiveNorTake) {
  EXPECT_EXIT(
      {
        for (const int descriptor : {0, 1, 2}) ::close(descriptor);
        occupy_standard_descriptors();
        char byte = 'x';
        if (::read(0, &byte, 1) != -1 || errno != EBADF) ::_exit(1);
        if (::write(1, &byte, 1) != -1 || errno != EBADF) ::_exit(2);
        if (::write(2, &byte, 1) != -1 || errno != EBADF) ::_exit(3);
        if (::open("/dev/null", O_RDONLY) < 3) ::_exit(4);
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Process, OpenStandardDescriptorsStayAsTheyAre) {
  EXPECT_EXIT(
      {
        ::close(0);
        ::close(2);
        const int null = ::open("/dev/full", O_WRONLY);  // becomes 0
        occupy_standard_descriptors();
        char byte = 'x';
        if (null != 0 || ::write(0, &byte, 1) != -1 || errno != ENOSPC) ::_exit(1);
        ::_exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Process, ASignalRemovesTemporaryFilesAndStillEndsTheProcess) {
  const starope::testing::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGXFSZ}) {
    EXPECT_EXIT(
        {
          remove_temporary_files_on_signals();
          const io::AtomicFile file((folder / "a").string(), io::AtomicFile::Temporary::named);
          if (std::filesystem::is_empty(folder)) ::_exit(1);
          std::raise(number);
        },
        ::testing::KilledBySignal(number), "");
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << number;
  }
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // as nohup does
        remove_temporary_files_on_signals();
        std::raise(SIGHUP);
        ::_exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace starope::cli
