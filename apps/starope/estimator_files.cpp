#include "estimator_files.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "starope/base/error.hpp"
#include "starope/io/numeric_table.hpp"

namespace starope::cli {
namespace {

[[noreturn]] void not_a_q_table(const std::string& path, std::optional<std::int64_t> row, const std::string& column,
                                const std::string& value, const std::string& rule) {
  DataError::Problem problem;
  problem.code = "not_a_q_table";
  problem.at.file = path;
  problem.at.row = row;
  problem.at.column = column;
  problem.value = value;
  problem.rule = rule;
  problem.remedy = "Write the header state,q_0,q_1,... and one row per state";
  throw DataError(std::move(problem));
}

QTable read_q_table(const std::string& path) {
  const io::NumericTable table = io::read_numeric_table(path);
  for (std::int64_t c = 0; c < std::max<std::int64_t>(2, table.columns); ++c) {
    const std::string wanted = c == 0 ? "state" : fmt::format("q_{}", c - 1);
    const std::string found = c < static_cast<std::int64_t>(table.names.size())
                                  ? table.names[static_cast<std::size_t>(c)]
                                  : std::string("nothing");
    if (found != wanted)
      not_a_q_table(path, 1, {}, found, fmt::format("stands where a Q table has the column '{}'", wanted));
  }
  QTable q{.actions = static_cast<std::int32_t>(table.columns - 1), .state = {}, .q = {}, .source = path};
  for (std::int64_t i = 0; i < table.rows; ++i) {
    const auto row = std::span(table.values)
                         .subspan(static_cast<std::size_t>(i * table.columns), static_cast<std::size_t>(table.columns));
    constexpr double largest = 9007199254740992.0;  // 2^53: beyond it a double does not tell integers apart
    if (row[0] != std::floor(row[0]) || std::abs(row[0]) > largest)
      not_a_q_table(path, i + 2, "state", fmt::format("{}", row[0]), "is not an integer id");
    q.state.push_back(static_cast<std::int64_t>(row[0]));
    q.q.insert(q.q.end(), row.begin() + 1, row.end());
  }
  return q;
}

}  // namespace

EstimatorFiles estimator_files() {
  return {.centroids =
              [](const std::string& path) {
                io::NumericTable table = io::read_centroids(path);
                return CentroidTable{.dimension = table.columns, .values = std::move(table.values), .source = path};
              },
          .lookup =
              [](const std::string& path) {
                io::LookupTable table = io::read_lookup(path);
                return LookupTable{.state = std::move(table.states), .z = std::move(table.labels), .source = path};
              },
          .q_table = &read_q_table};
}

}  // namespace starope::cli
