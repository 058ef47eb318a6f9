#include "starope/io/csv_chunk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/error.hpp"
#include "starope/io/csv_cells.hpp"

namespace starope::io {
namespace {

using Action = CsvStep::Action;

DataError::Problem problem_at(const CsvPlan& plan, std::int64_t row, const char* code) {
  DataError::Problem problem;
  problem.code = code;
  problem.at.file = plan.file;
  problem.at.row = plan.layout->file_row(row);
  return problem;
}

std::string name_of(const CsvPlan& plan, std::int64_t field) {
  return plan.layout->has_header ? plan.layout->names[field] : fmt::format("{}", field + 1);
}

[[noreturn]] void fail_quote(const CsvPlan& plan, CsvField::Flaw flaw, std::int64_t field, std::int64_t row) {
  const bool open = flaw == CsvField::Flaw::unterminated;
  DataError::Problem problem = problem_at(plan, row, open ? "unterminated_quote" : "stray_quote");
  problem.at.column = name_of(plan, std::min(field, plan.layout->fields - 1));
  problem.rule = open                                        ? "opens a quote that never closes"
                 : flaw == CsvField::Flaw::text_behind_quote ? "has text behind the closing quote of a field"
                                                             : "has a quote in the middle of a field";
  problem.remedy = open ? "Close it, or double it if it is part of a quoted text"
                        : "Put the whole field in quotes and double the quotes inside";
  throw DataError(std::move(problem));
}

class ChunkParser {
 public:
  ChunkParser(const CsvPlan& plan, const CsvChunk& chunk)
      : plan_(plan), chunk_(chunk), end_(chunk.bytes.data() + chunk.bytes.size()) {}

  CsvReading run() {
    const char* p = chunk_.bytes.data();
    const std::int64_t first = chunk_.first_row;
    for (std::int64_t row = first; row < first + chunk_.rows; ++row) {
      if (p >= end_) other_rows();
      try {
        p = parse_row(p, row);
      } catch (const DataError& error) {
        p = behind_wrong_row(p, row, error);
        reading_.lost = p == nullptr;
        if (reading_.lost) return std::move(reading_);
      }
    }
    if (p != end_) other_rows();
    return std::move(reading_);
  }

 private:
  // The rows were counted before: somebody has written into the file since.
  [[noreturn]] void other_rows() const {
    throw FileError(fmt::format(
        "{}: the file was changed while it was read. Wait until whoever writes it has finished, or read a copy",
        plan_.file));
  }

  // None: its quotes are wrong, and nobody knows where the next row begins.
  const char* behind_wrong_row(const char* record, std::int64_t row, const DataError& error) {
    reading_.offences.add(row, [&] { return error.problem(); });
    last_text_ = {};
    CsvField field = field_at(record, end_, plan_.delimiter);
    for (; field.flaw == CsvField::Flaw::none; field = field_at(field.terminator + 1, end_, plan_.delimiter)) {
      if (field.ends_record) return field.terminator + 1;
    }
    return nullptr;
  }

  // Each case leaves p behind the terminator of its last field; a null pointer says that a cell is empty.
  const char* parse_row(const char* const record, std::int64_t row) {
    const char* p = record;
    for (const CsvStep& step : plan_.steps) {
      if (step.again) p = field_;
      switch (step.action) {
        case Action::skip:
          p = skip(p, step, row);
          break;
        case Action::numbers:
          p = numbers(p, step, row);
          break;
        case Action::integer:
          p = integer(p, step, row);
          break;
        case Action::flag:
          p = flag(p, step, row);
          break;
        case Action::text:
          p = text(p, step, row);
          break;
      }
      if (p == nullptr) return partial_row(record, row);
    }
    return p;
  }

  const char* skip(const char* p, const CsvStep& step, std::int64_t row) {
    for (std::int64_t k = 0; k < step.count; ++k) {
      const char terminator = k + 1 == step.count ? step.terminator : plan_.delimiter;
      const char* const behind = find_either(p, end_, plan_.delimiter, '\n');
      // Quotes may hide delimiters, so every field has to be looked at.
      const bool plain = *behind == terminator && !plan_.layout->quoted;
      p = plain ? behind + 1 : odd_field(p, step.field + k, row).terminator + 1;
    }
    return p;
  }

