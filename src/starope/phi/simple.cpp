#include "starope/phi/simple.hpp"

#include <algorithm>

#include "starope/clustering/distinct_rows.hpp"
#include "starope/phi/counted_states.hpp"

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

namespace {

// The distinct rows of `width` numbers, numbered in lexicographic order.
template <class T>
Labels label_distinct(std::span<const T> values, std::size_t width) {
  DistinctRowsOf<T> distinct(static_cast<std::int64_t>(width));
  Labels labels;
  labels.of_row.reserve(values.size() / width);
  for (std::size_t i = 0; i < values.size(); i += width) {
    labels.of_row.push_back(static_cast<Label>(distinct.add(values.subspan(i, width)).number));
  }
  const std::vector<std::int64_t> ranks = distinct.ranks();
  for (Label& label : labels.of_row) label = static_cast<Label>(ranks[label]);
  labels.cells = distinct.size();
  return labels;
}

}  // namespace

FittedAbstraction label_identity(const Problem& problem) {
  require_states(problem, "the identity abstraction");
  FittedAbstraction fit;
  const States& states = problem.data().states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    fit.labels.cells = static_cast<std::int64_t>(discrete->ids.size());
    fit.labels.of_row.assign(discrete->code.begin(), discrete->code.end());
    return fit;
  }
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    fit.labels = label_distinct(std::span(bits->words), bits->words_per_row());
  } else {
    const auto& dense = std::get<DenseStates>(states);
    fit.labels = label_distinct(std::span(dense.values), static_cast<std::size_t>(dense.dimension));
  }
  fit.findings = many_cells_finding(fit.labels.cells, problem);
  return fit;
}

}  // namespace starope
