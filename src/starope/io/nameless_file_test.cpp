#include "starope/io/nameless_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::starope::testing::content_of;
using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(NamelessFile, HasWhatWasPutInAndNoName) {
  const TemporaryFolder folder;
  NamelessFile file(folder.path(), "which holds a test");
  EXPECT_EQ(folder.files(), 0U);
  file.append("abc");
  file.append("defg");
  EXPECT_EQ(file.size(), 7);
  std::array<std::byte, 4> some{};
  file.read(some.data(), 4, 2);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(some.data()), some.size()), "cdef");
  EXPECT_EQ(content_of(file.path()), "abcdefg");
  EXPECT_THROW(file.read(some.data(), 4, 5), FileError);  // beyond its end
}

TEST(NamelessFile, SaysWhereItCannotBe) {
  EXPECT_THAT([] { NamelessFile("/there/is/none", "which holds a test"); },
              ThrowsMessage<FileError>(AllOf(HasSubstr("/there/is/none"), HasSubstr("which holds a test"),
                                             HasSubstr("No such file"), HasSubstr("TMPDIR"))));
}

}  // namespace
}  // namespace starope::io
