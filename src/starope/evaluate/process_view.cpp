#include "starope/evaluate/process_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::size_t most_named_features = 4;

// Calls use(row, cell) for every state that counts.
template <class Use>
void for_each_counted_state(const Problem& problem, const Labels& labels, const Use& use) {
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const std::int64_t row = episode.first_row + t;
      use(row, labels.of_row[row]);
    }
  }
}

void describe_features(const DenseStates& states, const Problem& problem, const Labels& labels,
                       const std::vector<std::int64_t>& place, std::vector<CellView>& shown) {
  const auto dimension = static_cast<std::size_t>(states.dimension);
  std::vector<double> scratch;
  std::vector<Moments> all(dimension);
  std::vector<std::vector<Moments>> of_cell(shown.size(), std::vector<Moments>(dimension));
  for_each_counted_state(problem, labels, [&](std::int64_t row, Label z) {
    const std::int64_t at = place[z];
    const auto x = states.row(row, scratch);
    for (std::size_t j = 0; j < dimension; ++j) {
      all[j].add(x[j]);
      if (at >= 0) of_cell[at][j].add(x[j]);
    }
  });
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::vector<std::size_t> order(dimension);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto distance = [&](std::size_t j) {
      const double spread = std::sqrt(all[j].variance());
      return spread > 0.0 ? std::abs(of_cell[i][j].mean() - all[j].mean()) / spread : 0.0;
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance(a) > distance(b); });
    for (const std::size_t j : order) {
      if (shown[i].features.size() == most_named_features) break;
      shown[i].features.emplace_back(j < states.names.size() ? states.names[j] : fmt::format("state_{}", j),
                                     of_cell[i][j].mean());
    }
  }
}

void describe_ids(const DiscreteStates& states, const Problem& problem, const Labels& labels,
                  const std::vector<std::int64_t>& place, std::vector<CellView>& shown) {
  std::vector<std::map<std::int64_t, double>> counts(shown.size());
  std::vector<double> totals(shown.size(), 0.0);
  for_each_counted_state(problem, labels, [&](std::int64_t row, Label z) {
    if (place[z] < 0) return;
    const auto at = place[z];
    counts[at][states.id_of(row)] += 1.0;
    totals[at] += 1.0;
  });
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::vector<std::pair<std::int64_t, double>> order(counts[i].begin(), counts[i].end());
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [id, count] : order) {
      if (shown[i].ids.size() == most_named_features) break;
      shown[i].ids.emplace_back(fmt::format("{}", id), count / totals[i]);
    }
  }
}

}  // namespace

ProcessView describe_process(const StarFit& fit, const Problem& whole, std::string estimator, std::size_t most) {
  ProcessView view{.estimator = std::move(estimator)};
  if (fit.model.cells != fit.labels.cells) return view;  // indexed by time
  const Problem problem = fit.horizon ? whole.with_horizon(fit.horizon) : whole;
  view.cells = fit.model.cells;
  std::vector<Label> order;
  for (Label z = 0; z < static_cast<Label>(fit.model.cells); ++z) {
    if (fit.model.visit[z] > 0.0 || fit.model.start[z] > 0.0) order.push_back(z);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Label a, Label b) { return fit.solution.visits[a] > fit.solution.visits[b]; });
  if (order.size() > most) order.resize(most);

  const std::vector<std::int64_t> counted = visits_of_cells(fit.labels, problem);
  std::vector<std::int64_t> place(fit.model.cells, -1);
  for (const Label z : order) {
    place[z] = static_cast<std::int64_t>(view.shown.size());
    view.shown.push_back({.cell = z,
                          .share = static_cast<double>(counted[z]) / static_cast<double>(problem.steps()),
                          .visits = fit.solution.visits[z],
                          .value = fit.solution.values[z],
                          .reward = fit.model.reward[z],
                          .exit = fit.model.exit[z],
                          .start = fit.model.start[z]});
    const auto columns = fit.model.transition.columns_of(z);
    const auto values = fit.model.transition.values_of(z);
    for (std::size_t e = 0; e < columns.size(); ++e) {
      view.moves.push_back({.from = z, .to = columns[e], .probability = values[e]});
    }
  }
  view.moves.erase(
      std::remove_if(view.moves.begin(), view.moves.end(), [&](const MoveView& move) { return place[move.to] < 0; }),
      view.moves.end());
  const States& states = problem.data().states();
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    describe_features(*dense, problem, fit.labels, place, view.shown);
  } else if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    describe_features(to_dense(*bits), problem, fit.labels, place, view.shown);
  } else if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    describe_ids(*discrete, problem, fit.labels, place, view.shown);
  }
  return view;
}

}  // namespace starope
