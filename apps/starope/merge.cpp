#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "inputs.hpp"
#include "shards.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/finding.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/shards.hpp"
#include "starope/study.hpp"

namespace starope::cli {
namespace {

constexpr const char* merge_description =
    "Join the parts of a study that was run in shards, or statistics of parts of logs (FILE.star).\n"
    "Parts of another study, results that contradict each other, statistics that were counted with another recipe, and "
    "a part that is given twice are refused.";

constexpr const char* merge_footer =
    "Example:\n"
    "  starope study smoke --shard 1/2 -o part1\n"
    "  starope study smoke --shard 2/2 -o part2\n"
    "  starope merge part1 part2 -o whole\n"
    "  starope report whole -o report.html\n"
    "\n"
    "  starope evaluate monday.csv --estimators \"star(clusters=9)\" --emit monday.star\n"
    "  starope evaluate tuesday.csv --like monday.star --emit tuesday.star\n"
    "  starope merge monday.star tuesday.star -o whole.star\n"
    "  starope evaluate whole.star";

struct MergeRequest {
  std::vector<std::string> parts{};
  std::string whole{};
};

int merge_statistics(const MergeRequest& request, Streams& streams) {
  Inputs inputs;
  for (const std::string& part : request.parts) {
    inputs.add(part);
    check_statistics_name(part, "PART", "starope merge");
  }
  check_statistics_name(request.whole, "-o", "starope merge");
  inputs.expect_not(request.whole, "starope merge");
  io::AtomicFile file(request.whole);
  std::optional<ShardStatistics> total;
  for (const std::string& part : request.parts) {
    const ShardStatistics next = read_statistics(part);
    try {
      total ? * total += next : total.emplace(next);
    } catch (const InvalidArgument& error) {
      DataLocation at;
      at.file = part;
      throw DataError({.code = "other_recipe", .at = std::move(at), .value = {}, .rule = error.what(), .remedy = {}});
    }
  }
  const Bytes bytes = total->to_bytes();
  file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  file.commit();
  say(streams, fmt::format("wrote {}: {}, {} from {}", request.whole, counted(total->episodes(), "episode"),
                           counted(total->steps(), "step"), counted(total->parts(), "part")));
  for (const Finding& finding : total->between_parts()) say(streams, text(finding), Emphasis::warning);
  return answered;
}

int run(const MergeRequest& request, Streams& streams) {
  if (is_statistics(request.parts.front())) return merge_statistics(request, streams);
  const MergedStudy merged = merge_studies(request.parts, request.whole);
  say(streams, fmt::format("{} has {} of {} cells, from {}", request.whole, with_thousands(merged.cells),
                           with_thousands(merged.total), counted(merged.parts, "part")));
  if (merged.cells < merged.total) {
    say(streams, "the others are missing: merge their parts too, or continue the study in this folder with --resume",
        Emphasis::warning);
  }
  return answered;
}

}  // namespace

Command add_merge(CLI::App& app) {
  const auto request = std::make_shared<MergeRequest>();
  CLI::App* page = app.add_subcommand("merge", merge_description);
  page->footer(merge_footer);
  page->add_option("PART", request->parts, "Folders of shards, or files of statistics")->required();
  page->add_option("-o,--output", request->whole,
                   "Folder for the whole study, which must be new; or file of statistics")
      ->type_name("WHOLE")
      ->required();
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
