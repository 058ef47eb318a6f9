#include "starope/io/open.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#if STAROPE_FILES
#include <unistd.h>

#include <fstream>
#endif

#include "starope/base/bytes.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/assemble.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb_logs.hpp"
#include "starope/io/episode_index.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/npz_logs.hpp"
#include "starope/io/spool.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope::io {
namespace {

// The rows of a table whose batches end anywhere, in blocks of whole episodes that are closed as make_blocks does it.
// An episode is open until another one begins, and its rows are carried to the next batch.
class BlockReader {
 public:
  BlockReader(TableReader& table, const ReadOptions& options, std::int64_t steps)
      : reader_(table, options), steps_(steps) {}

  // The next blocks, at least one; none: that was all. They live as long as the table stays at its batch.
  std::vector<LongTable> next() {
    std::vector<LongTable> blocks;
    while (blocks.empty()) {
      LongTable rows = open_ ? *std::exchange(open_, std::nullopt) : LongTable{};
      if (!reader_.append(rows)) {
        if (rows.rows > 0) blocks.push_back(std::move(rows));
        return blocks;
      }
      if (rows.rows == 0) continue;
      const std::vector<std::int64_t> ends = ends_of_blocks(rows);
      // From behind: every row is copied once.
      for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
        LongTable behind = split(rows, *end);
        if (end == ends.rbegin()) {
          open_ = std::move(behind);
        } else {
          blocks.push_back(std::move(behind));
        }
      }
      if (ends.empty()) {
        rows.episode.own();
        make_room(rows);
        open_ = std::move(rows);
      } else {
        blocks.push_back(std::move(rows));
      }
    }
    std::reverse(blocks.begin(), blocks.end());
    return blocks;
  }

 private:
  // For a block of small batches, and the batch with which it ends: once, instead of again and again as it grows.
  void make_room(LongTable& rows) const {
    constexpr std::int64_t small = 4096, most = std::int64_t{1} << 17;
    if (rows.rows > small || steps_ > most) return;
    for_each_column(rows, [&](auto& column, std::int64_t width) { column.reserve((steps_ + rows.rows) * width); });
  }

  // Partial rows are no steps.
  std::vector<std::int64_t> ends_of_blocks(const LongTable& rows) const {
    std::vector<std::int64_t> ends;
    std::int64_t inside = 0;
    auto partial = rows.partial_rows.begin();
    const std::vector<std::int64_t>& first_row = rows.episode.first_row;
    for (std::size_t i = 0; i + 1 < first_row.size(); ++i) {
      inside += first_row[i + 1] - first_row[i];
      for (; partial != rows.partial_rows.end() && *partial < first_row[i + 1]; ++partial) --inside;
      if (inside < steps_) continue;
      ends.push_back(first_row[i + 1]);
      inside = 0;
    }
    return ends;
  }

  LogReader reader_;
  std::int64_t steps_;
  std::optional<LongTable> open_{};
};

// glibc gives the end of its heap back to the system as soon as more than a little is free there, and every block would
// pay for new pages again. It keeps more once it has seen a larger piece come and go.
void keep_pages_of_blocks() {
  constexpr std::size_t larger_than_a_block = std::size_t{1} << 24;
  void* volatile piece = ::operator new(larger_than_a_block);
  ::operator delete(piece);
}

// Finds episodes that come back, without keeping their names.
class SeenEpisodes {
 public:
  void add(const Dataset& block, const std::vector<std::int64_t>& first_rows) {
    for (std::int64_t e = 0; e < block.episodes(); ++e) {
      const std::string name = block.episode_name(e);
      all_.push_back({.name = fingerprint_of(std::as_bytes(std::span(name))),
                      .first_row = first_rows[e],
                      .place = static_cast<std::int64_t>(all_.size())});
    }
  }

  std::int64_t size() const noexcept { return static_cast<std::int64_t>(all_.size()); }

