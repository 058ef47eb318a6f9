#include "starope/auto/pooled_parts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "starope/arp/episode_weights.hpp"
#include "starope/arp/move_counts.hpp"
#include "starope/auto/part_sweeps.hpp"
#include "starope/base/aligned.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

using LaneNumbers = AlignedVector<double>;

// What the members of a bag have in common: the steps of the episodes that are in any of the parts.
struct StepsOfParts {
  static constexpr std::int32_t ended = -1, unknown = -2;
  std::vector<std::uint32_t> row{};
  std::vector<std::int32_t> next{};  // a row, or one of the above
  std::vector<double> weight{}, weighted_reward{};
  std::vector<std::uint8_t> parts{};
  struct Start {
    std::uint32_t row;
    std::uint8_t parts;
  };
  std::vector<Start> starts{};
  std::array<double, part_lanes> episodes{};
};

StepsOfParts steps_of_parts(const Problem& problem, std::span<const std::vector<std::int64_t>> parts) {
  std::vector<std::uint8_t> of_episode(static_cast<std::size_t>(problem.episodes()), 0);
  StepsOfParts steps;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    STAROPE_ASSERT(!parts[p].empty() && std::is_sorted(parts[p].begin(), parts[p].end()));
    steps.episodes[p] = static_cast<double>(parts[p].size());
    for (const std::int64_t i : parts[p]) of_episode[i] = static_cast<std::uint8_t>(of_episode[i] | 1U << p);
  }
  const double gamma = problem.discount().gamma();
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const std::uint8_t in = of_episode[i];
    if (in == 0) continue;
    const LoggedEpisode episode = problem.episode(i);
    steps.starts.push_back({static_cast<std::uint32_t>(episode.first_row), in});
    double discount = 1.0;
    for (std::int64_t t = 0; t < episode.length(); ++t, discount *= gamma) {
      const Outcome outcome = outcome_of(episode, t);
      const double weight = episode.ratios[t] * discount;
      steps.row.push_back(static_cast<std::uint32_t>(episode.first_row + t));
      steps.next.push_back(outcome.next_row ? static_cast<std::int32_t>(*outcome.next_row)
                                            : (outcome.seen() ? StepsOfParts::ended : StepsOfParts::unknown));
      steps.weight.push_back(weight);
      steps.weighted_reward.push_back(weight * episode.rewards[t]);
      steps.parts.push_back(in);
    }
  }
  return steps;
}

// One member of a bag: the sums of the parts, the processes that they make, and their values.
class MemberOfParts {
 public:
  MemberOfParts(const Labels& labels, const StepsOfParts& steps)
      : labels_(labels), steps_(steps), cells_(static_cast<std::size_t>(labels.cells)) {
    find_moves();
    add_up();
    divide();
  }

  // Writes the rows from `first` on of the tables of the parts; returns what is left of the mass at every step.
  struct Left {
    double unsupported = 0.0;
    std::vector<double> mass_of_step{};
  };
  std::vector<Left> solve(std::span<PooledTables> tables, std::size_t member, double gamma) const;

