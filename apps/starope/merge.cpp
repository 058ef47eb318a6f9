#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "starope/base/text.hpp"
#include "starope/study.hpp"

namespace starope::cli {
namespace {

constexpr const char* description =
    "Join the parts of a study that was run in shards.\n"
    "Parts of another study, or results that contradict each other, are refused.";

constexpr const char* footer =
    "Example:\n"
    "  starope study smoke --shard 1/2 -o part1\n"
    "  starope study smoke --shard 2/2 -o part2\n"
    "  starope merge part1 part2 -o whole\n"
    "  starope report whole -o report.html";

struct MergeRequest {
  std::vector<std::string> parts{};
  std::string whole{};
};

int run(const MergeRequest& request, Streams& streams) {
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
  CLI::App* page = app.add_subcommand("merge", description);
  page->footer(footer);
  page->add_option("PART", request->parts, "Folders of shards")->required();
  page->add_option("-o,--output", request->whole, "Folder for the whole study; must be new")
      ->type_name("WHOLE")
      ->required();
  return {.page = page, .run = [request](Streams& streams) { return run(*request, streams); }};
}

}  // namespace starope::cli
