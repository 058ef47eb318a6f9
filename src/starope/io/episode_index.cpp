#include "starope/io/episode_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

namespace starope::io {
namespace {

// "7" and "-7", but not "007": leading zeros say that the id is a text that happens to consist of digits.
std::optional<std::int64_t> integer_id(std::string_view text) noexcept {
  const std::string_view digits = !text.empty() && text.front() == '-' ? text.substr(1) : text;
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t id = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), id);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  return id;
}

std::optional<std::vector<std::int64_t>> all_integers(const std::vector<std::string_view>& texts) {
  std::vector<std::int64_t> ids;
  ids.reserve(texts.size());
  for (const std::string_view text : texts) {
    const auto id = integer_id(text);
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

// For each run the first run with the same id. By sorting rather than hashing: no surprise for any ids.
template <class Id>
std::vector<std::int64_t> first_runs(const std::vector<Id>& ids) {
  std::vector<std::int64_t> first(ids.size());
  std::iota(first.begin(), first.end(), 0);
  const bool ascending = std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) == ids.end();
  if (ascending) return first;
  std::vector<std::int64_t> by_id = first;
  const auto id = [&](std::int64_t run) { return ids[run]; };
  std::sort(by_id.begin(), by_id.end(),
            [&](std::int64_t a, std::int64_t b) { return id(a) < id(b) || (id(a) == id(b) && a < b); });
  for (std::size_t i = 1; i < by_id.size(); ++i) {
    if (id(by_id[i]) != id(by_id[i - 1])) continue;
    first[by_id[i]] = first[by_id[i - 1]];
  }
  return first;
}

class Indexer {
 public:
  Indexer(const TextRuns& runs, std::int64_t rows, const EpisodeIndexOptions& options, const TableSource& source)
      : runs_(runs), rows_(rows), options_(options), source_(source) {}

  template <class Id>
  EpisodeIndex index(const std::vector<Id>& ids) const {
    const std::vector<std::int64_t> first = first_runs(ids);
    EpisodeIndex result;
    if (options_.sort) {
      collect(first, result);
    } else {
      check_contiguous(first);
      result.offsets = runs_.first_row;
      result.offsets.push_back(rows_);
    }
    using Kept = std::conditional_t<std::is_same_v<Id, std::int64_t>, std::int64_t, std::string>;
    std::vector<Kept> kept;
    kept.reserve(result.offsets.size() - 1);
    for (std::size_t run = 0; run < ids.size(); ++run) {
      if (first[run] == static_cast<std::int64_t>(run)) kept.emplace_back(ids[run]);
    }
    result.ids = std::move(kept);
    return result;
  }

 private:
  std::int64_t end_of(std::size_t run) const {
    return run + 1 < runs_.first_row.size() ? runs_.first_row[run + 1] : rows_;
  }

  void check_contiguous(const std::vector<std::int64_t>& first) const {
    for (std::size_t run = 0; run < first.size(); ++run) {
      if (first[run] == static_cast<std::int64_t>(run)) continue;
      const auto before = static_cast<std::size_t>(first[run]);
      fail_not_contiguous(source_.at(runs_.first_row[run], options_.column), std::string(runs_.text[run]),
                          source_.first_row + runs_.first_row[before], source_.first_row + end_of(before) - 1);
    }
  }

  // The runs of an episode one behind the other, then each episode by t.
  void collect(const std::vector<std::int64_t>& first, EpisodeIndex& result) const {
    // A counting sort: `place` is where the next row of an episode goes, by its first run.
    std::vector<std::int64_t> place(first.size(), 0);
    for (std::size_t run = 0; run < first.size(); ++run) place[first[run]] += end_of(run) - runs_.first_row[run];
    std::int64_t next = 0;
    for (std::size_t run = 0; run < first.size(); ++run) {
      if (first[run] != static_cast<std::int64_t>(run)) continue;
      result.offsets.push_back(next);
      const std::int64_t size = place[run];
      place[run] = next;
      next += size;
    }
    result.offsets.push_back(next);
    result.order.resize(rows_);
    for (std::size_t run = 0; run < first.size(); ++run) {
      std::int64_t& to = place[first[run]];
      for (std::int64_t row = runs_.first_row[run]; row < end_of(run); ++row) result.order[to++] = row;
    }
    if (!options_.t.empty()) order_by_t(result);
    const bool unchanged = std::is_sorted(result.order.begin(), result.order.end());
    if (unchanged) result.order.clear();
  }

  void order_by_t(EpisodeIndex& result) const {
    const auto earlier = [&](std::int64_t a, std::int64_t b) {
      const double x = options_.t[a];
      const double y = options_.t[b];
      return x < y || (std::isnan(y) && !std::isnan(x));
    };
    for (std::size_t e = 0; e + 1 < result.offsets.size(); ++e) {
      const auto from = result.order.begin() + result.offsets[e];
      const auto to = result.order.begin() + result.offsets[e + 1];
      if (!std::is_sorted(from, to, earlier)) std::stable_sort(from, to, earlier);
    }
  }

  const TextRuns& runs_;
  std::int64_t rows_;
  const EpisodeIndexOptions& options_;
  const TableSource& source_;
};

}  // namespace

void fail_not_contiguous(DataLocation at, std::string episode, std::int64_t first_row, std::int64_t last_row) {
  DataError::Problem problem;
  problem.code = "not_contiguous";
  problem.at = std::move(at);
  problem.value = std::move(episode);
  problem.rule = fmt::format(
      "comes back after other episodes: rows {} to {} belong to it too, and the rows of an episode must be contiguous",
      first_row, last_row);
  problem.remedy = "Pass --sort to collect the rows of each episode, or give each episode an id of its own";
  throw DataError(std::move(problem));
}

EpisodeIndex index_episodes(const TextRuns& runs, std::int64_t rows, const EpisodeIndexOptions& options,
                            const TableSource& source) {
  const Indexer indexer(runs, rows, options, source);
  if (const auto integers = all_integers(runs.text)) return indexer.index(*integers);
  return indexer.index(runs.text);
}

}  // namespace starope::io
