#include "starope/behavior/nearest_actions.hpp"

#include <algorithm>
#include <cstddef>

#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

constexpr std::size_t most_references = 4000;
constexpr std::size_t rows_per_block = 256;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

}  // namespace

std::vector<double> nearest_probabilities(const ActionLogs& logs, Rows training, Rows wanted, std::int64_t neighbors,
                                          Threads threads) {
  const auto actions = static_cast<std::size_t>(logs.actions);
  const std::vector<double> all = action_shares(logs, training);
  std::vector<std::int64_t> references;
  const std::size_t every = 1 + (training.size() - 1) / most_references;
  for (std::size_t i = 0; i < training.size(); i += every) references.push_back(training[i]);
  const std::size_t k = std::min(static_cast<std::size_t>(neighbors), references.size());
  std::vector<double> out(wanted.size() * actions);
  const std::size_t blocks = (wanted.size() + rows_per_block - 1) / rows_per_block;
  parallel_for(static_cast<std::int64_t>(blocks), threads, [&](std::int64_t block) {
    std::vector<double> distance(references.size()), sorted;
    const auto first = static_cast<std::size_t>(block) * rows_per_block;
    for (std::size_t i = first; i < std::min(wanted.size(), first + rows_per_block); ++i) {
      for (std::size_t j = 0; j < references.size(); ++j)
        distance[j] = squared_distance(logs.row(wanted[i]), logs.row(references[j]));
      sorted = distance;
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(k - 1), sorted.end());
      const double reach = sorted[k - 1];
      double inside = 0.0, at_reach = 0.0;
      for (const double d : distance) {
        inside += d < reach ? 1.0 : 0.0;
        at_reach += d == reach ? 1.0 : 0.0;
      }
      const double part = (static_cast<double>(k) - inside) / at_reach;
      double* const row = out.data() + i * actions;
      for (std::size_t j = 0; j < references.size(); ++j) {
        if (distance[j] > reach) continue;
        row[logs.action[references[j]]] += distance[j] < reach ? 1.0 : part;
      }
      for (std::size_t a = 0; a < actions; ++a) row[a] = (row[a] + all[a]) / (static_cast<double>(k) + 1.0);
    }
  });
  return out;
}

}  // namespace starope
