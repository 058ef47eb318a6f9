#include "starope/darp/indexed_tables.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"
#include "starope/darp/outcome.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

class MemberSweep {
 public:
  // `longest_first`: the episodes, so that those that reach step t come first.
  MemberSweep(IndexedTables& tables, const Labels& labels, std::size_t first, double gamma,
              std::span<const LoggedEpisode> longest_first)
      : tables_(tables),
        labels_(labels.of_row),
        cells_(static_cast<std::size_t>(labels.cells)),
        first_(first),
        gamma_(gamma),
        episodes_(longest_first) {}

  void backward() {
    std::vector<double> visit(cells_), seen(cells_), reward(cells_), later(cells_);
    for (std::size_t t = tables_.horizon; t-- > 0;) {
      for (auto* sum : {&visit, &seen, &reward, &later}) std::fill(sum->begin(), sum->end(), 0.0);
      for_steps(t, [&](const LoggedEpisode& episode, std::size_t z, double rho, const StepOutcome& outcome) {
        visit[z] += rho;
        reward[z] += rho * episode.rewards[t];
        if (!outcome.seen) return;
        seen[z] += rho;
        if (outcome.next_row) later[z] += rho * gamma_ * tables_.values[at(label(*outcome.next_row), t + 1)];
      });
      for (std::size_t z = 0; z < cells_; ++z) {
        if (!(visit[z] > 0.0)) continue;
        const double r = reward[z] / visit[z];
        tables_.reward[at(z, t)] = r;
        tables_.values[at(z, t)] = seen[z] > 0.0 ? r + later[z] / seen[z] : r;
        tables_.per_visit[at(z, t)] = 1.0 / visit[z];
        if (seen[z] > 0.0) tables_.per_seen[at(z, t)] = 1.0 / seen[z];
      }
    }
  }

  // Multiplies the shares of the backward sweep with episodes * d_t. Returns J.
  double forward() {
    const auto n = static_cast<double>(episodes_.size());
    std::vector<double> here(cells_, 0.0), next(cells_);
    double value = 0.0;
    for (const LoggedEpisode& episode : episodes_) here[label(episode.first_row)] += 1.0 / n;
    for (std::size_t z = 0; z < cells_; ++z) value += here[z] * tables_.values[at(z, 0)];
    for (std::size_t t = 0; t < tables_.horizon; ++t) {
      std::fill(next.begin(), next.end(), 0.0);
      for_steps(t, [&](const LoggedEpisode&, std::size_t z, double rho, const StepOutcome& outcome) {
        if (!outcome.next_row) return;
        next[label(*outcome.next_row)] += gamma_ * rho * tables_.per_seen[at(z, t)] * here[z];
      });
      for (std::size_t z = 0; z < cells_; ++z) {
        tables_.per_visit[at(z, t)] *= n * here[z];
        tables_.per_seen[at(z, t)] *= n * here[z];
      }
      std::swap(here, next);
    }
    return value;
  }

 private:
  std::size_t label(std::int64_t row) const { return labels_[static_cast<std::size_t>(row)]; }
  std::size_t at(std::size_t z, std::size_t t) const { return (first_ + z) * tables_.stride + t; }

  template <class Visit>
  void for_steps(std::size_t t, const Visit& visit) const {
    const auto step = static_cast<std::int64_t>(t);
    for (const LoggedEpisode& episode : episodes_) {
      if (episode.length() <= step) break;
      visit(episode, label(episode.first_row + step), episode.ratios[t],
            outcome_within(episode, step, static_cast<std::int64_t>(tables_.horizon)));
    }
  }

  IndexedTables& tables_;
  std::span<const Label> labels_;
  std::size_t cells_, first_;
  double gamma_;
  std::span<const LoggedEpisode> episodes_;
};

}  // namespace

IndexedTables indexed_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                             Threads threads) {
  STAROPE_ASSERT(problem.horizon().has_value() && !episodes.empty());
  IndexedTables tables;
  tables.horizon = static_cast<std::size_t>(problem.horizon()->steps());
  tables.stride = tables.horizon + 1;
  tables.first_cell.push_back(0);
  for (const Labels& member : bag.members) {
    tables.first_cell.push_back(tables.first_cell.back() + static_cast<std::uint32_t>(member.cells));
  }
  for (auto* table : {&tables.values, &tables.reward, &tables.per_visit, &tables.per_seen}) {
    table->assign(tables.first_cell.back() * tables.stride, 0.0);
  }
  std::vector<LoggedEpisode> longest_first;
  longest_first.reserve(episodes.size());
  for (const std::int64_t i : episodes) longest_first.push_back(problem.episode(i));
  std::stable_sort(longest_first.begin(), longest_first.end(),
                   [](const LoggedEpisode& a, const LoggedEpisode& b) { return a.length() > b.length(); });
  tables.plain.resize(bag.members.size());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t member) {
    const auto m = static_cast<std::size_t>(member);
    MemberSweep sweep(tables, bag.members[m], tables.first_cell[m], problem.discount().gamma(), longest_first);
    sweep.backward();
    tables.plain[m] = sweep.forward();
  });
  return tables;
}

}  // namespace starope
