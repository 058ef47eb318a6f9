#include "starope/phi/phi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "starope/base/bytes.hpp"
#include "starope/base/text.hpp"
#include "starope/clustering/nearest.hpp"
#include "starope/clustering/nearest_bits.hpp"
#include "starope/error.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/labels.hpp"

namespace starope {
namespace {

constexpr std::string_view kind = "abstraction";
constexpr std::uint32_t version = 1;

std::int64_t rows_of(const RowCells& rule) {
  return std::visit([](const auto& rows) { return rows.size(); }, rule.rows);
}

struct CellsOf {
  std::int64_t operator()(const OneCell&) const { return 1; }
  std::int64_t operator()(const TimeCells& rule) const { return rule.cells; }
  std::int64_t operator()(const IdCells& rule) const { return rule.cells; }
  std::int64_t operator()(const RowCells& rule) const { return rows_of(rule); }
  std::int64_t operator()(const GridCells& rule) const { return rule.occupied.size(); }
  std::int64_t operator()(const CentroidCells& rule) const {
    return static_cast<std::int64_t>(rule.centroids.size()) / rule.dimension;
  }
};

void check_dimension(std::int64_t fitted, std::int64_t found) {
  if (fitted == found) return;
  throw InvalidArgument(fmt::format(
      "the abstraction was made for states with {}, but these logs have {}; give the same columns in the same order",
      counted(fitted, "feature"), counted(found, "feature")));
}

// Labels all rows of one data set by a rule.
struct LabelRows {
  const Dataset& data;
  Threads threads;
  std::optional<Label> elsewhere;

  std::vector<Label> operator()(const OneCell&) const { return std::vector<Label>(data.state_rows(), Label{0}); }

  // A step's label is its t inside the episode; the state after the last of T steps has label T.
  std::vector<Label> operator()(const TimeCells& rule) const {
    std::vector<Label> labels(data.state_rows());
    const auto set = [&](std::int64_t row, std::int64_t t) {
      labels[row] =
          t < rule.cells
              ? static_cast<Label>(t)
              : unknown(row, t,
                        fmt::format("is later than the {} that the abstraction knows", counted(rule.cells, "step")));
    };
    for (std::int64_t i = 0; i < data.episodes(); ++i) {
      const std::int64_t length = data.length(i);
      for (std::int64_t t = 0; t < length; ++t) set(data.first_step(i) + t, t);
      if (const auto row = data.final_row(i)) set(*row, length);
    }
    return labels;
  }

  std::vector<Label> operator()(const IdCells& rule) const {
    const DiscreteStates& states = require_discrete_states(data, rule.origin);
    std::vector<std::optional<Label>> of_code(states.ids.size());
    for (std::size_t c = 0, k = 0; c < of_code.size(); ++c) {  // both lists ascend
      while (k < rule.ids.size() && rule.ids[k] < states.ids[c]) ++k;
      if (k < rule.ids.size() && rule.ids[k] == states.ids[c]) of_code[c] = rule.cell[k];
    }
    std::vector<Label> labels(states.code.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const auto code = states.code[row];
      labels[row] = of_code[code] ? *of_code[code]
                                  : unknown(static_cast<std::int64_t>(row), states.ids[code],
                                            fmt::format("is not in {}", rule.origin));
    }
    return labels;
  }

  std::vector<Label> operator()(const RowCells& rule) const {
    require_states(data, "the identity abstraction");
    if (const auto* known = std::get_if<DistinctBitRows>(&rule.rows)) {
      const auto* bits = std::get_if<BinaryStates>(&data.states());
      if (bits == nullptr) fail_kind("features that are all 0 or 1");
      return of_rows(*known, [bits](std::int64_t row) { return bits->row(row); });
    }
    const auto& known = std::get<DistinctRows>(rule.rows);
    const DenseStates& dense = require_dense_states(data, "the identity abstraction");
    check_dimension(known.row_size(), dense.dimension);
    std::vector<double> scratch;
    return of_rows(known, [&](std::int64_t row) { return dense.row(row, scratch); });
  }

  std::vector<Label> operator()(const GridCells& rule) const {
    const DenseStates& dense = require_dense_states(data, "the grid abstraction");
    const auto d = static_cast<std::size_t>(dense.dimension);
    check_dimension(static_cast<std::int64_t>(rule.lowest.size()), dense.dimension);
    std::vector<Label> labels;
    labels.reserve(data.state_rows());
    std::vector<double> cell(d), scratch;
    for (std::int64_t row = 0; row < data.state_rows(); ++row) {
      const auto x = dense.row(row, scratch);
      for (std::size_t j = 0; j < d; ++j) cell[j] = grid_bin(x[j], rule.lowest[j], rule.highest[j], rule.bins);
      const auto number = rule.occupied.find(cell);
      labels.push_back(number
                           ? static_cast<Label>(*number)
                           : unknown(row, x[0], "begins a state in a cell of the grid in which the fit met no state"));
    }
    return labels;
  }

