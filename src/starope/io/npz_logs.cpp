#include "starope/io/npz_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/base/error.hpp"
#include "starope/io/npz.hpp"

namespace starope::io {
namespace {

constexpr std::int64_t most_columns = 1'000'000;  // of one array
constexpr std::size_t numbers_at_once = 1 << 14;

// ---- reading
// ---------------------------------------------------------------------------------------------------------

struct Field {  // a column of the table: one of an array
  std::string array{};
  std::int64_t column = 0;
  std::int64_t width = 1;  // of the array
  NpyType type{};
};

bool is_integer(const NpyType& type) {
  return type.kind != NpyType::Kind::real;
}

class Request {
 public:
  Request(const std::string& path, const ReadOptions& options) : path_(path), archive_(path), options_(options) {
    find_fields();
    roles_ = match_columns(names_, options, path);
    table_.source = {.file = path, .first_row = 0};
    table_.used = used_columns(roles_, names_);
    for (const std::string& name : names_) {
      const auto same = [&](const UsedColumn& used) { return used.name == name; };
      if (!std::any_of(table_.used.begin(), table_.used.end(), same)) table_.ignored.push_back(name);
    }
    table_.rows = archive_.open(field(roles_.reward).array).shape()[0];
  }

  LongTable read() {
    read_episodes();
    if (roles_.t) table_.t = numbers({*roles_.t});
    read_states();
    read_actions();
    table_.rewards = numbers({roles_.reward});
    table_.behavior = probability(roles_.behavior);
    table_.target = probability(roles_.target);
    table_.behavior_distribution = distribution(roles_.behavior_probs);
    table_.target_distribution = distribution(roles_.target_probs);
    table_.terminated = flags(roles_.terminated);
    table_.truncated = flags(roles_.truncated);
    find_partial_rows();
    return std::move(table_);
  }

 private:
  const Field& field(std::int64_t column) const { return fields_[static_cast<std::size_t>(column)]; }

  [[noreturn]] void fail(const std::string& array, std::optional<std::int64_t> row, const char* code,
                         const std::string& rule, const std::string& remedy) const {
    throw DataError({.code = code, .at = in_column(array, path_, row), .value = {}, .rule = rule, .remedy = remedy});
  }

  // Arrays of other shapes are not columns, and nobody asks for them.
  void find_fields() {
    for (const std::string& array : archive_.names()) {
      const NpyHeader header = archive_.open(array).header();
      const std::vector<std::int64_t>& shape = header.shape;
      if (shape.size() == 1) {
        names_.push_back(array);
        fields_.push_back({array, 0, 1, header.type});
      }
      if (shape.size() != 2) continue;
      if (shape[1] > most_columns) {
        fail(array, {}, "bad_shape", fmt::format("has {} columns", shape[1]), "Check that this is the file you meant");
      }
      for (std::int64_t c = 0; c < shape[1]; ++c) {
        names_.push_back(fmt::format("{}_{}", array, c));
        fields_.push_back({array, c, shape[1], header.type});
      }
    }
  }

  NpyReader open(const std::string& array) const {
    NpyReader reader = archive_.open(array);
    if (reader.shape()[0] != table_.rows) {
      fail(array, {}, "bad_shape",
           fmt::format("has {} rows, but {} has {}", reader.shape()[0], field(roles_.reward).array, table_.rows),
           "Give every array one entry per step");
    }
    return reader;
  }

  // Calls take(row number, values of the row) for every row of an array.
  template <class Number, class Take>
  void for_each_row(const std::string& array, std::int64_t width, const Take& take) const {
    NpyReader reader = open(array);
    const auto w = static_cast<std::size_t>(width);
    std::vector<Number> part(std::max<std::size_t>(1, numbers_at_once / std::max<std::size_t>(1, w)) * w);
    std::size_t row = 0;
    for (std::size_t got = reader.read(std::span<Number>(part)); got > 0; got = reader.read(std::span<Number>(part))) {
      for (std::size_t i = 0; i + w <= got; i += w) take(row++, std::span<const Number>(part).subspan(i, w));
    }
  }

