#include "logs.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "arguments.hpp"
#include "failure.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate.hpp"

namespace starope::cli {
namespace {

// The library of C keeps what was released for the next who asks, in pieces that blocks which stay lie between; it
// counts as ours meanwhile. From here on, what is much larger than a column of a block goes back to the system when it
// is released. Columns do not: new pages for each of them cost more than what is in them.
void give_memory_back() {
#ifdef __GLIBC__
  constexpr int large = 1 << 22;
  ::mallopt(M_MMAP_THRESHOLD, large);
  ::mallopt(M_TRIM_THRESHOLD, 2 * large);
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
  return make_grouping(by, values_by_episode(request.data, column, request.columns, logs.episodes));
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

std::optional<std::int64_t> too_large(const LogsRequest& request) {
  return starope::too_large(request.data, request.columns, request.limit());
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
  progress.show(fmt::format("reading {}", request.data));
  LoadOptions options{.memory = request.limit(), .models = request.models};
  options.progress = [&, begun = std::chrono::steady_clock::now()](const io::ReadProgress& at) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun;
    progress.show(progress_text("reading " + request.data, at, passed.count()));
  };
  if (too_large) give_memory_back();
  Logs logs{load_logs(request.data, request.columns, too_large, options)};
  return request.policy ? with_target(std::move(logs), *request.policy, request.columns.threads) : logs;
}

std::vector<RequestedEstimator> for_blocks(std::vector<RequestedEstimator> estimators, std::int64_t needed,
                                           const LogsRequest& request, Streams& streams) {
  BlockEstimators made = starope::for_blocks(std::move(estimators), request.data, needed, request.limit());
  if (!made.left_out.empty()) say(streams, made.left_out);
  return std::move(made.estimators);
}

}  // namespace starope::cli