  std::vector<Label> operator()(const CentroidCells& rule) const {
    if (const auto* bits = std::get_if<BinaryStates>(&data.states()); bits != nullptr && rule.scaling.scale.empty()) {
      check_dimension(rule.dimension, bits->dimension);
      return nearest_labels(bit_points(*bits), NearestBits(rule.centroids, rule.dimension), threads);
    }
    const DenseStates& dense = require_dense_states(data, "the abstraction by centroids");
    check_dimension(rule.dimension, dense.dimension);
    const NearestCentroid nearest(rule.centroids, rule.dimension);
    std::vector<Label> labels(dense.count());
    for_each_point_block(dense.count(), threads, [&](std::int64_t first, std::int64_t last) {
      std::vector<double> scratch, scaled;
      auto rows = dense.rows(first, last, scratch);
      if (!rule.scaling.scale.empty()) {
        scaled.resize(rows.size());
        rule.scaling.apply(rows, scaled);
        rows = scaled;
      }
      nearest.label(rows, std::span(labels).subspan(first, last - first));
    });
    return labels;
  }

 private:
  template <class T, class RowOf>
  std::vector<Label> of_rows(const DistinctRowsOf<T>& known, const RowOf& row_of) const {
    std::vector<Label> labels;
    labels.reserve(data.state_rows());
    for (std::int64_t row = 0; row < data.state_rows(); ++row) {
      const std::span<const T> values = row_of(row);
      const auto number = known.find(values);
      labels.push_back(
          number ? static_cast<Label>(*number)
                 : unknown(row, values[0], "begins a state that the fit of the identity abstraction has not met"));
    }
    return labels;
  }

  template <class Value>
  Label unknown(std::int64_t row, Value value, const std::string& rule) const {
    if (elsewhere) return *elsewhere;
    DataLocation at = locate_state(data, row);
    at.column = "state";
    throw DataError({.code = "unknown_state",
                     .at = std::move(at),
                     .value = fmt::format("{}", value),
                     .rule = rule,
                     .remedy = "Fit the abstraction to logs that have this state, or add it to the table"});
  }

  [[noreturn]] static void fail_kind(const char* wanted) {
    throw InvalidArgument(fmt::format("the abstraction was made for states with {}; these logs have others", wanted));
  }
};

struct Write {
  ByteWriter& to;

  void operator()(const OneCell&) const {}
  void operator()(const TimeCells& rule) const { to.number(rule.cells); }
  void operator()(const IdCells& rule) const {
    to.numbers(rule.ids);
    to.numbers(rule.cell);
    to.number(rule.cells);
    to.text(rule.origin);
  }
  void operator()(const RowCells& rule) const {
    to.flag(std::holds_alternative<DistinctBitRows>(rule.rows));
    std::visit(*this, rule.rows);
  }
  void operator()(const GridCells& rule) const {
    to.numbers(rule.lowest);
    to.numbers(rule.highest);
    to.number(rule.bins);
    (*this)(rule.occupied);
  }
  void operator()(const CentroidCells& rule) const {
    to.number(rule.dimension);
    to.numbers(rule.centroids);
    to.numbers(rule.scaling.center);
    to.numbers(rule.scaling.scale);
  }
  template <class T>
  void operator()(const DistinctRowsOf<T>& rows) const {
    to.number(rows.row_size());
    to.numbers(rows.values());
  }
};

Bytes content_of(const CellRule& rule, bool elsewhere) {
  ByteWriter writer;
  writer.number(static_cast<std::uint64_t>(rule.index()));
  writer.flag(elsewhere);
  std::visit(Write{writer}, rule);
  return writer.bytes();
}

// Rules from bytes that may be anything: what labeling relies on is checked.
class Read {
 public:
  explicit Read(ByteReader& from) : from_(from) {}

  CellRule rule(std::int64_t which) {
    switch (which) {
      case 0:
        return OneCell{};
      case 1:
        return TimeCells{.cells = from_.number_within(1, most_cells)};
      case 2:
        return id_cells();
      case 3:
        return row_cells();
      case 4:
        return grid_cells();
      default:
        return centroid_cells();
    }
  }

 private:
  static constexpr std::int64_t most_cells = std::numeric_limits<Label>::max();

  void require(bool holds, const char* rule) const {
    if (!holds) from_.fail(rule);
  }

