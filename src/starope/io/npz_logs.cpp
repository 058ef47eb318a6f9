#include "starope/io/npz_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#if STAROPE_FILES
#include <filesystem>
#endif

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/npz.hpp"
#include "starope/io/table_reader.hpp"

namespace starope::io {
namespace {

constexpr std::int64_t most_arrays = 1'000'000;  // of one array
constexpr std::size_t numbers_at_once = 1 << 14;

// ---- reading
// ---------------------------------------------------------------------------------------------------------

struct Field {  // a column of the table: one of an array
  std::string array{};
  std::int64_t column = 0;
  std::int64_t width = 1;  // of the array
};

TableColumn::Type element_type_of(const NpyType& type) {
  if (type.kind == NpyType::Kind::boolean) return TableColumn::Type::boolean;
  if (type.kind != NpyType::Kind::real) return TableColumn::Type::integer;
  return type.size == sizeof(float) ? TableColumn::Type::single : TableColumn::Type::real;
}

// The arrays of an archive as one table, all rows in one batch.
class NpzTableReader : public TableReader {
 public:
  explicit NpzTableReader(InputFile file)
      : path_(file.path()), file_bytes_(file.bytes().size()), archive_(std::move(file)) {
    try {
      find_fields();
    } catch (const Error&) {
      archive_.expect_unchanged();  // what is wrong in a file that changes under our eyes is only that
      throw;
    }
  }

  const std::vector<TableColumn>& columns() const override { return columns_; }
  TableSource source() const override { return {.file = path_, .first_row = 0}; }
  std::int64_t bytes_in_memory() const noexcept { return bytes_in_memory_; }
  void expect_unchanged() const override { archive_.expect_unchanged(); }

  std::optional<std::int64_t> next(std::int64_t key) override {
    if (!key_.empty()) return std::nullopt;
    key_ = field(key).array;
    rows_ = archive_.open(key_, NpyContent::columns).shape()[0];
    return rows_;
  }

  // An array is read once for all columns of it that become values of one kind.
  TableReading read(std::vector<WantedColumn> wanted) override {
    TableReading reading;
    std::vector<bool> done(wanted.size(), false);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (done[i]) continue;
      std::vector<const WantedColumn*> together;
      for (std::size_t k = i; k < wanted.size(); ++k) {
        if (done[k] || wanted[k].cells.index() != wanted[i].cells.index()) continue;
        if (field(wanted[k].field).array != field(wanted[i].field).array) continue;
        together.push_back(&wanted[k]);
        done[k] = true;
      }
      std::visit([&](const auto& cells) { read_array(together, cells, reading); }, wanted[i].cells);
    }
    return reading;
  }

 private:
  const Field& field(std::int64_t column) const { return fields_[column]; }

  [[noreturn]] void fail(const std::string& array, std::optional<std::int64_t> row, const char* code,
                         const std::string& rule, const std::string& remedy) const {
    throw DataError({.code = code, .at = in_column(array, path_, row), .value = {}, .rule = rule, .remedy = remedy});
  }

  // Arrays of other shapes are not columns, and nobody asks for them.
  void find_fields() {
    // What bytes become as numbers may be larger than what they unpack to: 600 bits of a board, a byte each.
    const std::uint64_t most = 4 * most_unpacked(file_bytes_);
    std::uint64_t left = most;
    for (const std::string& array : archive_.names()) {
      const NpyHeader header = archive_.open(array, NpyContent::columns).header();
      const std::vector<std::int64_t>& shape = header.shape;
      // Small integers become large ones, and so do truth values, unless they are the features of a state. (The archive
      // was checked: its arrays have no more values than bytes.)
      const bool features = shape.size() == 2 && header.type.kind == NpyType::Kind::boolean;
      const std::uint64_t size = features ? 1 : sizeof(double);
      const std::uint64_t needed = static_cast<std::uint64_t>(header.values()) * size;
      if (needed > left) {
        fail(array, {}, "too_large",
             fmt::format("would take more than {} bytes of memory, the most for a file of {} bytes", most, file_bytes_),
             "Check that this is the file you meant. If it is: write it with numpy.savez, which does not pack");
      }
      left -= needed;
      const bool single = shape.size() == 2 && header.type == NpyType{.size = sizeof(float)};
      bytes_in_memory_ += static_cast<std::int64_t>(single ? needed / 2 : needed);
      if (shape.size() == 1) add_field(array, {array, 0, 1}, header.type);
      if (shape.size() != 2) continue;
      if (shape[1] > most_arrays) {
        fail(array, {}, "bad_shape", fmt::format("has {} columns", shape[1]), "Check that this is the file you meant");
      }
      for (std::int64_t c = 0; c < shape[1]; ++c)
        add_field(fmt::format("{}_{}", array, c), {array, c, shape[1]}, header.type);
    }
  }

  void add_field(const std::string& name, Field field, const NpyType& type) {
    columns_.push_back({.name = name, .type = element_type_of(type)});
    fields_.push_back(std::move(field));
  }