 private:
  // Which moves there are, row by row, and what every step adds to: a move, or behind them the exit or cut of its cell.
  void find_moves() {
    const std::size_t count = steps_.row.size();
    const std::vector<Label>& label = labels_.of_row;
    std::vector<std::uint32_t> number(cells_ * cells_, 0);
    for (std::size_t i = 0; i < count; ++i) {
      if (steps_.next[i] >= 0) number[label[steps_.row[i]] * cells_ + label[steps_.next[i]]] = 1;
    }
    offsets_.push_back(0);
    for (std::size_t z = 0; z < cells_; ++z) {
      for (std::size_t to = 0; to < cells_; ++to) {
        std::uint32_t& known = number[z * cells_ + to];
        if (known == 0) continue;
        known = static_cast<std::uint32_t>(columns_.size());
        columns_.push_back(static_cast<std::uint32_t>(to));
      }
      offsets_.push_back(static_cast<std::uint32_t>(columns_.size()));
    }
    cell_.resize(count);
    entry_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t z = label[steps_.row[i]];
      const std::int32_t next = steps_.next[i];
      cell_[i] = static_cast<std::uint32_t>(z);
      entry_[i] = next >= 0 ? number[z * cells_ + label[next]]
                            : static_cast<std::uint32_t>((next == StepsOfParts::ended ? exits() : cuts()) + z);
    }
  }
  std::size_t exits() const { return columns_.size(); }
  std::size_t cuts() const { return columns_.size() + cells_; }

  void add_up() {
    sums_.assign((columns_.size() + 2 * cells_) * part_lanes, 0.0);
    reward_.assign(cells_ * part_lanes, 0.0);
    start_.assign(cells_ * part_lanes, 0.0);
    add_part_steps({.count = cell_.size(),
                    .cell = cell_.data(),
                    .entry = entry_.data(),
                    .weight = steps_.weight.data(),
                    .weighted_reward = steps_.weighted_reward.data(),
                    .parts = steps_.parts.data()},
                   sums_.data(), reward_.data());
    for (const StepsOfParts::Start& start : steps_.starts) {
      double* const of_cell = start_.data() + labels_.of_row[start.row] * part_lanes;
      for (std::size_t l = 0; l < part_lanes; ++l) of_cell[l] += (start.parts >> l & 1U) != 0 ? 1.0 : 0.0;
    }
  }

  // Sums become probabilities and means, as in make_model.
  void divide() {
    seen_.assign(cells_ * part_lanes, 0.0);
    visit_.assign(cells_ * part_lanes, 0.0);
    for (std::size_t z = 0; z < cells_; ++z) {
      std::array<double, part_lanes> seen;
      for (std::size_t l = 0; l < part_lanes; ++l) seen[l] = sums_[(exits() + z) * part_lanes + l];
      for (std::size_t e = offsets_[z]; e < offsets_[z + 1]; ++e) {
        for (std::size_t l = 0; l < part_lanes; ++l) seen[l] += sums_[e * part_lanes + l];
      }
      for (std::size_t l = 0; l < part_lanes; ++l) {
        const std::size_t at = z * part_lanes + l;
        const double visit = seen[l] + sums_[(cuts() + z) * part_lanes + l];
        seen_[at] = seen[l];
        visit_[at] = visit;
        reward_[at] = visit > 0.0 ? reward_[at] / visit : 0.0;
        start_[at] /= std::max(steps_.episodes[l], 1.0);
        if (!(seen[l] > 0.0)) seen[l] = 1.0;  // there are no moves
      }
      for (std::size_t e = offsets_[z]; e < offsets_[z + 1]; ++e) {
        for (std::size_t l = 0; l < part_lanes; ++l) sums_[e * part_lanes + l] /= seen[l];
      }
    }
  }

  void solve_values(const PartProcess& process, std::span<PooledTables> tables, std::size_t first) const;
  void solve_mass(const PartProcess& process, std::span<PooledTables> tables, std::size_t first,
                  std::vector<Left>& left) const;

  const Labels& labels_;
  const StepsOfParts& steps_;
  std::size_t cells_;
  std::vector<std::uint32_t> offsets_{}, columns_{}, cell_{}, entry_{};
  LaneNumbers sums_{}, reward_{}, start_{}, seen_{}, visit_{};  // [entry or cell][lane]
};

std::vector<MemberOfParts::Left> MemberOfParts::solve(std::span<PooledTables> tables, std::size_t member,
                                                      double gamma) const {
  const std::size_t first = tables.front().first_cell[member];
  for (std::size_t p = 0; p < tables.size(); ++p) {
    PooledTables& table = tables[p];
    const double n = steps_.episodes[p];
    for (std::size_t z = 0; z < cells_; ++z) {
      const std::size_t at = z * part_lanes + p;
      table.reward[first + z] = reward_[at];
      if (visit_[at] > 0.0) table.per_visit[first + z] = n / visit_[at];
      if (seen_[at] > 0.0) table.per_seen[first + z] = n / seen_[at];
    }
  }
  const PartProcess process{.cells = cells_,
                            .gamma = gamma,
                            .offsets = offsets_.data(),
                            .columns = columns_.data(),
                            .share = sums_.data(),
                            .reward = reward_.data()};
  solve_values(process, tables, first);
  for (std::size_t p = 0; p < tables.size(); ++p) {
    double& plain = tables[p].plain[member];
    for (std::size_t z = 0; z < cells_; ++z)
      plain += start_[z * part_lanes + p] * tables[p].values[(first + z) * tables[p].value_stride];
  }
  std::vector<Left> left(tables.size());
  solve_mass(process, tables, first, left);
  return left;
}

void MemberOfParts::solve_values(const PartProcess& process, std::span<PooledTables> tables, std::size_t first) const {
  LaneNumbers next(cells_ * part_lanes, 0.0), here(next.size());
  const std::size_t stride = tables.front().value_stride;
  for (std::size_t k = tables.front().horizon; k-- > 0; std::swap(here, next)) {
    sweep_back(process, next.data(), here.data());
    for (std::size_t p = 0; p < tables.size(); ++p) {
      double* const values = tables[p].values.data() + first * stride + k;
      for (std::size_t z = 0; z < cells_; ++z) values[z * stride] = here[z * part_lanes + p];
    }
  }
}

