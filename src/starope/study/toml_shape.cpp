#include "starope/study/toml_shape.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr int deepest = 64;  // brackets inside brackets

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

class Shape {
 public:
  Shape(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";  // of UTF-8
    if (text_.substr(0, mark.size()) == mark) at_ = mark.size();
  }

  void check() {
    while (!done()) {
      blanks();
      if (!done() && next() == '[') {
        header();
      } else if (!done() && next() != '#' && !at_line_end()) {
        pair();
      }
      rest_of_line();
    }
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char next() const { return text_[at_]; }
  bool at_line_end() const {
    return !done() && (next() == '\n' || (next() == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n'));
  }
  bool take(char c) {
    if (done() || next() != c) return false;
    step();
    return true;
  }
  void step() {
    if (next() == '\n') ++row_;
    ++at_;
  }
  void blanks() {
    while (!done() && (next() == ' ' || next() == '\t')) step();
  }
  void comment() {
    if (done() || next() != '#') return;
    while (!done() && next() != '\n') step();
  }
  void rest_of_line() {
    blanks();
    comment();
    if (done()) return;
    if (!at_line_end()) fail(fmt::format("{} where the line should end", shown()));
    while (take('\r')) {
    }
    step();
  }
  void blank_lines() {
    for (;;) {
      blanks();
      comment();
      if (done() || !at_line_end()) return;
      while (take('\r')) {
      }
      step();
    }
  }

  // [a.b] or [[a.b]]
  void header() {
    step();
    const bool twice = take('[');
    key();
    if (!take(']') || (twice && !take(']'))) fail("a bracket that opens a section does not close behind its name");
  }

  void pair() {
    key();
    if (!take('=')) fail(fmt::format("{} where '=' should stand behind a key", shown()));
    blanks();
    value(0);
  }

  // a, "a", a.b
  void key() {
    do {
      blanks();
      if (!done() && (next() == '"' || next() == '\'')) {
        if (text_.substr(at_, 3) == R"(""")" || text_.substr(at_, 3) == "'''") fail("a key of several lines");
        quoted();
      } else {
        if (done() || !is_bare(next())) {
          fail(fmt::format("{} where a name should stand; names are letters, digits, - and _, or in quotes", shown()));
        }
        while (!done() && is_bare(next())) step();
      }
      blanks();
    } while (take('.'));
  }

  void value(int depth) {
    if (depth > deepest) fail("brackets inside brackets are too deep");
    if (done() || at_line_end()) fail("a value is missing");
    if (next() == '"' || next() == '\'') {
      quoted();
    } else if (take('[')) {
      list(depth);
    } else if (take('{')) {
      table(depth);
    } else {
      bare_value();
    }
  }

  void list(int depth) {
    blank_lines();
    while (!take(']')) {
      value(depth + 1);
      blank_lines();
      if (take(']')) return;
      if (!take(',')) fail(fmt::format("{} where ',' or ']' should stand in a list", shown()));
      blank_lines();
    }
  }

  void table(int depth) {
    blanks();
    if (take('}')) return;
    do {
      key();
      if (!take('=')) fail(fmt::format("{} where '=' should stand behind a key", shown()));
      blanks();
      value(depth + 1);
      blanks();
    } while (take(','));
    if (!take('}')) fail(fmt::format("{} where ',' or '}}' should stand in a table", shown()));
  }

  // Numbers, truth values and dates.
  void bare_value() {
    const std::size_t from = at_;
    while (!done() && (is_bare(next()) || next() == '+' || next() == '.' || next() == ':')) step();
    if (at_ == from) fail(fmt::format("{} where a value should stand", shown()));
  }

  // In one kind of quotes or the other, on one line or, in three of them, on several.
  void quoted() {
    const char quote = next();
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    const std::int64_t begun = row_;
    for (int i = 0; i < (lines ? 3 : 1); ++i) step();
    while (!done()) {
      if (quote == '"' && next() == '\\') {
        step();
        if (!done() && (lines || next() != '\n')) step();
      } else if (lines && text_.substr(at_, 3) == three) {
        for (int i = 0; i < 3; ++i) step();
        for (int more = 0; more < 2 && take(quote); ++more) {  // """a""" may end in one or two quotes of its own
        }
        return;
      } else if (!lines && next() == quote) {
        step();
        return;
      } else if (!lines && next() == '\n') {
        break;
      } else {
        step();
      }
    }
    row_ = begun;
    fail("a quote that opens does not close");
  }

  std::string shown() const {
    if (done()) return "the end of the file";
    if (at_line_end()) return "the end of the line";
    const auto byte = static_cast<unsigned char>(next());
    return byte > 0x20 && byte < 0x7F ? fmt::format("'{}'", next()) : fmt::format("a character of code {}", byte);
  }

  [[noreturn]] void fail(const std::string& rule) const {
    throw DataError({.code = "bad_toml",
                     .at = in_file(file_, row_),
                     .value = {},
                     .rule = fmt::format("is not TOML: {}", rule),
                     .remedy = "Texts need quotes, lists brackets; see docs/studies.md for an example"});
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::int64_t row_ = 1;
};

}  // namespace

void check_toml_shape(std::string_view text, const std::string& file) {
  Shape(text, file).check();
}

}  // namespace starope
