#include "logs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "arguments.hpp"
#include "failure.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/io/first_values.hpp"

namespace starope::cli {
namespace {

// What fitting a model to its sample takes, at least: blocks that are kept leave room for it. What reading holds at a
// time, the program and its libraries come on top of the limit (docs/data.md).
constexpr std::int64_t fitting_bytes = 200'000'000;

constexpr const char* remedy =
    "Allow more with --memory, or ask for estimators that take blocks: naive, is, pdis, "
    "wis, wpdis, star, auto";

// Something whose size nobody knows before it was read.
bool is_pipe(const std::string& path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path == "-" ? "/dev/stdin" : path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

// The library of C keeps what was released for the next who asks, in pieces that blocks which stay lie between; it
// counts as ours meanwhile. From here on, columns go back to the system when they are released.
void give_memory_back() {
#ifdef __GLIBC__
  constexpr int large = 1 << 18;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, large);
#endif
}

}  // namespace

std::string progress_text(const std::string& what, const io::ReadProgress& at, double seconds) {
  std::string text = fmt::format("{}: {} rows", what, with_thousands(at.rows));
  if (!at.share || *at.share <= 0.0) return text;
  text += fmt::format(", {:.0f} %", 100.0 * *at.share);
  const double left = seconds * (1.0 - *at.share) / *at.share;
  if (seconds > 1.0)
    text += left < 90.0 ? fmt::format(", {:.0f} s left", left) : fmt::format(", {:.0f} min left", left / 60.0);
  return text;
}

Grouping groups_of(const LogsRequest& request, const Logs& logs, const std::string& by) {
  const std::string column = group_column(by);
  if (request.data == "-" || is_pipe(request.data))
    throw UsageError("--by reads the file once more, and a pipe can be read only once: give a file",
                     "starope evaluate");
  const std::vector<io::FirstValue> found = io::first_values(request.data, column, request.columns);
  std::map<std::string, std::string> by_name;
  for (const io::FirstValue& each : found) by_name.emplace(each.episode, each.value);
  std::vector<std::string> values;
  const auto add = [&](const Dataset& data) {
    for (std::int64_t i = 0; i < data.episodes(); ++i) {
      // Rows that had to be sorted begin episodes in another order, and then names tell.
      const std::size_t place = values.size();
      if (!request.columns.sort && place < found.size()) {
        values.push_back(found[place].value);
      } else {
        values.push_back(by_name[data.episode_name(i)]);
      }
    }
  };
  if (const auto* data = std::get_if<Dataset>(&logs.episodes)) {
    add(*data);
  } else {
    const Source::Next next = logs.blocks()->open();
    while (const auto block = next()) add(*block);
  }
  return make_grouping(by, values);
}

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

void add_memory_flag(CLI::App& page, LogsRequest& request) {
  page.add_option_function<std::string>(
          "--memory", [&request](const std::string& text) { request.memory = parse_bytes("--memory", text); },
          "Memory for the logs, such as 2GB (default: half of the machine's); larger logs are read in blocks")
      ->type_name("SIZE");
}

void add_target_flag(CLI::App& page, LogsRequest& request) {
  page.add_option("--target", request.target,
                  "The target policy as a file: probabilities by state (.csv), or weights of a linear policy or a "
                  "network (.json, .npz), instead of columns of the logs")
      ->type_name("FILE");
}

LogsRequest with_policy(LogsRequest request, const char* command) {
  if (request.target.empty()) return request;
  io::ReadOptions& columns = request.columns;
  for (const auto& [flag, name] :
       {std::pair{"--target-prob", &columns.target_prob}, std::pair{"--target-logp", &columns.target_logp},
        std::pair{"--target-probs", &columns.target_probs}}) {
    if (*name) throw UsageError(fmt::format("the target policy is in --target or in {}, not in both", flag), command);
    *name = "";
  }
  request.policy = read_policy(request.target);
  const auto* table = std::get_if<TabularRule>(&request.policy->rule);
  columns.need_target = false;
  columns.need_action = true;
  columns.need_state = columns.need_state || table == nullptr || !table->states.empty();
  return request;
}

Source Logs::watched(Progress& progress, std::function<std::string()> what) const {
  const std::int64_t all = summary.rows;
  return Source([source = *blocks(), all, &progress, what = std::move(what)]() -> Source::Next {
    using Clock = std::chrono::steady_clock;
    return [next = source.open(), all, &progress, what, begun = Clock::now(), rows = std::int64_t{0},
            shown = Clock::time_point()]() mutable -> std::optional<Dataset> {
      constexpr std::chrono::milliseconds pause(200);
      auto block = next();
      if (!block) return block;
      rows += block->steps();
      const Clock::time_point now = Clock::now();
      if (now - shown < pause) return block;
      shown = now;
      const std::chrono::duration<double> passed = now - begun;
      const double share = all > 0 ? std::min(1.0, static_cast<double>(rows) / static_cast<double>(all)) : 0.0;
      progress.show(progress_text(what(), {.rows = rows, .share = share}, passed.count()));
      return block;
    };
  });
}

Dataset Logs::first() const {
  if (const auto* data = std::get_if<Dataset>(&episodes)) return *data;
  return *std::get<Source>(episodes).open()();
}

std::optional<std::int64_t> too_large(const LogsRequest& request) {
  const auto needed = io::memory_needed(request.data, request.columns);
  return needed && *needed > request.limit() ? needed : std::nullopt;
}

void fail_too_large(const LogsRequest& request, std::int64_t needed) {
  throw FileError(fmt::format(
      "{}: these logs can only be read at once: they need about {} of memory, and {} may be used. Allow more "
      "with --memory, or put them in order as CSV or Parquet, which are read in blocks",
      request.data, size_text(needed), size_text(request.limit())));
}

Logs with_target(Logs logs, const TargetPolicy& policy, Threads threads) {
  if (auto* data = std::get_if<Dataset>(&logs.episodes)) {
    *data = with_target(*data, policy, threads);
  } else {
    logs.episodes = with_target(std::get<Source>(logs.episodes), policy);
  }
  return logs;
}

Logs load(const LogsRequest& request, std::optional<std::int64_t> too_large, Progress& progress) {
  if (too_large && io::reads_at_once(request.data, request.columns)) fail_too_large(request, *too_large);
  progress.show(fmt::format("reading {}", request.data));
  const bool unknown = is_pipe(request.data) || (io::needs_duckdb(request.data, request.columns) &&
                                                 !io::memory_needed(request.data, request.columns));
  if (!too_large && !unknown) {
    io::ReadResult read = io::read(request.data, request.columns);
    Logs logs{
        .episodes = std::move(read.data), .summary = std::move(read.summary), .findings = std::move(read.findings)};
    return request.policy ? with_target(std::move(logs), *request.policy, request.columns.threads) : logs;
  }
  // Logs of unknown size that turn out to fit are put in one piece, which takes them twice.
  const std::int64_t limit = request.limit();
  const std::int64_t others = request.models ? std::max(limit / 10 * 4, fitting_bytes) : limit / 10 * 2;
  io::OpenOptions opening{.memory = too_large ? std::max<std::int64_t>(limit - others, 0) : limit / 2};
  const auto begun = std::chrono::steady_clock::now();
  opening.progress = [&, begun](const io::ReadProgress& at) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    progress.show(progress_text("reading " + request.data, at, passed.count()));
  };
  if (too_large) give_memory_back();
  io::OpenedLogs opened = io::open(request.data, request.columns, opening);
  Logs logs{.episodes = opened.source,
            .summary = std::move(opened.summary),
            .findings = std::move(opened.findings),
            .needed = too_large.value_or(opened.bytes)};
  if (opened.in_memory && !too_large) logs.episodes = read_all(opened.source);
  return request.policy ? with_target(std::move(logs), *request.policy, request.columns.threads) : logs;
}

std::vector<RequestedEstimator> for_blocks(std::vector<RequestedEstimator> estimators, std::int64_t needed,
                                           const LogsRequest& request, Streams& streams) {
  const std::string why = fmt::format("the logs need about {} of memory, and {} may be used", size_text(needed),
                                      size_text(request.limit()));
  std::string left_out;
  std::size_t left = 0;
  for (RequestedEstimator& each : estimators) {
    const auto* estimator = std::get_if<Estimator>(&each.estimator);
    if (estimator == nullptr) continue;
    if (takes_blocks(*estimator)) {
      ++left;
      continue;
    }
    left_out += (left_out.empty() ? "" : ", ") + each.text;
    each.estimator =
        Failure{.code = "needs_memory", .message = fmt::format("needs all logs in memory: {}. {}", why, remedy)};
  }
  if (left_out.empty()) return estimators;
  const std::string message =
      fmt::format("{}: {} cannot answer without all logs in memory: {}. {}", request.data, left_out, why, remedy);
  if (left == 0) throw FileError(message);
  say(streams, message);
  return estimators;
}

}  // namespace starope::cli
