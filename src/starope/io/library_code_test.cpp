#include "starope/io/library_code.hpp"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#endif

namespace starope::io {
namespace {

TEST(LibraryCode, OfNoLibraryIsNothing) {
  release_code_around(nullptr);
  const int here = 0;
  release_code_around(&here);
}

#ifdef __linux__

// Kilobytes of the mapping with this address that are in memory.
std::int64_t resident(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t dash = line.find('-');
    if (line.find(':') > line.find(' ') && dash != std::string::npos)
      inside = std::stoull(line, nullptr, 16) <= at && at < std::stoull(line.substr(dash + 1), nullptr, 16);
    if (inside && line.substr(0, 4) == "Rss:") return std::stoll(line.substr(4));
  }
  return -1;
}

TEST(LibraryCode, IsReadAgainWhenItIsCalled) {
  auto* const function = reinterpret_cast<const void*>(&::testing::internal::EqFailure);  // of the library of tests
  const std::int64_t before = resident(function);
  ASSERT_GT(before, 0);
  release_code_around(function);
  EXPECT_LT(resident(function), before);
  EXPECT_FALSE(::testing::internal::EqFailure("a", "b", "1", "2", false));
}

#endif

}  // namespace
}  // namespace starope::io
