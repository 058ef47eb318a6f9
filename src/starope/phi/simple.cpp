#include "starope/phi/simple.hpp"

#include <algorithm>
#include <utility>

#include "starope/phi/counted_states.hpp"

namespace starope {
namespace {

FittedAbstraction fitted(CellRule rule, const Dataset& data) {
  FittedAbstraction fit{.phi = Phi(std::move(rule))};
  fit.labels = fit.phi->label(data);
  return fit;
}

// The distinct rows of `width` numbers, numbered in lexicographic order.
template <class T>
FittedAbstraction fit_distinct(std::span<const T> values, std::size_t width) {
  DistinctRowsOf<T> distinct(static_cast<std::int64_t>(width));
  FittedAbstraction fit;
  fit.labels.of_row.reserve(values.size() / width);
  for (std::size_t i = 0; i < values.size(); i += width) {
    fit.labels.of_row.push_back(static_cast<Label>(distinct.add(values.subspan(i, width)).number));
  }
  const std::vector<std::int64_t> ranks = distinct.ranks();
  for (Label& label : fit.labels.of_row) label = static_cast<Label>(ranks[label]);
  fit.labels.cells = distinct.size();
  fit.phi = Phi(RowCells{.rows = distinct.sorted()});
  fit.labels.phi = fit.phi->fingerprint();
  return fit;
}

}  // namespace

FittedAbstraction fit_one(const Dataset& data) {
  return fitted(OneCell{}, data);
}

FittedAbstraction fit_time(const Dataset& data) {
  std::int64_t cells = data.longest();
  for (std::int64_t i = 0; i < data.episodes(); ++i) {
    if (data.final_row(i)) cells = std::max(cells, data.length(i) + 1);
  }
  return fitted(TimeCells{.cells = cells}, data);
}

FittedAbstraction fit_identity(const Problem& problem) {
  require_states(problem, "the identity abstraction");
  const Dataset& data = problem.data();
  const States& states = data.states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    IdCells rule{.ids = {discrete->ids.begin(), discrete->ids.end()}, .origin = "the logs of the fit"};
    for (std::size_t c = 0; c < rule.ids.size(); ++c) rule.cell.push_back(static_cast<Label>(c));
    rule.cells = static_cast<std::int64_t>(rule.ids.size());
    return fitted(std::move(rule), data);
  }
  FittedAbstraction fit;
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    fit = fit_distinct(std::span(std::as_const(bits->words)), bits->words_per_row());
  } else {
    const auto& dense = std::get<DenseStates>(states);
    fit = fit_distinct(std::span(std::as_const(dense.values)), static_cast<std::size_t>(dense.dimension));
  }
  fit.findings = many_cells_finding(fit.labels.cells, problem);
  return fit;
}

}  // namespace starope