  struct Return {
    std::int64_t place = 0;  // of the episode, among all
    std::int64_t row = 0;
    std::int64_t before_first = 0, before_last = 0;  // rows of the same episode
  };
  // The first in the table.
  std::optional<Return> find(std::int64_t end_of_rows) {
    std::sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.name.high, a.name.low, a.place) < std::tie(b.name.high, b.name.low, b.place);
    });
    const Entry* first = nullptr;
    const Entry* before = nullptr;
    for (std::size_t i = 1; i < all_.size(); ++i) {
      if (all_[i - 1].name != all_[i].name || (first != nullptr && first->place < all_[i].place)) continue;
      first = &all_[i];
      before = &all_[i - 1];
    }
    if (first == nullptr) return std::nullopt;
    std::int64_t end = end_of_rows;
    for (const Entry& each : all_) {
      if (each.place == before->place + 1) end = each.first_row;
    }
    return Return{
        .place = first->place, .row = first->first_row, .before_first = before->first_row, .before_last = end - 1};
  }

 private:
  struct Entry {
    Fingerprint name{};
    std::int64_t first_row = 0;  // in the file
    std::int64_t place = 0;
  };
  std::deque<Entry> all_{};  // no vector: one that grows is there twice for a moment
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

// What the whole decides, done to a block.
bool settle(Columns& columns, const WholeTable& whole) {
  bool changed = false;
  auto* const actions = std::get_if<DiscreteActions>(&columns.actions);
  if (actions != nullptr && actions->count != whole.actions) {
    actions->count = static_cast<std::int32_t>(whole.actions);
    changed = true;
  }
  const auto* const bits = std::get_if<BinaryStates>(&columns.states);
  if (bits != nullptr && !whole.bits) {
    columns.states = to_dense(*bits);
    changed = true;
  }
  const auto* const ids = std::get_if<Column<std::int64_t>>(&columns.episode_ids);
  if (ids != nullptr && !whole.integer_ids) {
    std::vector<std::string> texts;
    for (const std::int64_t id : *ids) texts.push_back(std::to_string(id));
    columns.episode_ids = Column<std::string>(std::move(texts));
    changed = true;
  }
  return changed;
}

// Reads all blocks, checks them, and finds what a part cannot know of the whole.
class Opener {
 public:
  Opener(TableReader& table, const ReadOptions& options, const OpenOptions& opening)
      : table_(table),
        options_(options),
        opening_(opening),
        blocks_(table, options, opening.steps),
        spool_(std::make_shared<Spool>(opening.memory, opening.folder)) {}

  OpenedLogs run() {
    keep_pages_of_blocks();
    try {
      for (std::vector<LongTable> blocks = blocks_.next(); !blocks.empty(); blocks = blocks_.next()) take(blocks);
    } catch (const DataError& error) {
      if (!offences_.any()) throw;
      offences_.append(error);
    }
    offences_.raise();
    if (spool_->size() == 0) fail_no_rows(table_);
    if (const auto again = seen_.find(end_of_rows_)) fail_return(*again);
    spool_->settle([whole = whole_](Columns& columns) { return settle(columns, whole); });
    opened_.bytes = spool_->bytes();
    opened_.in_memory = spool_->in_memory();
    opened_.source = Source([spool = std::shared_ptr<const Spool>(spool_)]() -> Source::Next {
      return [spool, next = std::int64_t{0}]() mutable -> std::optional<Dataset> {
        if (next < spool->size()) return spool->block(next++);
        spool->rest();
        return std::nullopt;
      };
    });
    return std::move(opened_);
  }

