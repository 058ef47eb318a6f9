#include "starope/study/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/study.hpp"
#include "starope/study/checksum.hpp"

namespace starope {
namespace {

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Shard::Shard(std::int64_t index, std::int64_t count) : index_(index), count_(count) {
  if (index < 1 || index > count) {
    throw InvalidArgument(fmt::format("there is no shard {} of {}: shards are numbered from 1", index, count));
  }
}

Shard Shard::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto index = whole(text.substr(0, slash));
  const auto count = slash == std::string_view::npos ? std::nullopt : whole(text.substr(slash + 1));
  if (!index || !count) throw InvalidArgument(fmt::format("'{}' is no shard; write I/N, for example 2/8", text));
  return {*index, *count};
}

std::vector<StudyCell> plan_study(const StudySpec& spec, const Shard& shard) {
  std::int64_t trials = 0;
  for (const StudyDomain& domain : spec.domains) trials = std::max(trials, domain.trials);
  std::vector<StudyCell> cells;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    std::int64_t shift = 0;  // a case more or less must not give all small or all large cells to one shard
    for (std::size_t d = 0; d < spec.domains.size(); ++d) {
      const StudyDomain& domain = spec.domains[d];
      std::vector<std::int64_t> sizes = domain.sizes;
      std::sort(sizes.rbegin(), sizes.rend());
      for (const std::int64_t size : sizes) {
        const bool ours = (trial + shift++) % shard.count() == shard.index() - 1;
        if (trial < domain.trials && ours) cells.push_back({.domain = d, .size = size, .trial = trial});
      }
    }
  }
  return cells;
}

Seed cell_seed(const StudySpec& spec, const StudyCell& cell) {
  const std::string item = fmt::format("{}/{}", spec.domains.at(cell.domain).name, cell.size);
  return Seed{random_bits(spec.seed, Stream::study_cell, fnv1a(item), static_cast<std::uint32_t>(cell.trial))};
}

Seed truth_seed(const StudySpec& spec, std::size_t domain) {
  return Seed{random_bits(spec.seed, Stream::study_truth, fnv1a(spec.domains.at(domain).name), 0)};
}

}  // namespace starope
