#include "terminal.hpp"

#include <fmt/format.h>
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

bool begins_style(std::string_view text) {
  for (const std::string_view known : {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[33m"}) {
    if (text.substr(0, known.size()) == known) return true;
  }
  return false;
}

// A control character of two or three bytes of UTF-8 at the beginning of the text; 0 where there is none: C1 controls,
// and those that embed, override or isolate a direction.
unsigned long_control(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return byte(1);
  if (byte(0) != 0xE2 || byte(2) < 0x80) return 0;
  const unsigned code = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  const bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0x200E ||
                     code == 0x200F || code == 0x2028 || code == 0x2029;
  return turns ? code : 0;
}

}  // namespace

std::string printable(std::string_view text, const TextStyle& style) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = (byte < 0x20 && byte != '\n') || byte == 0x7F;
    if (control && !(style.color && begins_style(text.substr(i)))) {
      shown += fmt::format("\\x{:02x}", byte);
    } else if (const unsigned code = long_control(text.substr(i)); code != 0) {
      shown += fmt::format("\\u{:04x}", code);
      i += code < 0x100 ? 1 : 2;
    } else {
      shown += text[i];
    }
  }
  return shown;
}

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
  const std::string text = std::string(name) + " " + printable(message);
  // Whoever reads a log file searches for whole sentences: broken only for the eye.
  std::string shown = terminal.is_terminal ? wrap_indented(text, terminal.width, "", "  ") : text + '\n';
  if (style) shown.replace(0, name.size(), paint(terminal, *style, name));
  streams.err << shown << std::flush;
}

void Progress::show(std::string_view text) {
  if (!streams_.err_terminal.is_terminal) return;
  clear();
  // A line that wraps could not be rewritten.
  std::string line = printable(text);
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
