#include "starope/layout/layout.hpp"

#include <algorithm>

namespace starope {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.,e") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

std::size_t integer_part(std::string_view number) {
  return std::min(number.find_first_of(".e"), number.size());
}

// Adds the lines of one paragraph.
void wrap_paragraph(std::string_view text, std::size_t width, std::vector<std::string>& lines) {
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {  // "ESC [ ... m" colors what follows and takes no room
      while (i < text.size() && text[i] != 'm') ++i;
      continue;
    }
    const bool continuation = (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    width += continuation ? 0 : 1;
  }
  return width;
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(width > used ? width - used : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text).append(width > used ? width - used : 0, ' ');
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    wrap_paragraph(text.substr(at, end - at), width, lines);
    at = end + 1;
  }
  return lines;
}

std::string wrap_indented(std::string_view text, std::size_t width, std::string_view first, std::string_view rest) {
  const std::size_t indent = std::max(display_width(first), display_width(rest));
  std::string result;
  for (const std::string& line : wrap(text, width > indent ? width - indent : 1)) {
    result.append(result.empty() ? first : rest).append(line) += '\n';
  }
  return result;
}

std::vector<std::string> wrap_at_commas(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = text.find(',', at);
    const std::size_t end = comma == std::string_view::npos ? text.size() : comma + 1;
    const std::string_view part = text.substr(at, end - at);
    at = end;
    if (!line.empty() && display_width(line) + display_width(part) > width) {
      lines.push_back(std::move(line));
      line = "  ";
    }
    line += part;
  }
  lines.push_back(std::move(line));
  return lines;
}

void align_decimals(std::vector<std::string>& numbers) {
  std::size_t before = 0;
  std::size_t behind = 0;
  for (const std::string& text : numbers) {
    if (!is_number(text)) continue;
    before = std::max(before, integer_part(text));
    behind = std::max(behind, text.size() - integer_part(text));
  }
  std::size_t width = before + behind;
  for (const std::string& text : numbers) width = std::max(width, display_width(text));
  for (std::string& text : numbers) {
    if (is_number(text)) text.append(behind - (text.size() - integer_part(text)), ' ');
    text = pad_left(text, width);
  }
}

}  // namespace starope