 private:
  void take(std::vector<LongTable>& blocks) {
    std::vector<std::optional<ReadResult>> parts(blocks.size());
    std::vector<std::vector<std::int64_t>> first_rows(blocks.size());
    if (end_of_rows_ == 0) table_rows_ = blocks.front().source.first_row;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      first_rows[i] = blocks[i].episode.first_row;
      for (std::int64_t& row : first_rows[i]) row += blocks[i].source.first_row;
      end_of_rows_ = blocks[i].source.first_row + blocks[i].rows;
    }
    std::vector<std::optional<DataError>> wrong(blocks.size());
    parallel_for(static_cast<std::int64_t>(blocks.size()), options_.threads, [&](std::int64_t i) {
      try {
        parts[i] = assemble(std::move(blocks[i]), {.whole = WholeTable{.bits = whole_.bits, .integer_ids = true}});
      } catch (const DataError& error) {
        wrong[i] = error;
      }
    });
    // Once a row is wrong, the rest is only looked at for others that are.
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (wrong[i]) offences_.append(*wrong[i]);
      if (!offences_.any()) absorb(*parts[i], first_rows[i]);
    }
    if (opening_.progress) opening_.progress({.rows = end_of_rows_ - table_rows_, .share = table_.share_read()});
  }

  void absorb(const ReadResult& part, const std::vector<std::int64_t>& first_rows) {
    const Dataset& data = part.data;
    if (const auto* actions = std::get_if<DiscreteActions>(&data.actions()))
      whole_.actions = std::max(whole_.actions, std::int64_t{actions->count});
    whole_.bits = whole_.bits && std::holds_alternative<BinaryStates>(data.states());
    whole_.integer_ids = whole_.integer_ids && std::holds_alternative<Column<std::int64_t>>(data.episode_ids());
    seen_.add(data, first_rows);
    const std::int64_t rows = opened_.summary.rows, finals = opened_.summary.final_states;
    opened_.summary = part.summary;
    opened_.summary.rows += rows;
    opened_.summary.final_states += finals;
    add(opened_.findings, part.findings);
    spool_->add(data);
    spool_->leave(bytes_per_episode * seen_.size());
  }

  [[noreturn]] void fail_return(const SeenEpisodes::Return& again) const {
    std::int64_t before = 0;
    std::string name, column = "episode";
    for (std::int64_t b = 0; b < spool_->size() && name.empty(); ++b) {
      const Dataset block = spool_->block(b);
      if (again.place < before + block.episodes()) name = block.episode_name(again.place - before);
      before += block.episodes();
    }
    for (const UsedColumn& used : opened_.summary.used) {
      if (used.role == "episode") column = used.name;
    }
    const TableSource source{.file = opened_.summary.file, .first_row = 0};
    fail_not_contiguous(source.at(again.row, column), name, again.before_first, again.before_last);
  }

  // What is known of an episode while it is read, and what estimators hold of it later.
  static constexpr std::int64_t bytes_per_episode = 64;

  TableReader& table_;
  const ReadOptions& options_;
  const OpenOptions& opening_;
  BlockReader blocks_;
  std::shared_ptr<Spool> spool_;
  SeenEpisodes seen_{};
  WholeTable whole_{.bits = true, .integer_ids = true};
  std::int64_t end_of_rows_ = 0;
  std::int64_t table_rows_ = 0;  // the number of the first row
  Offences offences_{};
  OpenedLogs opened_{.source = Source([] { return Source::Next{}; })};
};

// What logs of this size need if all their rows are as these.
std::optional<LogsSize> size_of_rows_like(CsvTableReader& table, const ReadOptions& options, std::int64_t size) {
  constexpr std::int64_t ratio_bytes = sizeof(double);  // of the question that is asked of the logs
  auto rows = LogReader(table, options).next();
  if (!rows || rows->rows == 0) return std::nullopt;
  std::int64_t bytes = 0;
  for_each_column(*rows, [&](const auto& column, std::int64_t) {
    bytes += static_cast<std::int64_t>(column.size() * sizeof(column[0]));
  });
  const double rows_in_all =
      static_cast<double>(size) * static_cast<double>(rows->rows) / static_cast<double>(table.bytes());
  const double bytes_of_row = static_cast<double>(bytes) / static_cast<double>(rows->rows) + double{ratio_bytes};
  const auto* const numbers = std::get_if<NumberRows>(&rows->states);
  return LogsSize{.bytes = static_cast<std::int64_t>(rows_in_all * bytes_of_row),
                  .steps = static_cast<std::int64_t>(rows_in_all),
                  .state_numbers = numbers != nullptr ? numbers->dimension : 0};
}

