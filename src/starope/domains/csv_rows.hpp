#pragma once

// Rows of a recorded table for tests: a small CSV file whose first row names the columns.

#include <charconv>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace starope::testing {

class CsvRow {
 public:
  void set(const std::string& column, std::string cell) { cells_[column] = std::move(cell); }
  const std::string& text(const std::string& column) const { return cells_.at(column); }
  bool empty(const std::string& column) const { return text(column).empty(); }
  double number(const std::string& column) const { return parse<double>(column); }
  std::int32_t integer(const std::string& column) const { return parse<std::int32_t>(column); }

 private:
  template <class T>
  T parse(const std::string& column) const {
    const std::string& cell = text(column);
    T value{};
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size())
      throw std::runtime_error(column + ": '" + cell + "' is not a number");
    return value;
  }
  std::map<std::string, std::string> cells_;
};

inline std::vector<std::string> split_cells(const std::string& line, char separator = ',') {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

inline std::vector<CsvRow> read_csv_rows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto names = split_cells(line);
  std::vector<CsvRow> rows;
  while (std::getline(file, line)) {
    auto cells = split_cells(line);
    CsvRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row.set(names[i], std::move(cells.at(i)));
  }
  return rows;
}

}  // namespace starope::testing
