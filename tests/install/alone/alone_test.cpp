// The parts of the core that differ where there are neither threads nor files, compiled so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "starope/error.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/input_file.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/types.hpp"

static_assert(!STAROPE_THREADS);
static_assert(!STAROPE_FILES);

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WithoutThreads, ThereIsOne) {
  EXPECT_EQ(Threads::all().count(), 1);
}

TEST(WithoutThreads, WorkIsDoneInOrderWhateverIsAskedFor) {
  std::vector<std::int64_t> seen;
  parallel_for(4, Threads{3}, [&](std::int64_t i) { seen.push_back(i); });
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
}

TEST(WithoutThreads, PartsAreMergedInOrderAndErrorsCome) {
  std::vector<int> merged;
  ordered_merge(
      3, Threads{2}, [](std::int64_t i) { return static_cast<int>(10 * i); }, [&](int&& x) { merged.push_back(x); });
  EXPECT_THAT(merged, ElementsAre(0, 10, 20));
  int next = 0;
  const auto pull = [&] { return next < 3 ? std::optional(next++) : std::nullopt; };
  ordered_merge_pulled(
      Threads{2}, pull, [](int i) { return i + 5; }, [&](int&& x) { merged.push_back(x); });
  EXPECT_THAT(merged, ElementsAre(0, 10, 20, 5, 6, 7));
  EXPECT_THROW(parallel_for(2, Threads{2}, [](std::int64_t) { throw InvalidArgument("no"); }), InvalidArgument);
}

TEST(WithoutFiles, BytesInMemoryAreFiles) {
  const io::InputFile file("a,b\n1,2\n", "logs.csv");
  EXPECT_EQ(file.bytes(), "a,b\n1,2\n");
  EXPECT_EQ(file.path(), "logs.csv");
}

TEST(WithoutFiles, PathsAreRefusedWithTheWayOut) {
  try {
    io::InputFile file(std::string("logs.csv"));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("read_bytes"));
  }
  EXPECT_THROW(io::AtomicFile{"out.csv"}, FileError);
}

}  // namespace
}  // namespace starope
