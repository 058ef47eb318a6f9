#include "starope/io.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <variant>

#include "starope/io/atomic_file.hpp"
#include "starope/parallel/stop.hpp"

namespace starope::io {
namespace {

// A field needs quotes if its text would end it, open a quote, or be trimmed.
bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  return text.find_first_of(",\"\n\r") != std::string_view::npos || blank(text.front()) || blank(text.back());
}

class Writer {
 public:
  Writer(const Dataset& data, const TextSink& sink, const WriteOptions& options)
      : data_(data), sink_(sink), options_(options) {}

  void run() {
    header();
    for (std::int64_t e = 0; e < data_.episodes(); ++e) episode(e);
    flush();
  }

 private:
  static constexpr std::size_t flush_size = std::size_t{1} << 16;

  void header() {
    text("episode,t");
    if (std::holds_alternative<DiscreteStates>(data_.states())) text(",state");
    if (const auto* dense = std::get_if<DenseStates>(&data_.states())) numbered("state_", dense->dimension);
    if (const auto* bits = std::get_if<BinaryStates>(&data_.states())) numbered("state_", bits->dimension);
    if (std::holds_alternative<DiscreteActions>(data_.actions())) text(",action");
    // Numbered even if there is one: "action" alone could be taken for ids when the numbers happen to be integers.
    if (const auto* real = std::get_if<ContinuousActions>(&data_.actions())) numbered("action_", real->dimension);
    text(",reward");
    const auto logged = [&](const char* who, const std::optional<LoggedProbabilities>& p) {
      if (!p) return;
      text(who);
      text(p->scale == LoggedProbabilities::Scale::linear ? "_prob" : "_logp");
    };
    logged(",behavior", data_.behavior());
    logged(",target", data_.target());
    if (data_.behavior_distribution()) numbered("behavior_probs_", data_.behavior_distribution()->actions);
    if (data_.target_distribution()) numbered("target_probs_", data_.target_distribution()->actions);
    text(",terminated,truncated\n");
  }

  void episode(std::int64_t e) {
    const std::string id = id_of(e);
    const std::int64_t first = data_.first_step(e);
    const std::int64_t length = data_.length(e);
    const bool terminated = data_.end(e) == EpisodeEnd::terminated;
    for (std::int64_t t = 0; t < length; ++t) {
      start_row(id, t);
      state(first + t);
      step(first + t);
      text(t + 1 < length ? ",0,0\n" : (terminated ? ",1,0\n" : ",0,1\n"));
      if (buffer_.size() >= flush_size) flush();
    }
    const auto final_row = data_.final_row(e);
    if (!final_row || terminated || !options_.final_states) return;
    start_row(id, length);
    state(*final_row);
    buffer_.append(std::string(empty_cells(), ','));
    text(",0,0\n");
  }

  std::string id_of(std::int64_t e) const {
    const std::string name = data_.episode_name(e);
    if (!needs_quotes(name)) return name;
    std::string quoted = "\"";
    for (const char c : name) {
      if (c == '"') quoted += '"';
      quoted += c;
    }
    return quoted + '"';
  }

  void start_row(std::string_view id, std::int64_t t) {
    text(id);
    integer(t);
  }

  void state(std::int64_t row) {
    if (const auto* discrete = std::get_if<DiscreteStates>(&data_.states())) {
      integer(discrete->id_of(row));
    }
    if (const auto* dense = std::get_if<DenseStates>(&data_.states())) {
      for (const double value : dense->row(row, scratch_)) number(value);
    }
    if (const auto* bits = std::get_if<BinaryStates>(&data_.states())) {
      for (std::int64_t k = 0; k < bits->dimension; ++k) text(bits->bit(row, k) ? ",1" : ",0");
    }
  }

  void step(std::int64_t row) {
    if (const auto* discrete = std::get_if<DiscreteActions>(&data_.actions())) {
      integer(discrete->id[row]);
    }
    if (const auto* real = std::get_if<ContinuousActions>(&data_.actions()))
      numbers(real->values, row, real->dimension);
    numbers(data_.rewards(), row, 1);
    for (const auto* logged : {&data_.behavior(), &data_.target()}) {
      if (*logged) numbers((*logged)->values, row, 1);
    }
    for (const auto* distribution : {&data_.behavior_distribution(), &data_.target_distribution()}) {
      if (*distribution) numbers((*distribution)->values, row, (*distribution)->actions);
    }
  }

  // What step() writes besides commas, and one comma for each.
  std::size_t empty_cells() const {
    std::int64_t cells = 1;  // the reward
    if (std::holds_alternative<DiscreteActions>(data_.actions())) ++cells;
    if (const auto* real = std::get_if<ContinuousActions>(&data_.actions())) cells += real->dimension;
    cells += (data_.behavior() ? 1 : 0) + (data_.target() ? 1 : 0);
    if (data_.behavior_distribution()) cells += data_.behavior_distribution()->actions;
    if (data_.target_distribution()) cells += data_.target_distribution()->actions;
    return static_cast<std::size_t>(cells);
  }

  void text(std::string_view piece) { buffer_.append(piece); }

  void numbered(const char* prefix, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) fmt::format_to(std::back_inserter(buffer_), ",{}{}", prefix, i);
  }

  void integer(std::int64_t value) { fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE(",{}"), value); }

  void numbers(std::span<const double> values, std::int64_t row, std::int64_t width) {
    const auto first = static_cast<std::size_t>(row * width);
    for (const double value : values.subspan(first, width)) number(value);
  }

  void number(double value) {
    // Features that are 0 or 1 make up whole files; the general algorithm takes several times as long for them.
    const int digit = value >= 0.0 && value <= 9.0 ? static_cast<int>(value) : -1;
    if (static_cast<double>(digit) == value && !std::signbit(value)) {
      buffer_.push_back(',');
      buffer_.push_back(static_cast<char>('0' + digit));
    } else {
      fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE(",{}"), value);
    }
  }

  void flush() {
    stop_if_asked();
    sink_({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  const Dataset& data_;
  const TextSink& sink_;
  const WriteOptions& options_;
  fmt::memory_buffer buffer_{};
  std::vector<double> scratch_{};
};

}  // namespace

void write_csv(const Dataset& data, const TextSink& sink, const WriteOptions& options) {
  Writer(data, sink, options).run();
}

void write_csv(const Dataset& data, const std::string& path, const WriteOptions& options) {
  AtomicFile file(path);
  write_csv(
      data, [&](std::string_view piece) { file.write(piece); }, options);
  file.commit();
}

}  // namespace starope::io
