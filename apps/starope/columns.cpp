#include "columns.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "failure.hpp"
#include "starope/error.hpp"
#include "starope/io/column_options.hpp"

namespace starope::cli {
namespace {

constexpr const char* columns_group = "Columns (only where names differ from the canonical ones)";
constexpr const char* places_group = "Logs that DuckDB reads (Parquet, JSON lines, .csv.gz, .zst, databases)";

}  // namespace

void add_column_flags(CLI::App& page, io::ReadOptions& options) {
  for (const io::ColumnOption& each : io::column_options()) {
    const std::string flag = io::flag_of(each.name);
    if (const auto* given = std::get_if<bool io::ReadOptions::*>(&each.field)) {
      page.add_flag(flag, options.**given, each.explanation)->group(columns_group);
      continue;
    }
    const bool list = std::holds_alternative<std::vector<std::string> io::ReadOptions::*>(each.field);
    const bool place = std::holds_alternative<std::string io::ReadOptions::*>(each.field);
    const auto say = [&options, flag, list, name = each.name](const std::string& text) {
      try {
        say_option(options, {name, list ? parse_names(flag, text) : std::vector{text}});
      } catch (const InvalidArgument& error) {
        const std::string_view why = error.what();
        throw UsageError(fmt::format("{}{}", flag, why.substr(std::string_view(name).size())));
      }
    };
    page.add_option_function<std::string>(flag, say, each.explanation)
        ->type_name(each.value)
        ->group(place ? places_group : columns_group);
  }
}

void check_data(const std::string& data, const io::ReadOptions& options, const char* command) {
  if (data.empty() && options.sql.empty()) throw UsageError("DATA is missing: which file holds the logs?", command);
}

}  // namespace starope::cli