void MemberOfParts::solve_mass(const PartProcess& process, std::span<PooledTables> tables, std::size_t first,
                               std::vector<Left>& left) const {
  const std::size_t horizon = tables.front().horizon, stride = tables.front().mass_stride;
  for (Left& of_part : left) of_part.mass_of_step.assign(horizon, 0.0);
  LaneNumbers here = start_, next(here.size());
  for (std::size_t k = 0; k < horizon; ++k, std::swap(here, next)) {
    for (std::size_t p = 0; p < tables.size(); ++p) {
      double* const mass = tables[p].mass.data() + first * stride + k;
      double* const total = tables[p].total_mass.data() + first;
      for (std::size_t z = 0; z < cells_; ++z) {
        const double d = here[z * part_lanes + p];
        mass[z * stride] = d;
        total[z] += d;
        left[p].mass_of_step[k] += d;
        if (k + 1 < horizon && !(seen_[z * part_lanes + p] > 0.0)) left[p].unsupported += d;
      }
    }
    sweep_ahead(process, here.data(), next.data());
  }
}

// Rows are numbers of 32 bits here, numbers of moves of cells squared; and weights plain numbers.
bool fits_in_lanes(const Bag& bag, const Problem& problem) {
  constexpr std::int64_t most_rows = 1LL << 31;
  const bool few = std::all_of(bag.members.begin(), bag.members.end(),
                               [](const Labels& member) { return member.cells <= MoveCounts::most_dense_cells; });
  return few && problem.data().state_rows() < most_rows &&
         make_weight_rule(problem, Clip::last(1), problem.discount().gamma()).moderate;
}

// At most part_lanes of them.
void solve_some(const Bag& bag, const Problem& problem, std::span<const std::vector<std::int64_t>> parts,
                std::span<PooledTables> tables, Threads threads) {
  const StepsOfParts steps = steps_of_parts(problem, parts);
  std::vector<std::vector<MemberOfParts::Left>> left(bag.members.size());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t m) {
    left[m] =
        MemberOfParts(bag.members[m], steps).solve(tables, static_cast<std::size_t>(m), problem.discount().gamma());
  });
  const auto members = static_cast<double>(bag.members.size());
  for (std::size_t p = 0; p < tables.size(); ++p) {
    for (const auto& of_member : left) {
      tables[p].unsupported += of_member[p].unsupported / members;
      for (std::size_t k = 0; k < tables[p].horizon; ++k)
        tables[p].mass_of_step[k] += of_member[p].mass_of_step[k] / members;
    }
  }
}

}  // namespace

std::vector<PooledTables> pooled_tables_of_parts(const Bag& bag, const Problem& problem,
                                                 std::span<const std::vector<std::int64_t>> parts, Threads threads) {
  std::vector<PooledTables> tables;
  if (!fits_in_lanes(bag, problem)) {
    for (const auto& part : parts) tables.push_back(pooled_tables(bag, problem, part, threads));
    return tables;
  }
  tables.assign(parts.size(), empty_tables(bag, problem));
  for (std::size_t first = 0; first < parts.size(); first += part_lanes) {
    const std::size_t count = std::min(part_lanes, parts.size() - first);
    solve_some(bag, problem, parts.subspan(first, count), std::span(tables).subspan(first, count), threads);
  }
  return tables;
}

void for_tables_of_parts(const Bag& bag, const Problem& problem, std::span<const std::vector<std::int64_t>> parts,
                         Threads threads, const std::function<void(std::size_t, const PooledTables&)>& use) {
  constexpr std::int64_t most_numbers = 16'000'000;
  std::int64_t cells = 0;
  for (const Labels& member : bag.members) cells += member.cells;
  const std::int64_t numbers = 2 * cells * problem.horizon()->steps();
  const auto fit = static_cast<std::size_t>(most_numbers / std::max<std::int64_t>(1, numbers));
  const std::size_t at_once =
      std::clamp<std::size_t>(fit, std::min<std::size_t>(threads.count(), part_lanes), part_lanes);
  for (std::size_t first = 0; first < parts.size(); first += at_once) {
    const std::size_t count = std::min(at_once, parts.size() - first);
    const std::vector<PooledTables> tables = pooled_tables_of_parts(bag, problem, parts.subspan(first, count), threads);
    parallel_for(static_cast<std::int64_t>(count), threads,
                 [&](std::int64_t i) { use(first + static_cast<std::size_t>(i), tables[i]); });
  }
}

}  // namespace starope
