#include "failure.hpp"

#include <gtest/gtest.h>

#include <new>
#include <sstream>

#include "starope/error.hpp"

namespace starope::cli {
namespace {

struct Reported {
  int code = 0;
  std::string out{};
  std::string err{};
};

template <class Exception>
Reported report(const Exception& exception, Terminal terminal = {}) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err, {}, terminal};
  const int code = report_failure(std::make_exception_ptr(exception), streams);
  return {code, out.str(), err.str()};
}

TEST(Failure, ExitCodesAreTheContract) {
  EXPECT_EQ(report(UsageError("x")).code, 2);
  EXPECT_EQ(report(InvalidArgument("x")).code, 2);
  EXPECT_EQ(report(FileError("x")).code, 1);
  EXPECT_EQ(report(DegenerateModel("x")).code, 1);
  EXPECT_EQ(report(DataError({.code = "c", .at = {}, .value = {}, .rule = "r", .remedy = "s"})).code, 1);
  EXPECT_EQ(report(std::bad_alloc()).code, 1);
  EXPECT_EQ(report(std::logic_error("x")).code, 1);
}

TEST(Failure, MessagesGoToStderrOnly) {
  const Reported usage = report(UsageError("unknown flag '--gama'", "starope evaluate"));
  EXPECT_EQ(usage.out, "");
  EXPECT_EQ(usage.err,
            "starope: unknown flag '--gama'\nstarope: 'starope evaluate --help' shows the options and an example.\n");
  EXPECT_EQ(report(FileError("no file 'a.csv'")).err, "starope: no file 'a.csv'\n");
}

TEST(Failure, WrapsAndColorsOnlyOnATerminal) {
  const std::string text = "a sentence of words that is longer than the terminal is wide";
  EXPECT_EQ(report(FileError(text)).err, "starope: " + text + "\n");
  EXPECT_EQ(report(FileError(text), {.is_terminal = true, .color = true, .width = 40}).err,
            "\x1b[31mstarope:\x1b[0m a sentence of words that is\n  longer than the terminal is wide\n");
}

TEST(Failure, LostOutputIsAnError) {
  std::ostringstream out;
  EXPECT_NO_THROW(finish_output(out));
  out.setstate(std::ios::badbit);
  EXPECT_THROW(finish_output(out), FileError);
}

}  // namespace
}  // namespace starope::cli
