#include "starope/io/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "starope/base/text.hpp"

namespace starope::io {

void TextRuns::own() {
  for (; owned < text.size(); ++owned) {
    unescaped.push_back(std::make_unique<std::string>(text[owned]));
    text[owned] = *unescaped.back();
  }
}

void TextRuns::append(TextRuns later, std::int64_t rows) {
  const std::size_t before = text.size();
  for (std::size_t i = 0; i < later.text.size(); ++i) {
    if (i == 0 && before > 0 && text.back() == later.text.front()) continue;
    first_row.push_back(rows + later.first_row[i]);
    text.push_back(later.text[i]);
  }
  for (auto& each : later.unescaped) unescaped.push_back(std::move(each));
  if (owned == before && later.owned == later.text.size()) owned = text.size();
}

DataLocation TableSource::at(std::int64_t row, std::string column) const {
  DataLocation location;
  location.file = file;
  location.row = first_row + row;
  location.column = std::move(column);
  return location;
}

std::int64_t field_of(const TableReader& table, const std::string& column, const char* flag) {
  std::vector<std::string> names;
  for (const TableColumn& each : table.columns()) names.push_back(each.name);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found != names.end()) return found - names.begin();
  const auto near = nearest_name(column, names);
  DataError::Problem problem;
  problem.code = "missing_column";
  problem.at.file = table.source().file;
  problem.at.column = column;
  problem.rule = "is not in the file";
  problem.remedy = near ? fmt::format("Did you mean '{}'? Then pass {} {}", *near, flag, *near)
                        : fmt::format("Pass {} with the name of a column", flag);
  throw DataError(std::move(problem));
}

}  // namespace starope::io
