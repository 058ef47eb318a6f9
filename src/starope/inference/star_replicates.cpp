#include "starope/inference/star_replicates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "starope/arp/influence.hpp"
#include "starope/arp/process_lanes.hpp"
#include "starope/base/aligned.hpp"
#include "starope/base/assert.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_kernel.hpp"
#include "starope/inference/replicate_run.hpp"

namespace starope {
namespace {

constexpr std::size_t episodes_together = 256;  // whose counts in a group of replicates stay in the cache

// Every sum of the process has a place: moves that were seen, then per cell reward, exit, cut and start.
class Places {
 public:
  Places(const SparseRows& moves, std::int64_t cells) : moves_(moves), cells_(static_cast<std::size_t>(cells)) {
    if (cells > MoveCounts::most_dense_cells) return;
    table_.assign(cells_ * cells_, 0);
    for (std::size_t z = 0; z < cells_; ++z) {
      for (auto e = static_cast<std::size_t>(moves.offsets[z]); e < static_cast<std::size_t>(moves.offsets[z + 1]); ++e)
        table_[z * cells_ + moves.column[e]] = static_cast<std::uint32_t>(e);
    }
  }
  std::uint32_t move(Label from, Label to) const {
    if (!table_.empty()) return table_[from * cells_ + to];
    const std::size_t at = moves_.find(from, to);
    STAROPE_ASSERT(at < moves_.column.size());
    return static_cast<std::uint32_t>(at);
  }
  std::uint32_t reward(Label z) const { return of_cell(z, 0); }
  std::uint32_t exit(Label z) const { return of_cell(z, 1); }
  std::uint32_t cut(Label z) const { return of_cell(z, 2); }
  std::uint32_t start(Label z) const { return of_cell(z, 3); }
  std::size_t count() const { return moves_.column.size() + 4 * cells_; }
  LaneSums lanes(std::span<const double> sums) const {
    const std::size_t moves = moves_.column.size() * process_lanes, of_cells = cells_ * process_lanes;
    const auto cell_sums = [&](std::size_t which) { return sums.subspan(moves + which * of_cells, of_cells); };
    return {.move = sums.first(moves),
            .reward = cell_sums(0),
            .exit = cell_sums(1),
            .cut = cell_sums(2),
            .start = cell_sums(3)};
  }

 private:
  std::uint32_t of_cell(Label z, std::size_t which) const {
    return static_cast<std::uint32_t>(moves_.column.size() + which * cells_ + z);
  }

  const SparseRows& moves_;
  std::size_t cells_;
  std::vector<std::uint32_t> table_;
};

// Cells in which every logged step earns the same: what they earn in a replicate follows from how often it visits them,
// and need not be added up. In many logs these are most cells, or all.
class SteadyRewards {
 public:
  SteadyRewards(const ArpFold& recipe, const Problem& problem) : of_(recipe.recipe().cells), varies_(of_.size(), 0) {
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode episode = problem.episode(i);
      for (std::int64_t t = 0; t < episode.length(); ++t) {
        const Label z = recipe.cell(episode, t);
        if (!of_[z]) of_[z] = episode.rewards[t];
        varies_[z] |= static_cast<std::uint8_t>(*of_[z] != episode.rewards[t]);
      }
    }
  }
  bool steady(Label z) const { return varies_[z] == 0; }

  // The lanes of the reward of every steady cell, from those of its moves, exits and cuts.
  void fill(const SparseRows& moves, const Places& places, std::span<double> sums) const {
    const auto lanes = [&](std::uint32_t place) {
      return sums.subspan(std::size_t{place} * replicates_together, replicates_together);
    };
    for (Label z = 0; z < of_.size(); ++z) {
      if (!steady(z) || of_[z].value_or(0.0) == 0.0) continue;
      const std::span<double> to = lanes(places.reward(z)), exit = lanes(places.exit(z)), cut = lanes(places.cut(z));
      std::copy(exit.begin(), exit.end(), to.begin());
      for (auto e = static_cast<std::uint32_t>(moves.offsets[z]); e < moves.offsets[z + 1]; ++e) {
        const std::span<double> move = lanes(e);
        for (std::size_t b = 0; b < to.size(); ++b) to[b] += move[b];
      }
      for (std::size_t b = 0; b < to.size(); ++b) to[b] = (to[b] + cut[b]) * *of_[z];
    }
  }