  NpyReader open(const std::string& array) const {
    NpyReader reader = archive_.open(array, NpyContent::columns);
    if (reader.shape()[0] != rows_) {
      fail(array, {}, "bad_shape", fmt::format("has {} rows, but {} has {}", reader.shape()[0], key_, rows_),
           "Give every array one entry per step");
    }
    return reader;
  }

  // Calls take(row, column, value) for every value of an array, the rows of a column ascending.
  template <class Number, class Take>
  void for_each_value(const Field& of, const Take& take) const {
    NpyReader reader = open(of.array);
    const bool by_column = reader.header().fortran;
    const std::int64_t inner = by_column ? rows_ : of.width;
    std::vector<Number> part(numbers_at_once);
    std::int64_t outer_at = 0, inner_at = 0;
    for (std::size_t got = reader.read(std::span<Number>(part)); got > 0; got = reader.read(std::span<Number>(part))) {
      for (std::size_t i = 0; i < got; ++i) {
        by_column ? take(inner_at, outer_at, part[i]) : take(outer_at, inner_at, part[i]);
        if (++inner_at < inner) continue;
        inner_at = 0;
        ++outer_at;
      }
    }
  }

  // The columns of one array; `kind` says what becomes of them all.
  template <class Cells>
  void read_array(const std::vector<const WantedColumn*>& wanted, const Cells& /*kind*/, TableReading& reading) const {
    constexpr bool integers = std::is_same_v<Cells, IntegerCells> || std::is_same_v<Cells, TextCells>;
    constexpr bool single = std::is_same_v<Cells, FloatCells>;
    using Number = std::conditional_t<integers, std::int64_t, std::conditional_t<single, float, double>>;
    const Field& of = field(wanted.front()->field);
    std::vector<std::vector<Cells>> places(of.width);  // of the columns that are wanted
    for (const WantedColumn* each : wanted) places[field(each->field).column].push_back(std::get<Cells>(each->cells));
    [[maybe_unused]] Number last_id{};
    for_each_value<Number>(of, [&](std::int64_t row, std::int64_t column, Number value) {
      for (const Cells& cells : places[column]) {
        if constexpr (std::is_same_v<Cells, TextCells>) {
          if (row == 0 || value != last_id) add_text(reading.text, row, value);
          last_id = value;
        } else if constexpr (std::is_same_v<Cells, IntegerCells>) {
          cells.first[row] = value;
        } else if constexpr (std::is_same_v<Cells, FlagCells>) {
          cells.first[row] = flag(of.array, row, value, reading.offences);
        } else if constexpr (std::is_same_v<Cells, BitCells>) {
          if (value != 0.0)
            cells.first[row * cells.words_per_row + cells.bit / 64] |= std::uint64_t{1} << (cells.bit % 64);
        } else {
          cells.first[row * cells.stride] = value;
        }
      }
    });
  }

  static void add_text(TextRuns& text, std::int64_t row, std::int64_t id) {
    text.first_row.push_back(row);
    text.unescaped.push_back(std::make_unique<std::string>(std::to_string(id)));
    text.text.emplace_back(*text.unescaped.back());
  }

  std::uint8_t flag(const std::string& array, std::int64_t row, double value, Offences& wrong) const {
    if (value != 0.0 && value != 1.0) {
      wrong.add(row, [&] {
        DataError::Problem problem;
        problem.code = "bad_flag";
        problem.at = in_column(array, path_, row);
        problem.rule = fmt::format("{} is neither 0 nor 1", value);
        problem.remedy = "Write 1 where the episode ends, 0 elsewhere";
        return problem;
      });
    }
    return value == 1.0 ? 1 : 0;
  }

  std::string path_;
  std::size_t file_bytes_;
  std::int64_t bytes_in_memory_ = 0;
  NpzReader archive_;
  std::vector<TableColumn> columns_{};
  std::vector<Field> fields_{};  // of the columns
  std::string key_{};            // the array whose length counts; empty: not begun
  std::int64_t rows_ = 0;
};

// ---- writing
// ---------------------------------------------------------------------------------------------------------

// The names of the episodes as integers; empty if they are none.
std::vector<std::int64_t> ids_of(const Dataset& data) {
  std::vector<std::int64_t> ids;
  for (std::int64_t e = 0; e < data.episodes(); ++e) {
    const std::string name = data.episode_name(e);
    const char* last = name.data() + name.size();
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), last, id);
    if (error != std::errc{} || end != last) return {};
    ids.push_back(id);
  }
  return ids;
}

class LogsWriter {
 public:
  LogsWriter(const Dataset& data, const std::string& path, const WriteOptions& options) : data_(data), npz_(path) {
    integer_ids_ = ids_of(data);
    for (std::int64_t e = 0; e < data.episodes(); ++e) {
      const std::int64_t length = data.length(e);
      for (std::int64_t t = 0; t < length; ++t) rows_.push_back({e, t, data.first_step(e) + t, true});
      const auto final_row = data.final_row(e);
      if (!final_row || data.end(e) == EpisodeEnd::terminated || !options.final_states) continue;
      rows_.push_back({e, length, *final_row, false});
    }
  }

