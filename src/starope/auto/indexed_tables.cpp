#include "starope/auto/indexed_tables.hpp"

#include <algorithm>

#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/problem.hpp"

namespace starope {
namespace {

// The steps of all episodes, step by step instead of episode by episode. Longer episodes come first, so an episode has
// the same place among the steps at every t it reaches, and a sweep over time reads memory in order.
class StepsByTime {
 public:
  StepsByTime(const Problem& problem, std::span<const std::int64_t> episodes, std::size_t horizon) {
    std::vector<LoggedEpisode> longest_first;
    longest_first.reserve(episodes.size());
    for (const std::int64_t i : episodes) longest_first.push_back(problem.episode(i));
    std::stable_sort(longest_first.begin(), longest_first.end(),
                     [](const LoggedEpisode& a, const LoggedEpisode& b) { return a.length() > b.length(); });
    for (const LoggedEpisode& episode : longest_first) {
      last_.push_back(outcome_within(episode, episode.length() - 1, static_cast<std::int64_t>(horizon)));
    }
    std::size_t count = longest_first.size();
    for (std::size_t t = 0; t < horizon; ++t) {
      first_.push_back(rows_.size());
      while (count > 0 && longest_first[count - 1].length() <= static_cast<std::int64_t>(t)) --count;
      for (std::size_t i = 0; i < count; ++i) {
        rows_.push_back(longest_first[i].first_row + static_cast<std::int64_t>(t));
        ratios_.push_back(longest_first[i].ratios[t]);
        rewards_.push_back(longest_first[i].rewards[t]);
      }
    }
    first_.insert(first_.end(), 2, rows_.size());
  }

  std::size_t episodes() const { return last_.size(); }
  std::size_t first(std::size_t t) const { return first_[t]; }
  std::size_t count(std::size_t t) const { return first_[t + 1] - first_[t]; }
  std::span<const std::int64_t> rows() const { return rows_; }
  std::span<const double> ratios(std::size_t t) const { return std::span(ratios_).subspan(first(t), count(t)); }
  std::span<const double> rewards(std::size_t t) const { return std::span(rewards_).subspan(first(t), count(t)); }
  const Outcome& last(std::size_t episode) const { return last_[episode]; }

 private:
  std::vector<std::size_t> first_{};  // one more than there are steps, and once more, for steps nobody reaches
  std::vector<std::int64_t> rows_{};
  std::vector<double> ratios_{}, rewards_{};
  std::vector<Outcome> last_{};  // of every episode's last step
};

class MemberSweep {
 public:
  MemberSweep(IndexedTables& tables, const Labels& labels, std::size_t first_cell, double gamma,
              const StepsByTime& steps)
      : tables_(tables),
        all_labels_(labels.of_row),
        cells_(static_cast<std::size_t>(labels.cells)),
        first_cell_(first_cell),
        gamma_(gamma),
        steps_(steps) {
    labels_.reserve(steps.rows().size());
    for (const std::int64_t row : steps.rows()) labels_.push_back(label(row));
  }

  void backward() {
    struct Sums {
      double visit = 0.0, seen = 0.0, reward = 0.0, later = 0.0;
    };
    std::vector<Sums> sums(cells_);
    for (std::size_t t = tables_.horizon; t-- > 0;) {
      std::fill(sums.begin(), sums.end(), Sums{});
      const std::span<const double> rewards = steps_.rewards(t);
      const IndexedCell* const next = at_step(t + 1);
      for_steps(t, [&](std::size_t i, Label z, double rho, bool seen, const Label* z_next) {
        Sums& sum = sums[z];
        sum.visit += rho;
        sum.reward += rho * rewards[i];
        if (!seen) return;
        sum.seen += rho;
        if (z_next != nullptr) sum.later += rho * gamma_ * next[*z_next].value;
      });
      IndexedCell* const here = at_step(t);
      for (std::size_t z = 0; z < cells_; ++z) {
        const Sums& sum = sums[z];
        if (!(sum.visit > 0.0)) continue;
        const double r = sum.reward / sum.visit;
        here[z] = {.value = sum.seen > 0.0 ? r + sum.later / sum.seen : r,
                   .reward = r,
                   .per_visit = 1.0 / sum.visit,
                   .per_seen = sum.seen > 0.0 ? 1.0 / sum.seen : 0.0};
      }
    }
  }

