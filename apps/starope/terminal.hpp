#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "starope/layout/style.hpp"

namespace starope::cli {

// What a stream can show. Files and pipes get 80 columns and no color.
struct Terminal {
  bool is_terminal = false;
  bool color = false;
  std::size_t width = 80;

  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): a terminal is one way to show text
  operator TextStyle() const { return {.width = width, .color = color}; }
};

// What a terminal can show without doing anything: names and ids come from files, and a terminal obeys control
// characters. They are written out (\x1b, and \u202e for those that turn the direction of a line); line ends stay, and
// the sequences of our styles where the text has any.
std::string printable(std::string_view text, const TextStyle& style = {});

using Environment = std::function<std::optional<std::string>(const char* name)>;
Environment process_environment();

// The rules, apart from the system calls: COLUMNS overrides what the terminal says about its width; NO_COLOR (set to
// anything) and TERM=dumb turn color off.
Terminal make_terminal(bool is_terminal, std::optional<std::size_t> measured_width, const Environment& environment);

// Of file descriptor 1 (stdout) or 2 (stderr).
Terminal detect_terminal(int descriptor, const Environment& environment);

// Where a subcommand writes: the answer to `out`, everything else to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  Terminal out_terminal{};
  Terminal err_terminal{};
};

// One sentence on stderr, with the program's name before it (in color, if a style is given).
void say(Streams& streams, const std::string& message, std::optional<Emphasis> style = {});

// What is going on, on one line of the terminal that is rewritten; silent where stderr is not a terminal.
class Progress {
 public:
  explicit Progress(Streams& streams) : streams_(streams) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  void show(std::string_view text);
  void clear();

 private:
  Streams& streams_;
  bool shown_ = false;
};

}  // namespace starope::cli