  const char* numbers(const char* p, const CsvStep& step, std::int64_t row) {
    double* const out = step.numbers + row * step.stride;
    for (std::int64_t k = 0; k < step.count; ++k) {
      field_ = p;
      const char terminator = k + 1 == step.count ? step.terminator : plan_.delimiter;
      if (detail::is_digit(*p) && p[1] == terminator) {  // features that are 0 or 1, and many a reward
        out[k] = static_cast<double>(*p - '0');
        p += 2;
        continue;
      }
      const char* behind = parse_number(p, end_, out[k]);
      if (behind == nullptr || *behind != terminator || std::isinf(out[k])) {
        const CsvField field = odd_field(p, step.field + k, row);
        if (field.text.empty()) return nullptr;
        out[k] = number_of(step.column + static_cast<std::size_t>(k), field, row);
        behind = field.terminator;
      }
      p = behind + 1;
    }
    return p;
  }

  const char* integer(const char* p, const CsvStep& step, std::int64_t row) {
    field_ = p;
    const char* const behind = parse_integer(p, step.integers[row]);
    if (behind != nullptr && *behind == step.terminator) return behind + 1;
    const CsvField field = odd_field(p, step.field, row);
    if (field.text.empty()) return nullptr;
    step.integers[row] = value_of(integer_in(field.text), step.column, field, row);
    return field.terminator + 1;
  }

  const char* flag(const char* p, const CsvStep& step, std::int64_t row) {
    field_ = p;
    if ((*p == '0' || *p == '1') && p[1] == step.terminator) {
      step.flags[row] = *p == '1' ? 1 : 0;
      return p + 2;
    }
    const CsvField field = odd_field(p, step.field, row);
    if (field.text.empty()) return nullptr;
    step.flags[row] = value_of(flag_in(field.text), step.column, field, row) ? 1 : 0;
    return field.terminator + 1;
  }

  const char* text(const char* p, const CsvStep& step, std::int64_t row) {
    field_ = p;
    const std::size_t size = last_text_.size();
    const bool repeats = size > 0 && static_cast<std::size_t>(end_ - p) > size && p[size] == step.terminator &&
                         std::memcmp(p, last_text_.data(), size) == 0;
    if (repeats) return p + size + 1;
    const CsvField field = odd_field(p, step.field, row);
    if (field.text.empty()) return nullptr;
    last_text_ = {p, static_cast<std::size_t>(field.terminator - p)};
    add_text(field, row);
    return field.terminator + 1;
  }

  void add_text(const CsvField& field, std::int64_t row) {
    std::string_view content = field.text;
    if (field.escaped) {
      reading_.text.unescaped.push_back(std::make_unique<std::string>(unescaped(field)));
      content = *reading_.text.unescaped.back();
    }
    if (!reading_.text.text.empty() && reading_.text.text.back() == content) return;
    reading_.text.first_row.push_back(row);
    reading_.text.text.push_back(content);
  }

  // A field that the fast path could not take: quoted, with blanks, before CRLF, empty, or wrong.
  CsvField odd_field(const char* p, std::int64_t index, std::int64_t row) const {
    const CsvField field = field_at(p, end_, plan_.delimiter);
    if (field.flaw != CsvField::Flaw::none) fail_quote(plan_, field.flaw, index, row);
    if (field.ends_record != (index + 1 == plan_.layout->fields)) fail_ragged(p, index, row);
    return field;
  }