  // Multiplies the shares of the backward sweep with episodes * d_t. Returns J.
  double forward() {
    const auto n = static_cast<double>(steps_.episodes());
    std::vector<double> here(cells_, 0.0), next(cells_), flow(cells_);
    double value = 0.0;
    for (std::size_t i = 0; i < steps_.count(0); ++i) here[labels_[i]] += 1.0 / n;
    for (std::size_t z = 0; z < cells_; ++z) value += here[z] * at_step(0)[z].value;
    for (std::size_t t = 0; t < tables_.horizon; ++t) {
      IndexedCell* const cells = at_step(t);
      std::fill(next.begin(), next.end(), 0.0);
      for (std::size_t z = 0; z < cells_; ++z) flow[z] = gamma_ * cells[z].per_seen * here[z];
      for_steps(t, [&](std::size_t, Label z, double rho, bool, const Label* z_next) {
        if (z_next != nullptr) next[*z_next] += rho * flow[z];
      });
      for (std::size_t z = 0; z < cells_; ++z) {
        cells[z].per_visit *= n * here[z];
        cells[z].per_seen *= n * here[z];
      }
      std::swap(here, next);
    }
    return value;
  }

 private:
  Label label(std::int64_t row) const { return all_labels_[static_cast<std::size_t>(row)]; }
  IndexedCell* at_step(std::size_t t) { return tables_.cells.data() + t * tables_.first_cell.back() + first_cell_; }

  // visit(i, z, rho, outcome seen, label of the state that follows or null)
  template <class Visit>
  void for_steps(std::size_t t, const Visit& visit) const {
    const std::span<const double> ratios = steps_.ratios(t);
    const Label* const here = labels_.data() + steps_.first(t);
    const Label* const next = labels_.data() + steps_.first(t + 1);
    const std::size_t going_on = steps_.count(t + 1);
    for (std::size_t i = 0; i < going_on; ++i) visit(i, here[i], ratios[i], true, next + i);
    for (std::size_t i = going_on; i < ratios.size(); ++i) {
      const Outcome& last = steps_.last(i);
      const Label z_next = last.next_row ? label(*last.next_row) : Label{};
      visit(i, here[i], ratios[i], last.seen(), last.next_row ? &z_next : nullptr);
    }
  }

  IndexedTables& tables_;
  std::span<const Label> all_labels_;
  std::size_t cells_, first_cell_;
  double gamma_;
  const StepsByTime& steps_;
  std::vector<Label> labels_{};  // of the steps, in the order of StepsByTime
};

}  // namespace

IndexedTables indexed_tables(const Bag& bag, const Problem& problem, std::span<const std::int64_t> episodes,
                             Threads threads) {
  STAROPE_ASSERT(problem.horizon().has_value() && !episodes.empty());
  IndexedTables tables;
  tables.horizon = static_cast<std::size_t>(problem.horizon()->steps());
  tables.first_cell.push_back(0);
  for (const Labels& member : bag.members) {
    tables.first_cell.push_back(tables.first_cell.back() + static_cast<std::uint32_t>(member.cells));
  }
  tables.cells.resize((tables.horizon + 1) * tables.first_cell.back());
  const StepsByTime steps(problem, episodes, tables.horizon);
  tables.plain.resize(bag.members.size());
  parallel_for(static_cast<std::int64_t>(bag.members.size()), threads, [&](std::int64_t member) {
    const auto m = static_cast<std::size_t>(member);
    MemberSweep sweep(tables, bag.members[m], tables.first_cell[m], problem.discount().gamma(), steps);
    sweep.backward();
    tables.plain[m] = sweep.forward();
  });
  return tables;
}

}  // namespace starope
