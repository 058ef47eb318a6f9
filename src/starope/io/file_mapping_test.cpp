#include "starope/io/file_mapping.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

std::unique_ptr<FileMapping> mapped(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto mapping = FileMapping::of(descriptor, static_cast<std::size_t>(std::filesystem::file_size(path)));
  ::close(descriptor);
  return mapping;
}

TEST(FileMapping, ShowsTheFile) {
  const starope::testing::TemporaryFolder folder;
  const std::string content(20'000, 'x');
  const auto mapping = mapped(folder.write("a", content));
  ASSERT_NE(mapping, nullptr);
  EXPECT_EQ(std::string(mapping->data(), mapping->size()), content);
  EXPECT_FALSE(mapping->was_cut());
}

// Without its handler this test ends with SIGBUS.
TEST(FileMapping, WhatBecomesShorterReadsAsZeros) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", std::string(100'000, 'x'));
  const auto mapping = mapped(path), other = mapped(folder.write("b", std::string(100'000, 'y')));
  std::filesystem::resize_file(path, 10'000);
  EXPECT_EQ(mapping->data()[9'999], 'x');
  EXPECT_EQ(mapping->data()[50'000], '\0');
  EXPECT_EQ(mapping->data()[99'999], '\0');
  EXPECT_TRUE(mapping->was_cut());
  EXPECT_EQ(other->data()[99'999], 'y');
  EXPECT_FALSE(other->was_cut());
  // The place is free again, and the next one begins anew.
  EXPECT_FALSE(mapped(folder.write("c", "z"))->was_cut());
}

TEST(FileMappingDeathTest, OtherSignalsOfThisKindStillEndTheProcess) {
  const starope::testing::TemporaryFolder folder;
  const auto before = ::signal(SIGBUS, SIG_DFL);  // sanitizers have a handler of their own
  {
    const auto mapping = mapped(folder.write("a", "x"));
    EXPECT_EXIT(::raise(SIGBUS); ::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
  }
  ::signal(SIGBUS, before);
}

TEST(FileMapping, TheHandlerIsThereAsLongAsAFileIsMapped) {
  const auto handler = [] {
    struct sigaction now {};
    ::sigaction(SIGBUS, nullptr, &now);
    return now.sa_sigaction;
  };
  const auto before = handler();
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", "x");
  auto one = mapped(path), two = mapped(path);
  const auto during = handler();
  EXPECT_NE(during, before);
  one.reset();
  EXPECT_EQ(handler(), during);
  // Somebody else's handler, put over ours, stays.
  struct sigaction theirs {};
  theirs.sa_sigaction = [](int, siginfo_t*, void*) {};
  theirs.sa_flags = SA_SIGINFO;
  struct sigaction ours {};
  ::sigaction(SIGBUS, &theirs, &ours);
  two.reset();
  EXPECT_EQ(handler(), theirs.sa_sigaction);
  ::sigaction(SIGBUS, &ours, nullptr);
  mapped(path).reset();
  EXPECT_EQ(handler(), before);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(FileMapping::of(nothing, 0), nullptr);
  ::close(nothing);
  EXPECT_EQ(handler(), before);
}

TEST(FileMapping, ManyAtOnceAreRefusedNotForgotten) {
  const starope::testing::TemporaryFolder folder;
  const std::string path = folder.write("a", "x");
  std::vector<std::unique_ptr<FileMapping>> all;
  while (auto next = mapped(path)) all.push_back(std::move(next));
  EXPECT_EQ(all.size(), 256U);
  all.pop_back();
  EXPECT_NE(mapped(path), nullptr);
}

}  // namespace
}  // namespace starope::io