std::optional<std::int64_t> bytes_of(const std::optional<LogsSize>& logs) {
  return logs ? std::optional(logs->bytes) : std::nullopt;
}

void check(const OpenOptions& opening) {
  if (opening.steps < 1) throw InvalidArgument(fmt::format("a block must have at least 1 step, not {}", opening.steps));
}

}  // namespace

std::int64_t half_the_memory() {
  std::int64_t bytes = std::int64_t{2} << 30;
#if STAROPE_FILES
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page > 0) bytes = std::int64_t{pages} * page;
  std::ifstream group("/sys/fs/cgroup/memory.max");  // of the container, if this is one: a number, or "max"
  std::int64_t most = 0;
  if (group >> most && most > 0) bytes = std::min(bytes, most);
#endif
  return bytes / 2;
}

std::optional<std::int64_t> memory_needed(std::string_view begin, std::int64_t size, const std::string& name,
                                          const ReadOptions& options) {
  try {
    const auto delimiter = delimiter_of(name, begin);
    if (!delimiter) return std::nullopt;
    if (std::cmp_less(begin.size(), size)) begin = begin.substr(0, end_of_records(begin));
    CsvTableReader table(InputFile(begin, name), *delimiter, options);
    return bytes_of(size_of_rows_like(table, options, size));
  } catch (const Error&) {
    return std::nullopt;  // who reads it will say why
  }
}

std::optional<std::int64_t> memory_needed(const std::string& path, const ReadOptions& options) {
  return bytes_of(size_of_logs(path, options));
}

std::optional<LogsSize> size_of_logs(const std::string& path, const ReadOptions& options) {
  const auto size = size_of_file(path);
  const bool duckdb = needs_duckdb(path, options);
  if (!size && !duckdb) return std::nullopt;
  constexpr std::int64_t few_bytes = std::int64_t{1} << 16;
  try {
    if (duckdb) return size_of_duckdb(path, options);
    const std::optional<char> delimiter = delimiter_of(path);
    if (!delimiter) return LogsSize{.bytes = npz_bytes_in_memory(InputFile(path))};
    ReadOptions first = options;
    first.chunk_bytes = std::min(options.chunk_bytes, few_bytes);
    CsvTableReader table(std::make_unique<InputStream>(path), *delimiter, first);
    return size_of_rows_like(table, first, *size);
  } catch (const Error&) {
    return std::nullopt;  // who reads it will say why
  }
}

OpenedLogs opened_in_memory(ReadResult whole, std::int64_t steps) {
  const std::int64_t bytes = bytes_of(whole.data.columns());
  return {.source = dataset_source(whole.data, steps),
          .summary = std::move(whole.summary),
          .findings = std::move(whole.findings),
          .bytes = bytes,
          .in_memory = true};
}

OpenedLogs open_logs(TableReader& table, const ReadOptions& options, const OpenOptions& opening) {
  return Opener(table, options, opening).run();
}

OpenedLogs open(ArrowArrayStream* stream, const std::string& name, const ReadOptions& options,
                const OpenOptions& opening) {
  check(opening);
  ArrowTableReader table(stream, name);
  if (options.sort) return opened_in_memory(read_batches(table, options), opening.steps);
  return open_logs(table, options, opening);
}

bool reads_at_once(const std::string& path, const ReadOptions& options) {
  if (needs_duckdb(path, options)) return false;
  return options.sort || (path != "-" && !delimiter_of(path));
}

OpenedLogs open(const std::string& path, const ReadOptions& options, const OpenOptions& opening) {
  check(opening);
  if (needs_duckdb(path, options)) return open_duckdb(path, options, opening);
  const std::optional<char> delimiter = path == "-" ? ',' : delimiter_of(path);
  if (reads_at_once(path, options)) return opened_in_memory(read(path, options), opening.steps);
  CsvTableReader table(std::make_unique<InputStream>(path == "-" ? "/dev/stdin" : path), *delimiter, options);
  return open_logs(table, options, opening);
}

}  // namespace starope::io
