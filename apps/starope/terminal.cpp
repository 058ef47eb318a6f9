#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>

#include "starope/layout/layout.hpp"

namespace starope::cli {
namespace {

constexpr std::size_t narrowest = 40;  // below, tables and sentences become unreadable: let the terminal wrap

std::optional<std::size_t> positive_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number == 0) return std::nullopt;
  return number;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Terminal make_terminal(bool is_terminal, std::optional<std::size_t> measured_width, const Environment& environment) {
  Terminal terminal;
  terminal.is_terminal = is_terminal;
  const std::string no_color = environment("NO_COLOR").value_or("");
  terminal.color = is_terminal && no_color.empty() && environment("TERM").value_or("") != "dumb";
  if (const auto asked = positive_number(environment("COLUMNS"))) {
    terminal.width = *asked;
  } else if (is_terminal && measured_width) {
    terminal.width = *measured_width;
  }
  terminal.width = std::max(terminal.width, narrowest);
  return terminal;
}

Terminal detect_terminal(int descriptor, const Environment& environment) {
  const bool is_terminal = ::isatty(descriptor) == 1;
  std::optional<std::size_t> width;
  winsize size{};
  if (is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) width = size.ws_col;
  return make_terminal(is_terminal, width, environment);
}

void say(Streams& streams, const std::string& message, std::optional<Emphasis> style) {
  constexpr std::string_view name = "starope:";
  const Terminal& terminal = streams.err_terminal;
  const std::string text = std::string(name) + " " + message;
  // Whoever reads a log file searches for whole sentences: broken only for the eye.
  std::string shown = terminal.is_terminal ? wrap_indented(text, terminal.width, "", "  ") : text + '\n';
  if (style) shown.replace(0, name.size(), paint(terminal, *style, name));
  streams.err << shown << std::flush;
}

void Progress::show(std::string_view text) {
  if (!streams_.err_terminal.is_terminal) return;
  clear();
  // A line that wraps could not be rewritten.
  std::string line(text);
  if (display_width(line) >= streams_.err_terminal.width)
    line = line.substr(0, streams_.err_terminal.width - 4) + "...";
  streams_.err << line << std::flush;
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  streams_.err << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace starope::cli
