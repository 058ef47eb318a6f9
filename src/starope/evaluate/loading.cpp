#include "starope/evaluate/loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "starope/auto/auto_fold.hpp"
#include "starope/base/numbers.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/io/first_values.hpp"
#include "starope/io/open.hpp"
#include "starope/phi.hpp"

#if STAROPE_FILES
#include <filesystem>
#endif

namespace starope {
namespace {

// What is held besides the blocks, and taken from the limit: the program with what it reads and computes at a time, and
// what fitting models to their samples takes, which does not depend on the logs (docs/data.md has measurements). What
// grows with the episodes is left out by io::open, and DuckDB's part by what opens it.
constexpr std::int64_t working_bytes = 90'000'000;
constexpr std::int64_t fitting_bytes = 200'000'000;

constexpr const char* remedy =
    "Allow more with --memory, or ask for estimators that take blocks: naive, is, pdis, "
    "wis, wpdis, star, auto";

[[noreturn]] void fail_too_large(const std::string& path, io::ReadOptions columns, std::int64_t needed,
                                 std::int64_t memory) {
  columns.sort = false;
  const bool sort = !io::reads_at_once(path, columns);  // that is all that is in the way
  throw FileError(fmt::format(
      "{}: these logs can only be read at once: they need about {} of memory, and {} may be used. Allow more "
      "with --memory, or {}",
      path, size_text(needed), size_text(memory),
      sort ? fmt::format("have DuckDB sort them on the disk: --sql \"from '{}'\" instead of the file and --sort", path)
           : "put them in order as CSV or Parquet, which are read in blocks"));
}

LoadedLogs loaded(io::OpenedLogs opened, std::optional<std::int64_t> too_large) {
  LoadedLogs logs{.episodes = opened.source,
                  .summary = std::move(opened.summary),
                  .findings = std::move(opened.findings),
                  .needed = too_large.value_or(opened.bytes)};
  if (opened.in_memory && !too_large) logs.episodes = read_all(opened.source);
  return logs;
}

// Logs of unknown size that turn out to fit are put in one piece, which takes them twice.
io::OpenOptions opening(const LoadOptions& options, bool too_large) {
  const std::int64_t limit = options.memory;
  const std::int64_t others = working_bytes + (options.models ? fitting_bytes : 0);
  return {.memory = too_large ? std::max<std::int64_t>(limit - others, 0) : limit / 2, .progress = options.progress};
}

}  // namespace

std::string size_text(std::int64_t bytes) {
  double size = static_cast<double>(bytes);
  std::string unit = "bytes";
  for (const char* larger : {"kB", "MB", "GB", "TB"}) {
    if (size < 1000.0) break;
    size /= 1000.0;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", size, size < 10.0 && unit != "bytes" ? 1 : 0, unit);
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string unit(text.substr(end));
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::optional<double> number = number_of(text.substr(0, end));
  if (!number) return std::nullopt;
  double factor = 1.0;
  for (const char* name : {"B", "KB", "MB", "GB", "TB"}) {
    const std::string_view whole = name;
    if (unit == whole || unit == whole.substr(0, whole.size() - 1)) {
      const double size = *number * factor;
      return size >= 1.0 && size < 9e18 ? std::optional(static_cast<std::int64_t>(size)) : std::nullopt;
    }
    factor *= 1000.0;
  }
  return std::nullopt;
}

bool is_pipe([[maybe_unused]] const std::string& path) {
#if STAROPE_FILES
  std::error_code unknown;
  const auto status = std::filesystem::status(path == "-" ? "/dev/stdin" : path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
#else
  return false;  // there are none
#endif
}

Dataset LoadedLogs::first() const {
  if (const auto* data = std::get_if<Dataset>(&episodes)) return *data;
  return *std::get<Source>(episodes).open()();
}

std::optional<std::int64_t> too_large(const std::string& path, const io::ReadOptions& columns, std::int64_t memory) {
  const auto needed = io::memory_needed(path, columns);
  return needed && *needed > memory ? needed : std::nullopt;
}

LoadedLogs load_logs(const std::string& path, const io::ReadOptions& columns, std::optional<std::int64_t> too_large,
                     const LoadOptions& options) {
  if (too_large && io::reads_at_once(path, columns)) fail_too_large(path, columns, *too_large, options.memory);
  const bool unknown = is_pipe(path) || (io::needs_duckdb(path, columns) && !io::memory_needed(path, columns));
  if (too_large || unknown) return loaded(io::open(path, columns, opening(options, too_large.has_value())), too_large);
  io::ReadResult read = io::read(path, columns);
  return {.episodes = std::move(read.data), .summary = std::move(read.summary), .findings = std::move(read.findings)};
}

LoadedLogs load_logs(ArrowArrayStream* stream, const std::string& name, const io::ReadOptions& columns,
                     const LoadOptions& options) {
  return loaded(io::open(stream, name, columns, opening(options, false)), std::nullopt);
}

void fail_needs_all_logs(const std::string& name, std::int64_t needed, std::int64_t memory) {
  throw FileError(
      fmt::format("{}: an estimated behavior policy and questions about risk need all logs in memory: they need about "
                  "{} of it, and {} may be used. Allow more of it with --memory",
                  name, size_text(needed), size_text(memory)));
}

bool fits_a_model(const RequestedEstimator& requested) {
  const auto* estimator = std::get_if<Estimator>(&requested.estimator);
  return estimator != nullptr && !std::holds_alternative<Naive>(*estimator) &&
         !std::holds_alternative<ImportanceSampling>(*estimator);
}

namespace {

// Of the sample of an estimator, while its model is fitted: measured (docs/data.md), not computed.
std::int64_t fitting_bytes_of(const RequestedEstimator& requested, const io::LogsSize& logs) {
  const auto* estimator = std::get_if<Estimator>(&requested.estimator);
  if (estimator == nullptr) return 0;
  constexpr std::int64_t number = sizeof(double), around = 3 * number;  // labels and bounds of k-means
  if (std::holds_alternative<Star>(*estimator))
    return std::min(logs.steps, fit_on_at_most) * (number * logs.state_numbers + around);
  constexpr std::int64_t auto_steps = AutoSample{}.all_up_to, plain = 320, per_column = 3 * number;
  if (std::holds_alternative<Auto>(*estimator))
    return std::min(logs.steps, auto_steps) * (plain + per_column * logs.state_numbers);
  return 0;
}

}  // namespace

std::optional<std::int64_t> least_memory(const std::string& path, const io::ReadOptions& columns,
                                         const std::vector<RequestedEstimator>& estimators) {
  constexpr std::int64_t many_steps = 1'000'000, program = 70'000'000, duckdb = 25'000'000;
  const auto logs = io::size_of_logs(path, columns);
  if (!logs || logs->steps < many_steps) return std::nullopt;
  std::int64_t models = 0;
  for (const RequestedEstimator& each : estimators) models = std::max(models, fitting_bytes_of(each, *logs));
  return program + models + (io::needs_duckdb(path, columns) ? duckdb : 0);
}

std::string least_memory_text(const std::string& path, std::optional<std::int64_t> least, std::int64_t memory) {
  if (!least || *least <= memory) return {};
  return fmt::format(
      "{}: this takes about {} of memory, although {} may be used: models are fitted to samples whose size does not "
      "depend on the memory, so the answers do not either",
      path, size_text(*least), size_text(memory));
}

std::vector<RequestedEstimator> that_take_blocks(std::vector<RequestedEstimator> estimators) {
  std::erase_if(estimators, [](const RequestedEstimator& each) {
    const auto* estimator = std::get_if<Estimator>(&each.estimator);
    return estimator != nullptr && !takes_blocks(*estimator);
  });
  return estimators;
}

BlockEstimators for_blocks(std::vector<RequestedEstimator> estimators, const std::string& name, std::int64_t needed,
                           std::int64_t memory) {
  const std::string why =
      fmt::format("the logs need about {} of memory, and {} may be used", size_text(needed), size_text(memory));
  std::string names;
  std::size_t left = 0;
  for (RequestedEstimator& each : estimators) {
    const auto* estimator = std::get_if<Estimator>(&each.estimator);
    if (estimator == nullptr) continue;
    if (takes_blocks(*estimator)) {
      ++left;
      continue;
    }
    names += (names.empty() ? "" : ", ") + each.text;
    each.estimator =
        Failure{.code = "needs_memory", .message = fmt::format("needs all logs in memory: {}. {}", why, remedy)};
  }
  if (names.empty()) return {.estimators = std::move(estimators)};
  std::string said = fmt::format("{}: {} cannot answer without all logs in memory: {}. {}", name, names, why, remedy);
  if (left == 0) throw FileError(said);
  return {.estimators = std::move(estimators), .left_out = std::move(said)};
}

namespace {

// What is in the first row only after the action was taken. A group of those who were treated is no group to ask about
// treatment: which policy was logged decides who is in it.
void expect_known_before(const std::string& column, const io::ReadOptions& columns) {
  std::vector<std::string> later = columns.action.empty() ? std::vector<std::string>{"action"} : columns.action;
  for (const auto& [given, usual] :
       {std::pair{&columns.reward, "reward"}, std::pair{&columns.behavior_prob, "behavior_prob"},
        std::pair{&columns.behavior_logp, "behavior_logp"}, std::pair{&columns.target_prob, "target_prob"},
        std::pair{&columns.target_logp, "target_logp"}, std::pair{&columns.terminated, "terminated"},
        std::pair{&columns.truncated, "truncated"}})
    later.push_back(given->value_or(usual));
  if (std::find(later.begin(), later.end(), column) == later.end()) return;
  throw InvalidArgument(fmt::format(
      "--by {}: this is known only after the action, so that the logged policy decides who is in which group. Use a "
      "column that is known before the first action",
      column));
}

}  // namespace

std::vector<std::string> values_by_episode(const std::string& path, const std::string& column,
                                           const io::ReadOptions& columns,
                                           const std::variant<Dataset, Source>& episodes) {
  expect_known_before(column, columns);
  io::EpisodePlaces places;
  if (const auto* data = std::get_if<Dataset>(&episodes)) {
    places.add(*data);
  } else {
    const Source::Next next = std::get<Source>(episodes).open();
    while (const auto block = next()) places.add(*block);
  }
  return io::first_values(path, column, columns, std::move(places));
}

}  // namespace starope
