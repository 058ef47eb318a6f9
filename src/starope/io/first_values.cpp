#include "starope/io/first_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb_logs.hpp"

namespace starope::io {
namespace {

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

// The texts of one column, with the rows in which they change, and the rows in which its cell is empty.
struct TextColumn {
  TextRuns runs{};
  std::vector<std::int64_t> empty{};

  std::string at(std::int64_t row) const {
    if (std::binary_search(empty.begin(), empty.end(), row)) return {};
    const auto behind = std::upper_bound(runs.first_row.begin(), runs.first_row.end(), row);
    return behind == runs.first_row.begin() ? std::string()
                                            : std::string(runs.text[behind - runs.first_row.begin() - 1]);
  }
};

TextColumn read_text(CsvTableReader& table, std::int64_t field, Blank blank) {
  table.next(field);
  TableReading reading = table.read({{field, TextCells{}, blank, {}}});
  TextColumn column{.runs = std::move(reading.text)};
  if (reading.partial_rows) column.empty = *std::move(reading.partial_rows);
  return column;
}

// An episode begins where its name first appears.
std::vector<FirstValue> from_text(const std::string& path, char delimiter, const std::string& column,
                                  const ReadOptions& options) {
  CsvTableReader names(InputFile(path), delimiter, options), values(InputFile(path), delimiter, options);
  const std::string episode = options.episode && !options.episode->empty() ? *options.episode : "episode";
  const TextColumn name = read_text(names, field_of(names, episode, "--episode"), Blank::never);
  const TextColumn value = read_text(values, field_of(values, column, "--by"), Blank::together);
  std::vector<FirstValue> firsts;
  for (std::size_t i = 0; i < name.runs.text.size(); ++i)
    firsts.push_back({.episode = std::string(name.runs.text[i]), .value = value.at(name.runs.first_row[i])});
  return firsts;
}

// Read as a state, which may be any number.
std::vector<FirstValue> from_numbers(const std::string& path, const std::string& column, ReadOptions options) {
  options.state = {column};
  options.state_kind = StateKind::continuous;
  options.need_state = true;
  options.need_action = options.need_behavior = options.need_target = false;
  const Dataset data = read(path, options).data;
  std::vector<FirstValue> firsts;
  const auto& states = std::get<DenseStates>(data.states());
  std::vector<double> scratch;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    firsts.push_back(
        {.episode = data.episode_name(i), .value = fmt::format("{}", states.row(data.first_step(i), scratch).front())});
  }
  return firsts;
}

}  // namespace

std::vector<FirstValue> first_values(const std::string& path, const std::string& column, const ReadOptions& options) {
  const auto delimiter = needs_duckdb(path, options) ? std::nullopt : delimiter_of(path);
  return delimiter ? from_text(path, *delimiter, column, options) : from_numbers(path, column, options);
}

}  // namespace starope::io