  // Rare: a row with an empty cell is looked at as a whole, to see whether it is a partial row.
  const char* partial_row(const char* const record, std::int64_t row) {
    fields_.clear();
    const char* p = record;
    for (std::int64_t i = 0; i < plan_.layout->fields; ++i) {
      fields_.push_back(odd_field(p, i, row));
      p = fields_.back().terminator + 1;
    }
    bool some = false;
    bool all = true;
    for (const WantedColumn& column : plan_.columns) {
      if (column.blank != Blank::together) continue;
      some = true;
      all = all && field_of(column).text.empty();
    }
    const bool partial = some && all;
    for (std::size_t c = 0; c < plan_.columns.size(); ++c) {
      const WantedColumn& column = plan_.columns[c];
      if (!field_of(column).text.empty()) {
        store(c, row);
      } else if (column.blank == Blank::free || (column.blank != Blank::never && partial)) {
        store_blank(column, row);
      } else {
        fail_blank(column, row);
      }
    }
    if (partial) reading_.partial_rows.push_back(row);
    return p;
  }

  const CsvField& field_of(const WantedColumn& column) const { return fields_[column.field]; }

  void store(std::size_t c, std::int64_t row) {
    const WantedColumn& column = plan_.columns[c];
    const CsvField& field = field_of(column);
    if (const auto* number = std::get_if<NumberCells>(&column.cells)) {
      number->first[row * number->stride] = number_of(c, field, row);
    } else if (const auto* integer = std::get_if<IntegerCells>(&column.cells)) {
      integer->first[row] = value_of(integer_in(field.text), c, field, row);
    } else if (const auto* flag = std::get_if<FlagCells>(&column.cells)) {
      flag->first[row] = value_of(flag_in(field.text), c, field, row) ? 1 : 0;
    } else {
      last_text_ = {};
      add_text(field, row);
    }
  }

  static void store_blank(const WantedColumn& column, std::int64_t row) {
    if (const auto* number = std::get_if<NumberCells>(&column.cells)) {
      number->first[row * number->stride] = std::numeric_limits<double>::quiet_NaN();
    } else if (const auto* integer = std::get_if<IntegerCells>(&column.cells)) {
      integer->first[row] = 0;
    } else if (const auto* flag = std::get_if<FlagCells>(&column.cells)) {
      flag->first[row] = 0;
    }
  }

  // 'inf' is for the rules of the column; 1e400 is a number that only the file can show.
  double number_of(std::size_t c, const CsvField& field, std::int64_t row) const {
    const double value = value_of(number_in(field.text), c, field, row);
    if (!std::isinf(value) || std::none_of(field.text.begin(), field.text.end(), detail::is_digit)) return value;
    DataError::Problem problem = problem_at(plan_, row, "bad_number");
    problem.at.column = name_of(plan_, plan_.columns[c].field);
    problem.value = unescaped(field);
    problem.rule = "is beyond 1.8e308, the largest finite number that can be computed with";
    problem.remedy = "Correct it, or drop the whole episode";
    throw DataError(std::move(problem));
  }

  template <class Value>
  Value value_of(const std::optional<Value>& value, std::size_t c, const CsvField& field, std::int64_t row) const {
    if (value) return *value;
    const WantedColumn& column = plan_.columns[c];
    DataError::Problem problem = problem_at(plan_, row, column.rule.code.c_str());
    problem.at.column = name_of(plan_, column.field);
    problem.value = unescaped(field);
    problem.rule = column.rule.rule;
    problem.remedy = column.rule.remedy;
    throw DataError(std::move(problem));
  }

  [[noreturn]] void fail_blank(const WantedColumn& column, std::int64_t row) const {
    DataError::Problem problem = problem_at(plan_, row, "missing_value");
    problem.at.column = name_of(plan_, column.field);
    problem.rule = "is empty: a missing value";
    problem.remedy = column.rule.blank_remedy.empty() ? plan_.blank_remedy : column.rule.blank_remedy;
    throw DataError(std::move(problem));
  }

  // The field at p is number `index` of its record and does not end where it should.
  [[noreturn]] void fail_ragged(const char* p, std::int64_t index, std::int64_t row) const {
    DataError::Problem problem = problem_at(plan_, row, "ragged_row");
    CsvField field = field_at(p, end_, plan_.delimiter);
    std::int64_t found = index + 1;
    for (; !field.ends_record; ++found) field = field_at(field.terminator + 1, end_, plan_.delimiter);
    const std::int64_t expected = plan_.layout->fields;
    const char* const model = plan_.layout->has_header ? "the header" : "the first row";
    if (found == 1 && field.text.empty()) {
      problem.rule = fmt::format("is blank, but {} has {} fields", model, expected);
      problem.remedy = "Remove the blank line";
    } else {
      problem.rule = fmt::format("has {} field{}, but {} has {}", found, found == 1 ? "" : "s", model, expected);
      problem.remedy = "Look for a missing or extra delimiter; a text that holds one needs quotes around it";
    }
    throw DataError(std::move(problem));
  }

