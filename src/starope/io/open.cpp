#include "starope/io.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "starope/base/bytes.hpp"
#include "starope/data.hpp"
#include "starope/io/assemble.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/log_reader.hpp"

namespace starope::io {
namespace {

constexpr std::int64_t blocks_per_batch = 4;

struct CsvLogs {
  std::shared_ptr<const CsvTable> csv;
  ReadOptions options;
  std::int64_t rows_per_batch;
};

// The whole episodes of a table whose batches end anywhere: an episode is open until another one begins, and its rows
// are carried to the next batch.
class WholeEpisodes {
 public:
  WholeEpisodes(const CsvLogs& logs, std::optional<WholeTable> whole)
      : table_(logs.csv, logs.rows_per_batch), reader_(table_, logs.options), whole_(whole) {}

  std::optional<ReadResult> next() {
    while (auto batch = reader_.next()) {
      LongTable rows = open_ ? join(*std::exchange(open_, std::nullopt), *std::move(batch)) : *std::move(batch);
      const std::int64_t cut = rows.episode.first_row.back();
      if (cut > 0) {
        open_ = split(rows, cut);
        return assemble(std::move(rows), {.whole = whole_});
      }
      rows.episode.own();
      open_ = std::move(rows);
    }
    if (!open_) return std::nullopt;
    return assemble(*std::exchange(open_, std::nullopt), {.whole = whole_});
  }

 private:
  CsvTableReader table_;
  LogReader reader_;
  std::optional<WholeTable> whole_;
  std::optional<LongTable> open_{};
};

// The same episodes in blocks that are closed as make_blocks does it, wherever batches end.
class Blocks {
 public:
  Blocks(const CsvLogs& logs, const WholeTable& whole, std::int64_t steps) : episodes_(logs, whole), steps_(steps) {}

  std::optional<Dataset> next() {
    while (closed_.empty() && !ended_) pull();
    if (closed_.empty()) return std::nullopt;
    Dataset block = std::move(closed_.back());
    closed_.pop_back();
    return block;
  }

 private:
  void pull() {
    auto more = episodes_.next();
    ended_ = !more;
    if (ended_ && !rest_) return;
    if (more) rest_ = rest_ ? concat(std::vector<Dataset>{*rest_, more->data}) : more->data;
    const Dataset all = *std::exchange(rest_, std::nullopt);
    std::vector<EpisodeRange> blocks = make_blocks(all, steps_);
    const EpisodeRange last = blocks.back();
    const bool full = all.first_step(last.last) - all.first_step(last.first) >= steps_;
    if (!ended_ && !full) {
      rest_ = all.take(last.first, last.last);
      blocks.pop_back();
    }
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
      closed_.push_back(all.take(block->first, block->last));
  }

  WholeEpisodes episodes_;
  std::int64_t steps_;
  std::optional<Dataset> rest_{};  // not enough for a block
  std::vector<Dataset> closed_{};  // the next one last
  bool ended_ = false;
};

void add(std::vector<Finding>& all, const std::vector<Finding>& more) {
  for (const Finding& finding : more) {
    const auto same = [&](const Finding& known) { return known.code == finding.code; };
    const auto known = std::find_if(all.begin(), all.end(), same);
    if (known == all.end()) {
      all.push_back(finding);
      continue;
    }
    for (std::size_t i = 0; i < known->parameters.size(); ++i) {  // counts add up, words are the same
      auto* const count = std::get_if<std::int64_t>(&known->parameters[i].value);
      if (count != nullptr) *count += std::get<std::int64_t>(finding.parameters[i].value);
    }
  }
}

Fingerprint fingerprint_of_text(const std::string& text) {
  return fingerprint_of(std::as_bytes(std::span(text)));
}

// The first pass: checks everything, and finds what a part cannot know of the whole.
WholeTable survey(const CsvLogs& logs, OpenedLogs& opened) {
  WholeTable whole{.bits = true, .integer_ids = true};
  std::vector<Fingerprint> ids;
  WholeEpisodes episodes(logs, std::nullopt);
  while (const auto part = episodes.next()) {
    const Dataset& data = part->data;
    if (const auto* actions = std::get_if<DiscreteActions>(&data.actions()))
      whole.actions = std::max(whole.actions, std::int64_t{actions->count});
    whole.bits = whole.bits && std::holds_alternative<BinaryStates>(data.states());
    whole.integer_ids = whole.integer_ids && std::holds_alternative<Column<std::int64_t>>(data.episode_ids());
    for (std::int64_t e = 0; e < data.episodes(); ++e) ids.push_back(fingerprint_of_text(data.episode_name(e)));
    const std::int64_t rows = opened.summary.rows, finals = opened.summary.final_states;
    opened.summary = part->summary;
    opened.summary.rows += rows;
    opened.summary.final_states += finals;
    add(opened.findings, part->findings);
  }
  const auto order = [](const Fingerprint& a, const Fingerprint& b) {
    return std::tie(a.high, a.low) < std::tie(b.high, b.low);
  };
  std::sort(ids.begin(), ids.end(), order);
  // An episode that comes back: reading the table as a whole says which, and in which rows.
  if (std::adjacent_find(ids.begin(), ids.end()) != ids.end()) read(opened.summary.file, logs.options);
  return whole;
}

}  // namespace

OpenedLogs open(const std::string& path, const ReadOptions& options, std::int64_t steps) {
  const std::optional<char> delimiter = delimiter_of(path);
  if (!delimiter || options.sort) {
    ReadResult whole = read(path, options);
    return {dataset_source(whole.data, steps), std::move(whole.summary), std::move(whole.findings)};
  }
  const CsvLogs logs{.csv = open_csv(InputFile(path), *delimiter, options),
                     .options = options,
                     .rows_per_batch = blocks_per_batch * steps};
  OpenedLogs opened{.source = Source([] { return Source::Next{}; })};
  const WholeTable whole = survey(logs, opened);
  opened.source = Source([logs, whole, steps]() -> Source::Next {
    const auto blocks = std::make_shared<Blocks>(logs, whole, steps);
    return [blocks] { return blocks->next(); };
  });
  return opened;
}

}  // namespace starope::io
