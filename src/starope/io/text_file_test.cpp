#include "starope/io/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::io {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TextFile, IsReadAsItIs) {
  const starope::testing::TemporaryFolder folder;
  const std::string text = std::string(200'000, 'x') + std::string("\0\r\n", 3);
  EXPECT_EQ(read_text(folder.write("a", text)), text);
  EXPECT_EQ(read_text(folder.write("empty", "")), "");
}

TEST(TextFile, SaysWhatItCannotRead) {
  const starope::testing::TemporaryFolder folder;
  EXPECT_THAT([&] { read_text(folder.path("none")); }, ThrowsMessage<FileError>(HasSubstr("there is no such file")));
  EXPECT_THAT([&] { read_text(folder.path()); }, ThrowsMessage<FileError>(HasSubstr("cannot be read")));
}

TEST(TextFile, WhatNeverEndsIsRefused) {
  EXPECT_THAT([] { read_text("/dev/zero", 1'000'000); }, ThrowsMessage<FileError>(HasSubstr("never ends")));
}

}  // namespace
}  // namespace starope::io