  IdCells id_cells() {
    IdCells rule{.ids = from_.integers(), .cell = from_.labels()};
    rule.cells = from_.number_within(1, most_cells);
    rule.origin = from_.text();
    require(rule.ids.size() == rule.cell.size(), "there is not one cell per id");
    require(std::adjacent_find(rule.ids.begin(), rule.ids.end(), std::greater_equal<>()) == rule.ids.end(),
            "the ids do not ascend");
    for (const Label z : rule.cell) require(z < rule.cells, "a cell is beyond their number");
    return rule;
  }

  template <class T>
  DistinctRowsOf<T> distinct(std::vector<T> (ByteReader::*numbers)()) {
    const std::int64_t width = from_.number_within(1, most_cells);
    const std::vector<T> values = (from_.*numbers)();
    const auto w = static_cast<std::size_t>(width);
    require(!values.empty() && values.size() % w == 0, "rows are incomplete");
    DistinctRowsOf<T> rows(width);
    for (std::size_t i = 0; i < values.size(); i += w)
      require(rows.add(std::span(values).subspan(i, w)).is_new, "a row stands there twice");
    return rows;
  }

  RowCells row_cells() {
    if (from_.flag()) return {.rows = distinct<std::uint64_t>(&ByteReader::words)};
    return {.rows = distinct<double>(&ByteReader::finites)};
  }

  GridCells grid_cells() {
    std::vector<double> lowest = from_.finites(), highest = from_.finites();
    const std::int64_t bins = from_.number_within(1, std::numeric_limits<std::int64_t>::max());
    GridCells rule{.lowest = std::move(lowest),
                   .highest = std::move(highest),
                   .bins = bins,
                   .occupied = distinct<double>(&ByteReader::finites)};
    require(rule.lowest.size() == rule.highest.size() &&
                rule.lowest.size() == static_cast<std::size_t>(rule.occupied.row_size()),
            "the bounds of the grid do not fit together");
    return rule;
  }

  CentroidCells centroid_cells() {
    CentroidCells rule{.dimension = from_.number_within(1, most_cells), .centroids = from_.finites()};
    rule.scaling.center = from_.finites();
    rule.scaling.scale = from_.finites();
    const auto d = static_cast<std::size_t>(rule.dimension);
    require(!rule.centroids.empty() && rule.centroids.size() % d == 0, "centroids are incomplete");
    require(rule.scaling.center.size() == rule.scaling.scale.size(), "the scaling is incomplete");
    require(rule.scaling.scale.empty() || rule.scaling.scale.size() == d, "the scaling is incomplete");
    for (const double scale : rule.scaling.scale) require(scale > 0.0, "a scale is not positive");
    return rule;
  }

  ByteReader& from_;
};

}  // namespace

double grid_bin(double x, double lowest, double highest, std::int64_t bins) {
  const double width = highest / 2.0 - lowest / 2.0;
  if (!(width > 0.0)) return 0.0;
  const auto most = static_cast<double>(bins);
  return std::clamp(std::floor((x / 2.0 - lowest / 2.0) / width * most), 0.0, most - 1.0);
}

Phi make_phi(CellRule rule) {
  return Phi(std::make_shared<const detail::PhiRule>(detail::PhiRule{std::move(rule)}));
}

Phi::Phi() : Phi(make_phi(OneCell{})) {}

bool operator==(const Phi& a, const Phi& b) {
  return a.elsewhere_ == b.elsewhere_ && (a.rule_ == b.rule_ || a.rule_->rule == b.rule_->rule);
}

std::int64_t Phi::cells() const {
  return std::visit(CellsOf{}, rule_->rule) + (elsewhere_ ? 1 : 0);
}

Phi Phi::with_elsewhere() const {
  Phi wider = *this;
  wider.elsewhere_ = true;
  return wider;
}

Labels Phi::label(const Dataset& data, Threads threads) const {
  const std::optional<Label> last = elsewhere_ ? std::optional(static_cast<Label>(cells() - 1)) : std::nullopt;
  return {.cells = cells(), .of_row = std::visit(LabelRows{data, threads, last}, rule_->rule), .phi = fingerprint()};
}

Fingerprint Phi::fingerprint() const {
  return fingerprint_of(content_of(rule_->rule, elsewhere_));
}

Bytes Phi::to_bytes() const {
  return seal(kind, version, content_of(rule_->rule, elsewhere_));
}

Phi Phi::from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(unseal(kind, version, bytes).content, std::string(kind));
  const std::int64_t which = reader.number_within(0, static_cast<std::int64_t>(std::variant_size_v<CellRule>) - 1);
  const bool elsewhere = reader.flag();
  Phi phi = make_phi(Read(reader).rule(which));
  phi.elsewhere_ = elsewhere;
  reader.finish();
  return phi;
}

}  // namespace starope
