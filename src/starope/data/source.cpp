#include "starope/data.hpp"

#include <algorithm>
#include <memory>

#include "starope/data/episode_hashes.hpp"
#include "starope/data/sample_places.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

struct Candidate {
  std::uint64_t hash = 0;
  std::int64_t place = 0;  // among all episodes: decides between equal hashes, and so between equal ids
  std::int64_t length = 0;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.place < b.place;
  }
};

// The first ones, in order, while they fit; at least one. Returns the first one that does not.
std::optional<Candidate> keep_what_fits(std::vector<Candidate>& sorted, std::int64_t most_steps) {
  std::int64_t steps = 0;
  std::size_t kept = 0;
  while (kept < sorted.size() && (kept == 0 || steps + sorted[kept].length <= most_steps))
    steps += sorted[kept++].length;
  std::optional<Candidate> refused;
  if (kept < sorted.size()) refused = sorted[kept];
  sorted.resize(kept);
  return refused;
}

}  // namespace

std::vector<EpisodeRange> make_blocks(const Dataset& data, std::int64_t steps) {
  const std::int64_t n = data.episodes();
  std::vector<EpisodeRange> blocks;
  EpisodeRange open;
  std::int64_t inside = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    inside += data.length(i);
    open.last = i + 1;
    if (inside >= steps || i + 1 == n) {
      blocks.push_back(open);
      open = {i + 1, i + 1};
      inside = 0;
    }
  }
  return blocks;
}

Source dataset_source(const Dataset& data, std::int64_t steps) {
  return dataset_source(data, make_blocks(data, steps));
}

Source dataset_source(const Dataset& data, std::vector<EpisodeRange> blocks) {
  const auto shared = std::make_shared<const std::vector<EpisodeRange>>(std::move(blocks));
  return Source([data, shared]() -> Source::Next {
    return [data, shared, next = std::size_t{0}]() mutable -> std::optional<Dataset> {
      if (next == shared->size()) return std::nullopt;
      const EpisodeRange block = (*shared)[next++];
      return data.take(block.first, block.last);
    };
  });
}

Dataset read_all(const Source& source) {
  std::vector<Dataset> blocks;
  const Source::Next next = source.open();
  while (auto block = next()) blocks.push_back(*std::move(block));
  if (blocks.empty()) throw InvalidArgument("a source of episodes must yield at least one block");
  return blocks.size() == 1 ? blocks.front() : concat(blocks);
}

namespace {

// Those whose ids have the smallest hashes, in order of the hashes; none if all of them fit.
std::vector<Candidate> choose(const Source& source, std::int64_t most_steps, std::int64_t& episodes) {
  std::vector<Candidate> chosen;
  // What does not fit now never will, because later episodes only take more of the room; and nothing behind it belongs
  // to the sample, however short: the sample must not depend on which episodes come in one block.
  std::optional<Candidate> end;
  std::int64_t steps = 0;
  episodes = 0;
  const Source::Next next = source.open();
  while (const auto block = next()) {
    const std::vector<std::uint64_t> hashes = episode_hashes(*block, episodes);
    const auto known = static_cast<std::ptrdiff_t>(chosen.size());
    for (std::int64_t i = 0; i < block->episodes(); ++i) {
      const Candidate candidate{hashes[i], episodes + i, block->length(i)};
      if (!end || candidate < *end) chosen.push_back(candidate);
    }
    episodes += block->episodes();
    steps += block->steps();
    if (steps <= most_steps) continue;
    std::sort(chosen.begin() + (end ? known : 0), chosen.end());
    std::inplace_merge(chosen.begin(), chosen.begin() + (end ? known : 0), chosen.end());
    if (const auto refused = keep_what_fits(chosen, most_steps)) end = refused;
  }
  if (steps <= most_steps) chosen.clear();
  return chosen;
}

}  // namespace

std::vector<SampledEpisode> sampled_episodes(const Source& source, std::int64_t most_steps) {
  std::int64_t episodes = 0;
  std::vector<SampledEpisode> sampled;
  for (const Candidate& c : choose(source, most_steps, episodes)) sampled.push_back({c.place, c.length});
  if (!sampled.empty()) return sampled;
  const Source::Next next = source.open();
  while (const auto block = next()) {
    for (std::int64_t i = 0; i < block->episodes(); ++i)
      sampled.push_back({static_cast<std::int64_t>(sampled.size()), block->length(i)});
  }
  return sampled;
}

std::vector<std::int64_t> sample_places(const Source& source, std::int64_t most_steps) {
  std::int64_t episodes = 0;
  std::vector<std::int64_t> places;
  for (const Candidate& c : choose(source, most_steps, episodes)) places.push_back(c.place);
  if (!places.empty()) return places;
  for (std::int64_t i = 0; i < episodes; ++i) places.push_back(i);
  return places;
}

EpisodeSample sample_episodes(const Source& source, std::int64_t most_steps) {
  // The first pass chooses, the second collects: no more than the sample is ever held.
  std::int64_t episodes = 0;
  const std::vector<Candidate> chosen = choose(source, most_steps, episodes);
  if (chosen.empty()) return {.episodes = read_all(source), .whole = true};

  std::vector<std::int64_t> places, order(chosen.size());
  for (const Candidate& c : chosen) places.push_back(c.place);
  std::sort(places.begin(), places.end());
  std::vector<Dataset> parts;
  std::int64_t first = 0;
  auto place = places.begin();
  const Source::Next next = source.open();
  while (const auto block = next()) {
    std::vector<std::int64_t> wanted;
    for (; place != places.end() && *place < first + block->episodes(); ++place) wanted.push_back(*place - first);
    if (!wanted.empty()) parts.push_back(block->take(wanted));
    first += block->episodes();
  }
  for (std::size_t i = 0; i < chosen.size(); ++i)
    order[i] = std::lower_bound(places.begin(), places.end(), chosen[i].place) - places.begin();
  const Dataset joined = concat(parts);
  parts.clear();  // the sample is large: two copies at a time, not three
  return {.episodes = joined.take(order), .whole = false};
}

}  // namespace starope
