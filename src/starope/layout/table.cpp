#include "starope/layout/table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/layout/layout.hpp"

namespace starope {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest_breakable = 12;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::size_t widest(const std::vector<std::string>& lines) {
  std::size_t width = 0;
  for (const std::string& line : lines) width = std::max(width, display_width(line));
  return width;
}

std::string trim_right(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// One column with its cells broken into lines: all that is left is to pad them.
struct LaidColumn {
  bool flush_left = true;
  std::vector<std::string> title{};
  std::vector<std::vector<std::string>> cells{};
  std::size_t width = 0;
};

LaidColumn lay_out(const TableColumn& column, std::vector<std::string> texts) {
  if (column.align == Align::decimal) align_decimals(texts);
  LaidColumn laid{.flush_left = column.align == Align::left, .title = lines_of(column.title), .cells = {}, .width = 0};
  laid.width = widest(laid.title);
  for (std::string& text : texts) {
    laid.width = std::max(laid.width, display_width(text));
    laid.cells.push_back({std::move(text)});
  }
  return laid;
}

void narrow(LaidColumn& column, std::size_t excess) {
  const std::size_t least = std::max(narrowest_breakable, widest(column.title));
  const std::size_t width = std::max(column.width > excess ? column.width - excess : 0, least);
  column.width = widest(column.title);
  for (auto& cell : column.cells) {
    cell = wrap_at_commas(cell.front(), width);
    column.width = std::max(column.width, widest(cell));
  }
}

std::string join_line(const std::vector<LaidColumn>& columns, std::size_t indent,
                      const std::vector<const std::vector<std::string>*>& cells, std::size_t line) {
  std::string text(indent, ' ');
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string part = line < cells[c]->size() ? (*cells[c])[line] : std::string();
    if (c > 0) text.append(gap, ' ');
    text += columns[c].flush_left ? pad_right(part, columns[c].width) : pad_left(part, columns[c].width);
  }
  return trim_right(std::move(text));
}

std::size_t tallest(const std::vector<const std::vector<std::string>*>& cells) {
  std::size_t lines = 0;
  for (const auto* cell : cells) lines = std::max(lines, cell->size());
  return lines;
}

}  // namespace

Table::Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

void Table::add_row(std::vector<std::string> cells) {
  STAROPE_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::render(std::size_t width, std::size_t indent, const std::string& emphasis,
                          const std::string& plain) const {
  std::vector<LaidColumn> laid;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::vector<std::string> texts;
    for (const auto& row : rows_) texts.push_back(row[c]);
    laid.push_back(lay_out(columns_[c], std::move(texts)));
  }
  const auto total = [&] {
    return std::accumulate(laid.begin(), laid.end(), indent + gap * (laid.size() - 1),
                           [](std::size_t sum, const LaidColumn& column) { return sum + column.width; });
  };
  for (std::size_t c = 0; c < laid.size(); ++c) {
    if (columns_[c].breakable && total() > width) narrow(laid[c], total() - width);
  }

  std::string text;
  std::vector<const std::vector<std::string>*> cells;
  for (auto& column : laid) {
    cells.push_back(&column.title);
  }
  const std::size_t title_lines = tallest(cells);
  for (auto& column : laid) column.title.insert(column.title.begin(), title_lines - column.title.size(), "");
  for (std::size_t line = 0; line < title_lines; ++line) {
    text += emphasis + join_line(laid, indent, cells, line) + plain + '\n';
  }
  text += std::string(indent, ' ') + std::string(total() - indent, '-') + '\n';
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (std::size_t c = 0; c < laid.size(); ++c) cells[c] = &laid[c].cells[r];
    for (std::size_t line = 0; line < tallest(cells); ++line) text += join_line(laid, indent, cells, line) + '\n';
  }
  return text;
}

}  // namespace starope
