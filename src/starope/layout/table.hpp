#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace starope {

enum class Align { left, right, decimal };

struct TableColumn {
  std::string title{};  // "\n" starts a second title line
  Align align = Align::left;
  bool breakable = false;  // may be broken behind commas where the table would not fit
};

// Rows of text under aligned titles. Every row has one text per column.
class Table {
 public:
  explicit Table(std::vector<TableColumn> columns);
  void add_row(std::vector<std::string> cells);

  // At most `width` columns wide where breaking the breakable column can achieve that. `emphasis` and `plain` are
  // written before and behind every title line (escape sequences, or nothing).
  std::string render(std::size_t width, std::size_t indent = 0, const std::string& emphasis = {},
                     const std::string& plain = {}) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace starope