  const CsvPlan& plan_;
  const CsvChunk& chunk_;
  const char* const end_;
  const char* field_ = nullptr;     // start of the field read last
  std::string_view last_text_{};    // of the text column, as it stands in the file
  std::vector<CsvField> fields_{};  // of a partial row; kept to spare allocations
  CsvReading reading_{};
};

CsvStep step_for(const WantedColumn& column, std::size_t index) {
  CsvStep step;
  step.field = column.field;
  step.column = index;
  if (const auto* number = std::get_if<NumberCells>(&column.cells)) {
    step.action = Action::numbers;
    step.numbers = number->first;
    step.stride = number->stride;
  } else if (const auto* integer = std::get_if<IntegerCells>(&column.cells)) {
    step.action = Action::integer;
    step.integers = integer->first;
  } else if (const auto* flag = std::get_if<FlagCells>(&column.cells)) {
    step.action = Action::flag;
    step.flags = flag->first;
  } else {
    STAROPE_ASSERT(std::holds_alternative<TextCells>(column.cells));  // texts have no columns of other types
    step.action = Action::text;
  }
  return step;
}

// Neighboring fields that go to neighboring doubles are one run.
bool continues(const CsvStep& run, const CsvStep& next) noexcept {
  return run.action == Action::numbers && next.action == Action::numbers && run.field + run.count == next.field &&
         run.numbers != nullptr && run.numbers + run.count == next.numbers && run.stride == next.stride;
}

}  // namespace

CsvPlan make_csv_plan(std::string file, const CsvLayout& layout, char delimiter, std::vector<WantedColumn> columns,
                      std::string blank_remedy) {
  std::stable_sort(columns.begin(), columns.end(),
                   [](const WantedColumn& a, const WantedColumn& b) { return a.field < b.field; });
  CsvPlan plan{std::move(file), &layout, delimiter, std::move(columns), {}, std::move(blank_remedy)};
  std::int64_t next = 0;  // the first field that no step covers
  const auto skip_to = [&](std::int64_t field) {
    if (field <= next) return;
    CsvStep skip;
    skip.field = next;
    skip.count = field - next;
    plan.steps.push_back(skip);
    next = field;
  };
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    STAROPE_ASSERT(plan.columns[c].field >= 0 && plan.columns[c].field < layout.fields);
    CsvStep step = step_for(plan.columns[c], c);
    step.again = step.field < next;
    skip_to(step.field);
    if (!step.again && !plan.steps.empty() && continues(plan.steps.back(), step)) {
      ++plan.steps.back().count;
    } else {
      plan.steps.push_back(step);
    }
    next = std::max(next, step.field + 1);
  }
  skip_to(layout.fields);
  for (CsvStep& step : plan.steps) step.terminator = step.field + step.count == layout.fields ? '\n' : delimiter;
  return plan;
}

CsvReading parse_csv_chunk(const CsvPlan& plan, const CsvChunk& chunk) {
  return ChunkParser(plan, chunk).run();
}

void fail_unterminated(const CsvPlan& plan) {
  const std::string_view record = plan.layout->unterminated;
  const char* const end = record.data() + record.size();
  CsvField field = field_at(record.data(), end, plan.delimiter);
  std::int64_t index = 0;
  // Some field has a flaw: otherwise the quotes before its end would be even in number and it had been a row.
  for (; field.flaw == CsvField::Flaw::none && field.terminator != end; ++index)
    field = field_at(field.terminator + 1, end, plan.delimiter);
  STAROPE_ASSERT(field.flaw != CsvField::Flaw::none);
  fail_quote(plan, field.flaw, index, plan.layout->rows);
}

}  // namespace starope::io