 private:
  std::vector<std::optional<double>> of_;
  std::vector<std::uint8_t> varies_;
};

struct Term {
  std::uint32_t place = 0;
  std::uint32_t episode = 0;
  double weight = 0.0;
};

// Some episodes in a row.
struct TermBlock {
  std::size_t first = 0, last = 0;
  PlacedTerms terms{};
};

// What every episode adds, each place once; by blocks of episodes, and within these by place.
class Terms {
 public:
  Terms(const ArpFold& recipe, std::optional<int> unit, const Places& places, const SteadyRewards& rewards,
        const Problem& problem)
      : recipe_(recipe), unit_(unit), places_(places), rewards_(rewards), place_of_(places.count(), none) {
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const auto episode = static_cast<std::size_t>(i);
      if (episode % episodes_together == 0) blocks_.push_back({.first = episode});
      add(problem.episode(i), static_cast<std::uint32_t>(episode - blocks_.back().first));
      blocks_.back().last = episode + 1;
      if (blocks_.back().last == blocks_.back().first + episodes_together || i + 1 == problem.episodes()) close();
    }
  }
  const std::vector<TermBlock>& blocks() const { return blocks_; }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  void add(const LoggedEpisode& episode, std::uint32_t number) {
    number_ = number;
    begin_ = terms_.size();
    put(places_.start(recipe_.cell(episode, 0)), 1.0);
    with_weights(recipe_.weights(), episode.ratios, [&](auto& weights) { steps(episode, weights); });
    for (std::size_t k = begin_; k < terms_.size(); ++k) place_of_[terms_[k].place] = none;
  }

  // The terms of a block by place; those of a place in the order of the episodes.
  void close() {
    PlacedTerms& placed = blocks_.back().terms;
    for (const Term& term : terms_) {
      if (place_of_[term.place] == none) placed.place.push_back(term.place);
      place_of_[term.place] = place_of_[term.place] == none ? 1 : place_of_[term.place] + 1;
    }
    std::sort(placed.place.begin(), placed.place.end());
    for (const std::uint32_t place : placed.place) {
      const std::size_t begin = placed.begin.back();
      placed.begin.push_back(begin + place_of_[place]);
      place_of_[place] = static_cast<std::uint32_t>(begin);  // where its next term goes
    }
    placed.episode.resize(terms_.size());
    placed.weight.resize(terms_.size());
    for (const Term& term : terms_) {
      const std::uint32_t at = place_of_[term.place]++;
      placed.episode[at] = term.episode;
      placed.weight[at] = short_weight(term.weight);
    }
    for (const std::uint32_t place : placed.place) place_of_[place] = none;
    terms_.clear();
  }

  template <class Weights>
  void steps(const LoggedEpisode& episode, Weights& stream) {
    constexpr std::size_t chunk_steps = 256;
    std::array<double, chunk_steps> weights;
    const std::int64_t last = episode.length() - 1;
    for (std::int64_t t = 0; t <= last;) {
      const auto size = static_cast<std::size_t>(std::min<std::int64_t>(chunk_steps, last + 1 - t));
      stream.next({weights.data(), size}, unit_);
      for (std::size_t i = 0; i < size; ++i, ++t) {
        if (weights[i] == 0.0) continue;
        const Label z = recipe_.cell(episode, t);
        if (!rewards_.steady(z)) put(places_.reward(z), weights[i] * episode.rewards[t]);
        put(t < last ? places_.move(z, recipe_.cell(episode, t + 1)) : outcome(episode, z), weights[i]);
      }
    }
  }

  std::uint32_t outcome(const LoggedEpisode& episode, Label z) const {
    switch (recipe_.outcome_of_last_step(episode)) {
      case Outcome::Kind::ended:
        return places_.exit(z);
      case Outcome::Kind::next:
        return places_.move(z, recipe_.final_cell(episode));
      case Outcome::Kind::unknown:
        break;
    }
    return places_.cut(z);
  }

  void put(std::uint32_t place, double weight) {
    if (weight == 0.0) return;
    std::uint32_t& known = place_of_[place];
    if (known == none) {
      known = static_cast<std::uint32_t>(terms_.size() - begin_);
      terms_.push_back({place, number_, weight});
    } else {
      terms_[begin_ + known].weight += weight;
    }
  }

  const ArpFold& recipe_;
  std::optional<int> unit_;
  const Places& places_;
  const SteadyRewards& rewards_;
  std::vector<std::uint32_t> place_of_;  // of the episode that is being added: its term at a place
  std::uint32_t number_ = 0;             // of that episode in its block
  std::size_t begin_ = 0;                // where its terms begin
  std::vector<Term> terms_;              // of the open block
  std::vector<TermBlock> blocks_;
};

class StarBootstrap {
 public:
  StarBootstrap(const Star& star, const StarFit& fit, const Problem& problem, const ReplicateOptions& options)
      : problem_(problem),
        options_(options),
        horizon_(star.time == TimeModel::pooled ? fit.horizon : std::nullopt),
        recipe_(fit.labels, problem, {.clip = star.clip, .truncation = star.truncation, .time = star.time}),
        statistic_(fold(recipe_, problem, {.threads = options.threads})),
        moves_(statistic_.move.rows()),
        places_(moves_, recipe_.recipe().cells),
        counts_(problem.data(), options.seed) {
    static_assert(process_lanes == replicates_together);
    // Standard errors need derivatives, and these a solution by itself.
    if (!options.errors) lanes_ = ProcessLanes::make(moves_, statistic_.start, problem.discount(), horizon_);
  }

