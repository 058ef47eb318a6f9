#include "starope/phi/simple.hpp"

#include <algorithm>
#include <utility>

#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"
#include "starope/phi/phi.hpp"

namespace starope {
namespace {

FittedAbstraction fitted(CellRule rule, const Dataset& data) {
  FittedAbstraction fit{.phi = make_phi(std::move(rule))};
  fit.labels = fit.phi->label(data);
  return fit;
}

// The distinct rows of `width` numbers, numbered in lexicographic order.
template <class T, class RowOf>
FittedAbstraction fit_distinct(std::int64_t rows, std::int64_t width, const RowOf& row_of) {
  DistinctRowsOf<T> distinct(width);
  FittedAbstraction fit;
  fit.labels.of_row.reserve(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    fit.labels.of_row.push_back(static_cast<Label>(distinct.add(row_of(row)).number));
  }
  const std::vector<std::int64_t> ranks = distinct.ranks();
  for (Label& label : fit.labels.of_row) label = static_cast<Label>(ranks[label]);
  fit.labels.cells = distinct.size();
  fit.phi = make_phi(RowCells{.rows = distinct.sorted()});
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

IdCells identity_of(std::vector<std::int64_t> ids) {
  IdCells rule{.ids = std::move(ids), .origin = "the logs of the fit"};
  for (std::size_t c = 0; c < rule.ids.size(); ++c) rule.cell.push_back(static_cast<Label>(c));
  rule.cells = static_cast<std::int64_t>(rule.ids.size());
  return rule;
}

FittedAbstraction fit_identity(const Problem& problem) {
  require_states(problem, "the identity abstraction");
  const Dataset& data = problem.data();
  const States& states = data.states();
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    return fitted(identity_of(discrete->ids.to_vector()), data);
  }
  FittedAbstraction fit;
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    fit = fit_distinct<std::uint64_t>(data.state_rows(), static_cast<std::int64_t>(bits->words_per_row()),
                                      [bits](std::int64_t row) { return bits->row(row); });
  } else {
    const auto& dense = std::get<DenseStates>(states);
    std::vector<double> scratch;
    fit = fit_distinct<double>(data.state_rows(), dense.dimension,
                               [&](std::int64_t row) { return dense.row(row, scratch); });
  }
  fit.findings = many_cells_finding(fit.labels.cells, problem);
  return fit;
}

}  // namespace starope
