#include "starope/checks/state_cells.hpp"

#include <algorithm>
#include <cmath>

namespace starope {
namespace {

constexpr std::size_t most_split_features = 6;

// splitmix64: neighbors among ids must not share a cell by rule.
std::uint64_t mixed_hash(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

double feature_at(const Dataset& data, std::int64_t row, std::int64_t feature) {
  if (const auto* dense = std::get_if<DenseStates>(&data.states()))
    return dense->values[row * dense->dimension + feature];
  return std::get<BinaryStates>(data.states()).bit(row, feature) ? 1.0 : 0.0;
}

std::int64_t dimension_of(const Dataset& data) {
  if (const auto* dense = std::get_if<DenseStates>(&data.states())) return dense->dimension;
  if (const auto* bits = std::get_if<BinaryStates>(&data.states())) return bits->dimension;
  return 0;
}

// Cuts into parts with about equally many of the values, whose order changes; fewer where values come often.
std::vector<double> quantile_cuts(std::vector<double>& values, std::int64_t parts) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double lowest = *least, highest = *most;
  std::vector<double> cuts;
  auto from = values.begin();
  for (std::int64_t k = 1; k < parts; ++k) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * static_cast<std::size_t>(k) /
                                                                 static_cast<std::size_t>(parts));
    std::nth_element(from, at, values.end());
    from = at;
    if (*at > lowest && (cuts.empty() || *at > cuts.back())) cuts.push_back(*at);
  }
  // A value that fills more than half from below leaves no cut among the quantiles: everything else is the other part.
  if (cuts.empty() && highest > lowest) {
    double next = highest;
    for (const double x : values) next = x > lowest ? std::min(next, x) : next;
    cuts.push_back(next);
  }
  return cuts;
}

}  // namespace

StateCells StateCells::fit(const Dataset& sample, std::int64_t most) {
  StateCells cells;
  if (std::holds_alternative<DiscreteStates>(sample.states())) {
    cells.hashed_ = true;
    cells.count_ = most;
    return cells;
  }
  const std::int64_t dimension = dimension_of(sample);
  struct Candidate {
    Split split{};
    double balance = 0.0;  // the smaller share of a division into two
  };
  std::vector<Candidate> candidates;
  constexpr std::int64_t most_candidates = 64;  // of many features the first ones do
  constexpr std::int64_t most_rows = 4'096;     // place a cut well enough: within 1 % of the rows
  const std::int64_t stride = 1 + (sample.steps() - 1) / most_rows;
  for (std::int64_t k = 0; k < std::min(dimension, most_candidates); ++k) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < sample.steps(); i += stride) values.push_back(feature_at(sample, i, k));
    const std::vector<double> halves = quantile_cuts(values, 2);
    if (halves.empty()) continue;
    const auto above = std::count_if(values.begin(), values.end(), [&](double x) { return x >= halves.front(); });
    const double share = static_cast<double>(above) / static_cast<double>(values.size());
    candidates.push_back({.split = {.feature = k, .cuts = std::move(values)}, .balance = std::min(share, 1.0 - share)});
  }
  if (candidates.empty()) return cells;
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return std::min(a.balance, 0.3) > std::min(b.balance, 0.3);  // all that divide well are equally good
  });
  if (candidates.size() > most_split_features) candidates.resize(most_split_features);
  const auto parts = static_cast<std::int64_t>(
      std::floor(std::pow(static_cast<double>(most), 1.0 / static_cast<double>(candidates.size())) + 1e-9));
  for (Candidate& each : candidates) {
    each.split.cuts = quantile_cuts(each.split.cuts, std::max<std::int64_t>(parts, 2));
    const auto grown = cells.count_ * static_cast<std::int64_t>(each.split.cuts.size() + 1);
    if (grown > most) break;
    cells.count_ = grown;
    cells.splits_.push_back(std::move(each.split));
  }
  return cells;
}

template <class Feature>
void StateCells::add_parts(const Split& split, std::int64_t first, const Feature& at,
                           std::span<std::int64_t> out) const {
  const auto parts = static_cast<std::int64_t>(split.cuts.size() + 1);
  const double* const cuts = split.cuts.data();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = at(first + static_cast<std::int64_t>(i));
    std::int64_t part = 0;  // few cuts: counting is faster than a search
    for (std::int64_t k = 0; k + 1 < parts; ++k) part += x < cuts[k] ? 0 : 1;
    out[i] = out[i] * parts + part;
  }
}

void StateCells::cells(const Dataset& data, std::int64_t first, std::span<std::int64_t> out) const {
  if (hashed_) {
    const auto& discrete = std::get<DiscreteStates>(data.states());
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto id = static_cast<std::uint64_t>(discrete.id_of(first + static_cast<std::int64_t>(i)));
      out[i] = static_cast<std::int64_t>(mixed_hash(id) % static_cast<std::uint64_t>(count_));
    }
    return;
  }
  std::fill(out.begin(), out.end(), 0);
  for (const Split& split : splits_) {
    if (const auto* dense = std::get_if<DenseStates>(&data.states())) {
      const std::int64_t d = dense->dimension, k = split.feature;
      dense->values.visit([&](const auto& values) {
        const auto* const at = values.data() + k;
        add_parts(
            split, first, [&](std::int64_t row) { return static_cast<double>(at[row * d]); }, out);
      });
    } else {
      add_parts(
          split, first, [&](std::int64_t row) { return feature_at(data, row, split.feature); }, out);
    }
  }
}

std::int64_t StateCells::cell(const Dataset& data, std::int64_t row) const {
  std::int64_t cell = 0;
  cells(data, row, {&cell, 1});
  return cell;
}

}  // namespace starope
