#include "starope/io/first_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "starope/base/bytes.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb_logs.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {
namespace {

Fingerprint fingerprint_of_name(std::string_view name) {
  return fingerprint_of(std::as_bytes(std::span(name.data(), name.size())));
}

// The texts of one column in a batch, with the rows in which they change, and the rows in which its cell is empty.
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

TextColumn read_text(TableReader& table, std::int64_t field, Blank blank) {
  TableReading reading = table.read({{field, TextCells{}, blank, {}}});
  TextColumn column{.runs = std::move(reading.text)};
  if (reading.partial_rows) column.empty = *std::move(reading.partial_rows);
  return column;
}

// The value of the earliest row seen so far of every episode.
class Earliest {
 public:
  explicit Earliest(EpisodePlaces places)
      : places_(std::move(places)), values_(places_.size()), times_(places_.size(), nobody) {}

  // Some rows of one episode. Without times the first row seen is the first.
  void take(std::string_view name, std::span<const double> times, std::int64_t first, std::int64_t end,
            const TextColumn& values) {
    const auto place = places_.find(name, before_);
    if (!place) return;
    before_ = *place;
    std::int64_t row = first;
    for (std::int64_t r = first + 1; r < end && !times.empty(); ++r) row = rank(times[r]) < rank(times[row]) ? r : row;
    const double time = times.empty() ? 0.0 : rank(times[row]);
    double& best = times_[*place];
    if (!std::isnan(best) && !(time < best)) return;
    best = time;
    values_[*place] = values.at(row);
  }

  std::vector<std::string> values() && { return std::move(values_); }

 private:
  static constexpr double nobody = std::numeric_limits<double>::quiet_NaN();
  // A row without a time is the one behind the last step.
  static double rank(double time) { return std::isnan(time) ? HUGE_VAL : time; }

  EpisodePlaces places_;
  std::int64_t before_ = -1;
  std::vector<std::string> values_;
  std::vector<double> times_;
};

std::vector<std::string> from_table(TableReader& table, const std::string& column, const ReadOptions& options,
                                    EpisodePlaces places) {
  const bool named = options.episode && !options.episode->empty();
  const std::int64_t episode = field_of(table, named ? *options.episode : "episode", "--episode");
  const std::int64_t by = field_of(table, column, "--by");
  const std::string t = options.t.value_or("t");
  const auto t_is = [&](const TableColumn& each) { return each.name == t && !t.empty(); };
  const auto time = std::find_if(table.columns().begin(), table.columns().end(), t_is);
  const bool timed = time != table.columns().end();
  Earliest earliest(std::move(places));
  std::vector<double> times;
  while (const auto rows = table.next(episode)) {
    const TextColumn names = read_text(table, episode, Blank::never), values = read_text(table, by, Blank::together);
    if (timed) {
      times.resize(*rows);
      table.read({{time - table.columns().begin(), NumberCells{times.data(), 1}, Blank::free, {}}});
    }
    const std::vector<std::int64_t>& first = names.runs.first_row;
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::int64_t end = i + 1 < first.size() ? first[i + 1] : *rows;
      earliest.take(names.runs.text[i], times, first[i], end, values);
    }
  }
  return std::move(earliest).values();
}

// Of an archive, which is read at once anyway: as a state, which may be any number.
std::vector<std::string> from_archive(const std::string& path, const std::string& column, ReadOptions options,
                                      EpisodePlaces places) {
  options.state = {column};
  options.state_kind = StateKind::continuous;
  options.need_state = true;
  options.need_action = options.need_behavior = options.need_target = false;
  const Dataset data = read(path, options).data;
  std::vector<std::string> values(places.size());
  const auto& states = std::get<DenseStates>(data.states());
  std::vector<double> scratch;
  std::int64_t before = -1;
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    const auto place = places.find(data.episode_name(i), before);
    if (!place) continue;
    before = *place;
    values[before] = fmt::format("{}", states.row(data.first_step(i), scratch).front());
  }
  return values;
}

}  // namespace

void EpisodePlaces::add(const Dataset& block) {
  for (std::int64_t e = 0; e < block.episodes(); ++e) by_place_.push_back(fingerprint_of_name(block.episode_name(e)));
}

std::optional<std::int64_t> EpisodePlaces::find(std::string_view name, std::int64_t before) {
  const Fingerprint wanted = fingerprint_of_name(name);
  for (const std::int64_t near : {before, before + 1}) {
    if (near >= 0 && near < size() && by_place_[near] == wanted) return near;
  }
  const auto key = [](const Fingerprint& of) { return std::tie(of.high, of.low); };
  if (by_name_.empty()) {
    by_name_.resize(by_place_.size());
    std::iota(by_name_.begin(), by_name_.end(), 0);
    std::sort(by_name_.begin(), by_name_.end(),
              [&](std::int64_t a, std::int64_t b) { return key(by_place_[a]) < key(by_place_[b]); });
  }
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), wanted,
                                      [&](std::int64_t a, const auto& of) { return key(by_place_[a]) < key(of); });
  if (found == by_name_.end() || by_place_[*found] != wanted) return std::nullopt;
  return *found;
}

std::vector<std::string> first_values(const std::string& path, const std::string& column, const ReadOptions& options,
                                      EpisodePlaces places) {
  if (needs_duckdb(path, options)) {
    std::vector<std::string> values;
    with_columns_of_duckdb(path, options, column,
                           [&](TableReader& table) { values = from_table(table, column, options, std::move(places)); });
    return values;
  }
  const auto delimiter = delimiter_of(path);
  if (!delimiter) return from_archive(path, column, options, std::move(places));
  CsvTableReader table(std::make_unique<InputStream>(path), *delimiter, options);
  return from_table(table, column, options, std::move(places));
}

}  // namespace starope::io