  Replicates run() {
    // Weights that differ by more than a number can hold: where the largest are absent, others matter that are nothing
    // beside them. Every replicate then finds its own unit.
    if (!recipe_.weights().moderate) return apart();
    const SteadyRewards rewards(recipe_, problem_);
    const Terms terms(recipe_, statistic_.unit, places_, rewards, problem_);
    return run_replicates(options_.replicates, replicates_together, options_.threads,
                          [&](std::int64_t first, std::int64_t last, std::vector<std::optional<Replicate>>& all) {
                            AlignedVector<double> sums = add_up(terms, first);
                            rewards.fill(moves_, places_, sums);
                            std::array<double, process_lanes> values;
                            const std::uint64_t known = lanes_ ? lanes_->values(places_.lanes(sums), values) : 0;
                            for (std::int64_t b = first; b < last; ++b) {
                              const std::size_t place = replicate_place(static_cast<std::size_t>(b - first));
                              if ((known >> place & 1U) != 0) {
                                all[b] = Replicate{.value = values[place], .error = {}};
                              } else {
                                all[b] = attempt([&] { return solved(statistic_of(sums, place), b); });
                              }
                            }
                          });
  }

 private:
  Replicates apart() {
    return run_replicates(
        options_.replicates, 1, options_.threads,
        [&](std::int64_t b, std::int64_t, std::vector<std::optional<Replicate>>& all) {
          const std::vector<double> times = counts_.of_replicate(b);
          all[b] = attempt([&] { return solved(fold(recipe_, problem_, times, {.threads = Threads{1}}), b); });
        });
  }

  // Sums of replicates first, first + 1, ...: `replicates_together` of them beside each other at every place.
  AlignedVector<double> add_up(const Terms& terms, std::int64_t first) const {
    AlignedVector<double> sums(places_.count() * replicates_together, 0.0);
    AlignedVector<CountPair> counts(episodes_together * pairs_together);
    for (const TermBlock& block : terms.blocks()) {
      counts_.of_episodes_together(static_cast<std::int64_t>(block.first), static_cast<std::int64_t>(block.last), first,
                                   counts);
      add_terms(block.terms, counts, sums);
    }
    return sums;
  }

  ArpStatistic statistic_of(std::span<const double> sums, std::size_t lane) const {
    const auto at = [&](std::uint32_t place) { return sums[std::size_t{place} * replicates_together + lane]; };
    ArpStatistic statistic = recipe_.identity();
    statistic.unit = statistic_.unit;
    for (Label z = 0; z < static_cast<Label>(recipe_.recipe().cells); ++z) {
      statistic.start[z] = at(places_.start(z));
      statistic.episodes += statistic.start[z];
      statistic.reward[z] = at(places_.reward(z));
      statistic.exit[z] = at(places_.exit(z));
      statistic.cut[z] = at(places_.cut(z));
      for (auto e = static_cast<std::size_t>(moves_.offsets[z]); e < static_cast<std::size_t>(moves_.offsets[z + 1]);
           ++e)
        statistic.move.add(z, moves_.column[e], at(static_cast<std::uint32_t>(e)));
    }
    return statistic;
  }

  std::optional<Replicate> solved(const ArpStatistic& statistic, std::int64_t b) const {
    if (statistic.episodes == 0.0) return std::nullopt;
    const ArpModel model = make_model(statistic);
    if (std::all_of(model.visit.begin(), model.visit.end(), [](double w) { return w == 0.0; })) return std::nullopt;
    const ArpSolution solution = solve(model, problem_.discount(), horizon_);
    Replicate replicate{.value = solution.value, .error = {}};
    if (!options_.errors) return replicate;
    const std::vector<double> influence =
        influence_values(recipe_, statistic, model, solution, problem_, {.threads = Threads{1}});
    const std::vector<double> times = counts_.of_replicate(b);
    double squares = 0.0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] != 0.0) squares += times[i] * influence[i] * influence[i];
    }
    replicate.error = error_of_mean(squares, statistic.episodes);
    return replicate;
  }

  const Problem& problem_;
  const ReplicateOptions& options_;
  std::optional<Horizon> horizon_;
  ArpFold recipe_;
  ArpStatistic statistic_;
  SparseRows moves_;
  Places places_;
  ReplicateCounts counts_;
  std::optional<ProcessLanes> lanes_;
};

}  // namespace

Replicates replicates(const Star& star, const StarFit& fit, const Problem& problem, const ReplicateOptions& options) {
  const Problem seen = fit.horizon ? problem.with_horizon(fit.horizon) : problem;
  return StarBootstrap(star, fit, seen, options).run();
}

}  // namespace starope
