#include "starope/arp/influence.hpp"

#include <algorithm>
#include <array>

namespace starope {
namespace {

constexpr std::size_t chunk_steps = 256;

// J depends on the data through eta, R = reward / visit and P = move / seen:
//   dJ = sum_z V(z) d eta(z) + sum_z d(z) dR(z) + sum_{z,z'} slope(z,z') dP(z,z')
//   dR(z)    = ( d reward(z) - R(z) d visit(z) ) / visit(z)
//   dP(z,z') = ( d move(z,z') - P(z,z') d seen(z) ) / seen(z)
// One more copy of an episode changes eta by (1{z_0} - eta)/n and the sums by its own steps, each with weight w:
//   n dJ = V(z_0) - J + n sum_t w_t { d(z_t)/visit(z_t) (r_t - R(z_t)) + ( slope(z_t,z_{t+1}) - mean_slope(z_t)
//   )/seen(z_t) }
// where a step that exits has slope 0, and a step whose outcome was not seen has no second term.
class EpisodeInfluence {
 public:
  EpisodeInfluence(const ArpFold& recipe, const ArpStatistic& statistic, const ArpModel& model,
                   const ArpSolution& solution)
      : recipe_(recipe), unit_(statistic.unit), model_(model), solution_(solution) {
    const double n = model.episodes;
    per_reward_.assign(solution.visits.size(), 0.0);
    per_move_.assign(solution.visits.size(), 0.0);
    for (std::size_t z = 0; z < per_reward_.size(); ++z) {
      if (model.visit[z] > 0.0) per_reward_[z] = n * solution.visits[z] / model.visit[z];
      if (model.seen[z] > 0.0) per_move_[z] = n / model.seen[z];
    }
    if (statistic.move.is_dense()) tabulate_moves();
  }

  double operator()(const LoggedEpisode& episode) const {
    double sum = solution_.values[recipe_.cell(episode, 0)] - solution_.value;
    with_weights(recipe_.weights(), episode.ratios, [&](auto& weights) { sum += steps(episode, weights); });
    return sum;
  }

 private:
  // What a move adds per unit of weight, for every pair of cells: one load per step instead of a search.
  void tabulate_moves() {
    const auto cells = static_cast<std::size_t>(model_.cells);
    move_.resize(cells * cells);
    for (std::size_t z = 0; z < cells; ++z) {
      std::fill_n(move_.begin() + static_cast<std::ptrdiff_t>(z * cells), cells,
                  -per_move_[z] * solution_.mean_slope[z]);
      for (auto e = static_cast<std::size_t>(model_.transition.offsets[z]);
           e < static_cast<std::size_t>(model_.transition.offsets[z + 1]); ++e) {
        move_[z * cells + model_.transition.column[e]] = per_move_[z] * (solution_.slope[e] - solution_.mean_slope[z]);
      }
    }
  }

  template <class Weights>
  double steps(const LoggedEpisode& episode, Weights& stream) const {
    const std::int64_t last = episode.length() - 1;
    std::array<double, chunk_steps> weights;
    double sum = 0.0;
    Label z = recipe_.cell(episode, 0);
    for (std::int64_t t = 0; t <= last;) {
      const auto size = static_cast<std::size_t>(std::min<std::int64_t>(chunk_steps, last + 1 - t));
      stream.next({weights.data(), size}, unit_);
      for (std::size_t i = 0; i < size; ++i, ++t) {
        const double surprise = per_reward_[z] * (episode.rewards[t] - model_.reward[z]);
        if (t == last) {
          sum += weights[i] * (surprise + last_outcome(episode, z));
        } else {
          const Label next = recipe_.cell(episode, t + 1);
          // A step of weight zero counts in no sum; its pair of cells may be unknown to the model.
          if (weights[i] != 0.0) sum += weights[i] * (surprise + move(z, next));
          z = next;
        }
      }
    }
    return sum;
  }

  double last_outcome(const LoggedEpisode& episode, Label z) const {
    switch (recipe_.outcome_of_last_step(episode)) {
      case Outcome::Kind::ended:
        return -per_move_[z] * solution_.mean_slope[z];
      case Outcome::Kind::next:
        return move(z, recipe_.final_cell(episode));
      case Outcome::Kind::unknown:
        break;
    }
    return 0.0;
  }

  double move(Label from, Label to) const {
    if (!move_.empty()) return move_[static_cast<std::size_t>(from) * static_cast<std::size_t>(model_.cells) + to];
    // A pair whose summed weight vanished beside far larger ones is not stored; then it does not matter either.
    const std::size_t at = model_.transition.find(from, to);
    const double slope = at < solution_.slope.size() ? solution_.slope[at] : 0.0;
    return per_move_[from] * (slope - solution_.mean_slope[from]);
  }

  const ArpFold& recipe_;
  std::optional<int> unit_;
  const ArpModel& model_;
  const ArpSolution& solution_;
  std::vector<double> per_reward_, per_move_;
  std::vector<double> move_;  // cells x cells, or empty
};

}  // namespace

std::vector<double> influence_values(const ArpFold& recipe, const ArpStatistic& statistic, const ArpModel& model,
                                     const ArpSolution& solution, const Problem& problem, const FoldOptions& options) {
  const EpisodeInfluence influence_of(recipe, statistic, model, solution);
  std::vector<double> influence(problem.episodes());
  for_each_episode(problem, options,
                   [&](const LoggedEpisode& episode) { influence[episode.index] = influence_of(episode); });
  return influence;
}

}  // namespace starope