  void run() {
    add<std::int64_t>("episode", [this](const Row& row) { return episode_id(row.episode); });
    add<std::int64_t>("t", [](const Row& row) { return row.t; });
    add_states();
    if (const auto* discrete = std::get_if<DiscreteActions>(&data_.actions())) {
      add<std::int32_t>("action", [discrete](const Row& row) { return row.is_step ? discrete->id[row.index()] : -1; });
    }
    if (const auto* real = std::get_if<ContinuousActions>(&data_.actions())) {
      add_matrix("action", real->values, real->dimension);
    }
    add_matrix("reward", data_.rewards(), 0);
    add_logged("behavior", data_.behavior());
    add_logged("target", data_.target());
    if (const auto& p = data_.behavior_distribution()) add_matrix("behavior_probs", p->values, p->actions);
    if (const auto& p = data_.target_distribution()) add_matrix("target_probs", p->values, p->actions);
    add_flag("terminated", EpisodeEnd::terminated);
    add_flag("truncated", EpisodeEnd::truncated);
    npz_.finish();
  }

 private:
  struct Row {
    std::int64_t episode, t, state;  // the row in the table of states; for steps also the step
    bool is_step;
    std::size_t index() const { return static_cast<std::size_t>(state); }
  };

  std::int64_t count() const { return static_cast<std::int64_t>(rows_.size()); }

  std::int64_t episode_id(std::int64_t episode) const { return integer_ids_.empty() ? episode : integer_ids_[episode]; }

  template <class Number, class Value>
  void add(const std::string& array, const Value& value) {
    npz_.add_rows<Number>(array, {count()},
                          [this, value](std::int64_t i, std::span<Number> out) { out[0] = value(rows_[i]); });
  }

  // width 0: an array of one dimension. What a row behind the last step does not have is NaN.
  void add_matrix(const std::string& array, std::span<const double> from, std::int64_t width) {
    const std::vector<std::int64_t> shape =
        width == 0 ? std::vector<std::int64_t>{count()} : std::vector<std::int64_t>{count(), width};
    npz_.add_rows<double>(array, shape, [this, from](std::int64_t i, std::span<double> out) {
      const Row& row = rows_[i];
      if (row.is_step) {
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(row.index() * out.size()), out.size(), out.begin());
      } else {
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
      }
    });
  }

  void add_states() {
    const States& states = data_.states();
    if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
      add<std::int64_t>("state", [discrete](const Row& row) { return discrete->id_of(row.state); });
    }
    if (const auto* dense = std::get_if<DenseStates>(&states)) {
      dense->values.visit([&]<class Number>(const Column<Number>& values) {
        npz_.add_rows<Number>("state", {count(), dense->dimension}, [this, values](std::int64_t i, auto out) {
          const std::int64_t width = std::ssize(out);
          std::copy_n(values.begin() + rows_[i].state * width, width, out.begin());
        });
      });
    }
    if (const auto* bits = std::get_if<BinaryStates>(&states)) {
      npz_.add_rows<bool>("state", {count(), bits->dimension}, [this, bits](std::int64_t row, std::span<bool> out) {
        for (std::size_t j = 0; j < out.size(); ++j) {
          out[j] = bits->bit(rows_[row].state, static_cast<std::int64_t>(j));
        }
      });
    }
  }

  void add_logged(const std::string& who, const std::optional<LoggedProbabilities>& p) {
    if (p) add_matrix(who + (p->scale == LoggedProbabilities::Scale::linear ? "_prob" : "_logp"), p->values, 0);
  }

  void add_flag(const std::string& array, EpisodeEnd end) {
    npz_.add_rows<bool>(array, {count()}, [this, end](std::int64_t i, std::span<bool> out) {
      const Row& row = rows_[i];
      out[0] = row.is_step && row.t + 1 == data_.length(row.episode) && data_.end(row.episode) == end;
    });
  }

  const Dataset& data_;
  NpzWriter npz_;
  std::vector<Row> rows_{};
  std::vector<std::int64_t> integer_ids_{};
};

}  // namespace

ReadResult read_npz(const std::string& path, const ReadOptions& options) {
  return read_npz(InputFile(path), options);
}

std::int64_t npz_bytes_in_memory(InputFile file) {
  return NpzTableReader(std::move(file)).bytes_in_memory();
}

ReadResult read_npz(InputFile file, const ReadOptions& options) {
  NpzTableReader table(std::move(file));
  return read_logs(table, options);
}

void write_npz(const Dataset& data, const std::string& path, const WriteOptions& options) {
#if STAROPE_FILES
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();
  std::error_code unknown;
  const auto there = fs::status(path, unknown);
  if ((!folder.empty() && !fs::is_directory(folder, unknown)) || (fs::exists(there) && !fs::is_regular_file(there))) {
    throw FileError(
        fmt::format("{}: cannot be written: an .npz file needs a folder that exists and a name in it that "
                    "is no directory or device",
                    path));
  }
#endif
  LogsWriter(data, path, options).run();
}

}  // namespace starope::io