  // Row by row, the columns side by side.
  template <class Number>
  std::vector<Number> columns(const std::vector<std::int64_t>& wanted) const {
    std::map<std::string, std::vector<std::size_t>> by_array;  // positions in `wanted`
    for (std::size_t i = 0; i < wanted.size(); ++i) by_array[field(wanted[i]).array].push_back(i);
    std::vector<Number> values(static_cast<std::size_t>(table_.rows) * wanted.size());
    for (const auto& entry : by_array) {
      const std::vector<std::size_t>& positions = entry.second;
      const std::int64_t width = field(wanted[positions.front()]).width;
      for_each_row<Number>(entry.first, width, [&](std::size_t row, std::span<const Number> numbers) {
        for (const std::size_t i : positions) {
          values[row * wanted.size() + i] = numbers[static_cast<std::size_t>(field(wanted[i]).column)];
        }
      });
    }
    return values;
  }
  std::vector<double> numbers(const std::vector<std::int64_t>& wanted) const { return columns<double>(wanted); }

  void read_episodes() {
    const std::vector<std::int64_t> ids = columns<std::int64_t>({roles_.episode});
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i > 0 && ids[i] == ids[i - 1]) continue;
      table_.episode.first_row.push_back(static_cast<std::int64_t>(i));
      table_.episode.unescaped.push_back(std::make_unique<std::string>(std::to_string(ids[i])));
      table_.episode.text.emplace_back(*table_.episode.unescaped.back());
    }
  }

  void read_states() {
    const std::vector<std::int64_t>& wanted = roles_.state;
    if (wanted.empty()) return;
    const Field& first = field(wanted[0]);
    const bool automatic = options_.state_kind == StateKind::automatic && !roles_.state_is_list;
    if (options_.state_kind == StateKind::discrete || (automatic && is_integer(first.type))) {
      table_.states = columns<std::int64_t>(wanted);
      return;
    }
    std::vector<std::string> names;
    for (const std::int64_t column : wanted) names.push_back(names_[static_cast<std::size_t>(column)]);
    const auto dimension = static_cast<std::int64_t>(wanted.size());
    if (first.type.kind == NpyType::Kind::boolean && whole_array(wanted)) {
      BinaryStates bits{.dimension = dimension, .words = {}, .names = std::move(names)};
      bits.words.reserve(static_cast<std::size_t>(table_.rows) * bits.words_per_row());
      for_each_row<double>(first.array, first.width,
                           [&](std::size_t, std::span<const double> row) { append_bits(bits.words, row); });
      table_.states = std::move(bits);
      return;
    }
    table_.states = DenseStates{.dimension = dimension, .values = numbers(wanted), .names = std::move(names)};
  }

  bool whole_array(const std::vector<std::int64_t>& wanted) const {
    const Field& first = field(wanted[0]);
    if (first.width < fewest_bits || static_cast<std::int64_t>(wanted.size()) != first.width) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Field& each = field(wanted[i]);
      if (each.array != first.array || each.column != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }

  void read_actions() {
    const std::vector<std::int64_t>& wanted = roles_.action;
    if (wanted.empty()) return;
    const bool numbered = !roles_.behavior_probs.empty() || !roles_.target_probs.empty();
    const bool requested = options_.action_kind == ActionKind::discrete || numbered;
    const bool automatic = options_.action_kind == ActionKind::automatic && !roles_.action_is_list;
    if (requested || (automatic && is_integer(field(wanted[0]).type))) {
      table_.actions = columns<std::int64_t>(wanted);
      return;
    }
    table_.actions =
        ContinuousActions{.dimension = static_cast<std::int64_t>(wanted.size()), .values = numbers(wanted)};
  }

  std::optional<LoggedProbabilities> probability(const std::optional<ColumnRoles::Probability>& role) const {
    if (!role) return std::nullopt;
    const bool density = std::holds_alternative<ContinuousActions>(table_.actions) ||
                         (roles_.action.empty() && options_.action_kind == ActionKind::continuous);
    return LoggedProbabilities{.values = numbers({role->column}), .scale = role->scale, .density = density};
  }

  std::optional<ActionProbabilities> distribution(const std::vector<std::int64_t>& wanted) const {
    if (wanted.empty()) return std::nullopt;
    return ActionProbabilities{.actions = static_cast<std::int32_t>(wanted.size()), .values = numbers(wanted)};
  }

  std::optional<std::vector<std::uint8_t>> flags(const std::optional<std::int64_t>& column) const {
    if (!column) return std::nullopt;
    const std::vector<double> values = numbers({*column});
    std::vector<std::uint8_t> flags(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0.0 && values[i] != 1.0) {
        fail(field(*column).array, static_cast<std::int64_t>(i), "bad_flag",
             fmt::format("{} is neither 0 nor 1", values[i]), "Write 1 where the episode ends, 0 elsewhere");
      }
      flags[i] = values[i] == 1.0 ? 1 : 0;
    }
    return flags;
  }

