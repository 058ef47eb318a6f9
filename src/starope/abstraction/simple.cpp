#include "starope/abstraction/simple.hpp"

#include <algorithm>

#include "starope/abstraction/counted_states.hpp"
#include "starope/abstraction/distinct_rows.hpp"

namespace starope {

Labels label_one(const Dataset& data) {
  return {.cells = 1, .of_row = std::vector<Label>(static_cast<std::size_t>(data.state_rows()), Label{0})};
}

Labels label_time(const Dataset& data) {
  Labels labels{.cells = data.longest(), .of_row = std::vector<Label>(static_cast<std::size_t>(data.state_rows()))};
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    const std::int64_t length = data.length(i);
    for (std::int64_t t = 0; t < length; ++t) {
      labels.of_row[static_cast<std::size_t>(data.first_step(i) + t)] = static_cast<Label>(t);
    }
    if (const auto final_row = data.final_row(i)) {
      labels.of_row[static_cast<std::size_t>(*final_row)] = static_cast<Label>(length);
      labels.cells = std::max(labels.cells, length + 1);
    }
  }
  return labels;
}

FittedAbstraction label_identity(const Problem& problem) {
  require_states(problem, "the identity abstraction");
  FittedAbstraction fit;
  const States& states = problem.data().states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    fit.labels.cells = static_cast<std::int64_t>(discrete->ids.size());
    fit.labels.of_row.assign(discrete->code.begin(), discrete->code.end());
    return fit;
  }
  const auto& dense = std::get<DenseStates>(states);
  DistinctRows distinct(dense.dimension);
  const auto d = static_cast<std::size_t>(dense.dimension);
  fit.labels.of_row.reserve(dense.values.size() / d);
  for (std::size_t i = 0; i < dense.values.size(); i += d) {
    fit.labels.of_row.push_back(static_cast<Label>(distinct.add(std::span(dense.values).subspan(i, d)).number));
  }
  const std::vector<std::int64_t> ranks = distinct.ranks();
  for (Label& label : fit.labels.of_row) label = static_cast<Label>(ranks[label]);
  fit.labels.cells = distinct.size();
  fit.findings = many_cells_finding(fit.labels.cells, problem, "Group the states instead, with clusters=K or phi=grid");
  return fit;
}

}  // namespace starope