  void find_partial_rows() {
    if (roles_.state.empty()) return;
    for (std::size_t i = 0; i < table_.rewards.size(); ++i) {
      const auto unknown = [&](const std::optional<LoggedProbabilities>& p) { return !p || std::isnan(p->values[i]); };
      if (std::isnan(table_.rewards[i]) && unknown(table_.behavior) && unknown(table_.target)) {
        table_.partial_rows.push_back(static_cast<std::int64_t>(i));
      }
    }
  }

  std::string path_;
  NpzReader archive_;
  ReadOptions options_;
  std::vector<std::string> names_{};  // of the columns
  std::vector<Field> fields_{};
  ColumnRoles roles_{};
  LongTable table_{};
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

class Writer {
 public:
  Writer(const Dataset& data, const std::string& path, const WriteOptions& options) : data_(data), npz_(path) {
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

  std::int64_t episode_id(std::int64_t episode) const {
    return integer_ids_.empty() ? episode : integer_ids_[static_cast<std::size_t>(episode)];
  }

  template <class Number, class Value>
  void add(const std::string& array, const Value& value) {
    npz_.add_rows<Number>(array, {count()}, [this, value](std::int64_t i, std::span<Number> out) {
      out[0] = value(rows_[static_cast<std::size_t>(i)]);
    });
  }

  // width 0: an array of one dimension. What a row behind the last step does not have is NaN.
  void add_matrix(const std::string& array, std::span<const double> from, std::int64_t width, bool of_states = false) {
    const std::vector<std::int64_t> shape =
        width == 0 ? std::vector<std::int64_t>{count()} : std::vector<std::int64_t>{count(), width};
    npz_.add_rows<double>(array, shape, [this, from, of_states](std::int64_t i, std::span<double> out) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
      if (row.is_step || of_states) {
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(row.index() * out.size()), out.size(), out.begin());
      } else {
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
      }
    });
  }

  void add_states() {
    const States& states = data_.states();
    if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
      add<std::int64_t>("state", [discrete](const Row& row) {
        return discrete->ids[static_cast<std::size_t>(discrete->code[row.index()])];
      });
    }
    if (const auto* dense = std::get_if<DenseStates>(&states)) {
      add_matrix("state", dense->values, dense->dimension, true);
    }
    if (const auto* bits = std::get_if<BinaryStates>(&states)) {
      npz_.add_rows<bool>("state", {count(), bits->dimension}, [this, bits](std::int64_t row, std::span<bool> out) {
        for (std::size_t j = 0; j < out.size(); ++j) {
          out[j] = bits->bit(rows_[static_cast<std::size_t>(row)].state, static_cast<std::int64_t>(j));
        }
      });
    }
  }

  void add_logged(const std::string& who, const std::optional<LoggedProbabilities>& p) {
    if (p) add_matrix(who + (p->scale == LoggedProbabilities::Scale::linear ? "_prob" : "_logp"), p->values, 0);
  }

  void add_flag(const std::string& array, EpisodeEnd end) {
    npz_.add_rows<bool>(array, {count()}, [this, end](std::int64_t i, std::span<bool> out) {
      const Row& row = rows_[static_cast<std::size_t>(i)];
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
  return assemble(Request(path, options).read(), options.sort);
}

void write_npz(const Dataset& data, const std::string& path, const WriteOptions& options) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(path).parent_path();
  if ((!folder.empty() && !fs::is_directory(folder)) || (fs::exists(path) && !fs::is_regular_file(path))) {
    throw FileError(
        fmt::format("{}: cannot be written: an .npz file needs a folder that exists and a name in it that "
                    "is no directory or device",
                    path));
  }
  Writer(data, path, options).run();
}

}  // namespace starope::io
