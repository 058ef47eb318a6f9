#include "starope/io/arrow_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "starope/error.hpp"
#include "starope/io/assemble.hpp"
#include "starope/io/csv_cells.hpp"

namespace starope::io {

using Kind = ArrowType::Kind;

namespace {

constexpr std::int64_t most_rows = std::int64_t{1} << 33;  // of a batch: nobody's memory holds more
constexpr std::int64_t most_columns = 100'000;

// Without a branch per number: most columns have no NaN, and then nobody has to look for its row.
template <class Number>
bool has_nan(const void* values, std::int64_t first, std::int64_t count) {
  const Number* const at = static_cast<const Number*>(values) + first;
  unsigned found = 0;
  for (std::int64_t i = 0; i < count; ++i) found |= static_cast<unsigned>(std::isnan(at[i]));
  return found != 0;
}

bool may_have_nan(const ArrowValues& values) {
  if (!values.places.empty() || values.stride != 1) return true;
  if (values.type.bytes == 8) return has_nan<double>(values.array->buffers[1], values.first, values.rows);
  if (values.type.bytes == 4) return has_nan<float>(values.array->buffers[1], values.first, values.rows);
  return true;
}

}  // namespace

ArrowTableReader::ArrowTableReader(ArrowArrayStream* stream, std::string name)
    : name_(std::move(name)), stream_(stream) {
  if (stream_.released()) fail("is a stream that was read before", "Make another one: a stream can be read once");
  if (const int code = stream_->get_schema(stream_.get(), schema_.get()); code != 0) {
    const char* const said = stream_->get_last_error(stream_.get());
    fail(fmt::format("cannot be read ({})", said != nullptr ? said : std::strerror(code)), "Make another stream");
  }
  const bool table =
      !schema_.released() && schema_->format != nullptr && arrow_type(schema_->format).kind == Kind::table;
  if (!table) fail("is no stream of tables", "Hand over a table or record batches, not a single array");
  fetch();
  for (std::int64_t c = 0; c < schema_->n_children; ++c) describe(*schema_->children[c], static_cast<std::size_t>(c));
  for (std::size_t f = 0; f < fields_.size(); ++f) columns_[f].type = type_of(fields_[f]);
}

void ArrowTableReader::fail(const std::string& rule, const std::string& remedy, const std::string& column) const {
  DataError::Problem problem;
  problem.code = "bad_stream";
  problem.at = TableSource{.file = name_}.at(0, column);
  problem.at.row.reset();
  problem.rule = rule;
  problem.remedy = remedy;
  throw DataError(std::move(problem));
}

void ArrowTableReader::fail_contradiction(const std::string& what, const std::string& column) const {
  fail(fmt::format("contradicts itself: {}", what), "Report this to who made the stream", column);
}

bool ArrowTableReader::fetch() {
  for (;;) {
    ArrowOwned<ArrowArray> batch;
    if (const int code = stream_->get_next(stream_.get(), batch.get()); code != 0) {
      const char* const said = stream_->get_last_error(stream_.get());
      fail(fmt::format("ended with an error ({})", said != nullptr ? said : std::strerror(code)),
           "Look for the cause where the table is made");
    }
    loans_.take_from(*batch_.get());
    batch_ = std::move(batch);
    if (batch_.released()) return false;
    if (const std::string what = contradiction({.kind = Kind::table}, *batch_, batch_->length); !what.empty())
      fail_contradiction(what, {});
    if (batch_->length > most_rows) fail_contradiction(fmt::format("a batch of {} rows", batch_->length), {});
    const bool complete =
        batch_->n_children == schema_->n_children && (batch_->children != nullptr || batch_->n_children == 0);
    if (!complete) fail_contradiction("a batch without all columns", {});
    if (batch_->length > 0) return true;
  }
}

void ArrowTableReader::describe(const ArrowSchema& schema, std::size_t child) {
  const std::string name = schema.name == nullptr ? "" : schema.name;
  if (schema.format == nullptr) fail_contradiction("a column without a type", name);
  Field field{.child = child};
  const ArrowSchema* leaf = &schema;
  const ArrowType outer = arrow_type(schema.format);
  if (outer.is_list()) {
    if (schema.n_children != 1 || schema.children == nullptr || schema.children[0]->format == nullptr)
      fail_contradiction("a list without elements", name);
    leaf = schema.children[0];
    field.list = outer;
    field.width = outer.width;
  }
  field.type = arrow_type(leaf->format);
  field.coded = leaf->dictionary != nullptr && leaf->dictionary->format != nullptr;
  if (field.coded) {
    field.codes = field.type;
    field.type = arrow_type(leaf->dictionary->format);
  }
  if (field.list.kind == Kind::list || field.list.kind == Kind::large_list) {
    // As many columns as the first list has elements.
    if (batch_.released() || batch_->length == 0) return;
    const ArrowArray* const lists = batch_->children[child];
    if (lists == nullptr) fail_contradiction("a column without an array", name);
    const std::string what = contradiction(field.list, *lists, batch_->offset + batch_->length);
    if (!what.empty()) fail_contradiction(what, name);
    for (std::int64_t r = 0; r < batch_->length && field.width == 0; ++r) {
      const std::int64_t place = lists->offset + batch_->offset + r;
      if (is_null(*lists, place)) continue;
      const auto range = list_at(field.list, *lists, place);
      if (range) field.width = range->second - range->first;
    }
  }
  if (field.width > most_columns) fail(fmt::format("has lists of {} elements", field.width), "Leave it out", name);
  if (field.list.kind == Kind::unknown) {
    fields_.push_back(field);
    columns_.push_back({.name = name});
  }
  for (; field.element < field.width; ++field.element) {
    fields_.push_back(field);
    columns_.push_back({.name = fmt::format("{}_{}", name, field.element)});
  }
}

// What the format declares. Texts may hold numbers, as in a text file, and integers with gaps are floats to pandas.
TableColumn::Type ArrowTableReader::type_of(const Field& field) const {
  using Type = TableColumn::Type;
  switch (field.type.kind) {
    case Kind::boolean:
      return Type::boolean;
    case Kind::signed_integer:
    case Kind::unsigned_integer:
      return Type::integer;
    case Kind::decimal:
      return field.type.scale == 0 ? Type::integer : Type::real;
    default:
      break;
  }
  if (field.type.kind != Kind::real && !field.type.is_text()) return Type::text;
  if (batch_.released() || field.width > 0)
    return field.type.kind != Kind::real ? Type::text : field.type.bytes == 8 ? Type::real : Type::single;
  Offences nobody;
  const Values values = find_values(field, {}, nobody);
  if (field.type.is_text()) {
    const std::int64_t place = values.place(0);
    const auto text = place < 0 ? std::nullopt : text_at(values.type, *values.array, place);
    return text && written_as_integer(*text) ? Type::integer : Type::text;
  }
  bool gaps = !values.blanks.empty(), integers = true;
  for_each_number(values, [&](std::int64_t, auto number) {
    const bool nan = std::isnan(static_cast<double>(number));
    gaps = gaps || nan;
    integers = integers && (nan || as_integer(number).has_value());
  });
  if (gaps && integers) return Type::integer;
  return field.type.bytes == 8 ? Type::real : Type::single;
}

std::string ArrowTableReader::column_of(const std::string& name) const {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (columns_[f].name == name) return schema_->children[fields_[f].child]->name;
  }
  return name;
}

bool ArrowTableReader::holds_texts(const std::string& name) const {
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    if (columns_[f].name == name) return fields_[f].type.is_text();
  }
  return false;
}

std::optional<std::int64_t> ArrowTableReader::next(std::int64_t /*key*/) {
  if (begun_ && !batch_.released()) {
    first_row_ += batch_->length;
    fetch();
  }
  begun_ = true;
  return batch_.released() ? std::nullopt : std::optional(batch_->length);
}

std::optional<double> ArrowTableReader::share_read() const {
  if (!expected_rows_ || *expected_rows_ < 1) return std::nullopt;
  const std::int64_t rows = first_row_ + (batch_.released() ? 0 : batch_->length);
  return std::min(1.0, static_cast<double>(rows) / static_cast<double>(*expected_rows_));
}

ArrowTableReader::Values ArrowTableReader::values_of(std::int64_t field, Offences& trouble) const {
  const Field& of = fields_[field];
  const Kind kind = of.type.kind;
  if (kind == Kind::unknown || kind == Kind::table || of.type.is_list()) {
    const ArrowSchema& column = *schema_->children[of.child];
    fail(fmt::format("holds {}, a type that cannot be read here", type_in_words(column)),
         "Convert it to numbers or texts, or to lists of numbers", column.name == nullptr ? "" : column.name);
  }
  return find_values(of, name_of(field), trouble);
}

ArrowTableReader::Values ArrowTableReader::find_values(const Field& field, const std::string& name,
                                                       Offences& trouble) const {
  const ArrowArray* const outer = batch_->children[field.child];
  if (outer == nullptr) fail_contradiction("a column without an array", name);
  Values values{.array = outer, .type = field.coded ? field.codes : field.type, .rows = batch_->length};
  const ArrowType& stored = field.width > 0 ? field.list : values.type;
  const std::string what = contradiction(stored, *outer, batch_->offset + values.rows);
  if (!what.empty()) fail_contradiction(what, name);
  values.first = outer->offset + batch_->offset;
  std::vector<std::int64_t> without;
  const bool complete = stored.kind != Kind::nothing && all_valid(*batch_, batch_->offset, values.rows) &&
                        all_valid(*outer, values.first, values.rows);
  for (std::int64_t r = 0; r < values.rows && !complete; ++r) {
    if (stored.kind == Kind::nothing || is_null(*batch_, batch_->offset + r) || is_null(*outer, values.first + r))
      without.push_back(r);
  }
  if (field.width > 0) {
    const ArrowArray& leaf = *outer->children[0];
    if (const std::string inner = contradiction(values.type, leaf, leaf.length); !inner.empty())
      fail_contradiction(inner, name);
    std::vector<std::int64_t> places(values.rows, -1);
    auto gone = without.begin();
    for (std::int64_t r = 0; r < values.rows; ++r) {
      if (gone != without.end() && *gone == r) {
        ++gone;
        continue;
      }
      const auto range = list_at(field.list, *outer, values.first + r);
      if (!range) fail_contradiction(fmt::format("a list in row {} that lies outside", first_row_ + r), name);
      if (range->second - range->first != field.width) {
        trouble.add(r, [&] {
          return DataError::Problem{
              "ragged_list",
              source().at(r, name),
              {},
              fmt::format("has {} elements, but the lists above have {}", range->second - range->first, field.width),
              "Give all lists of a column the same length"};
        });
        continue;
      }
      places[r] = leaf.offset + range->first + field.element;
    }
    values.array = &leaf;
    values.places = std::move(places);
    const bool whole = all_valid(leaf, leaf.offset, leaf.length);
    for (std::int64_t r = 0; r < values.rows && !whole; ++r) {
      const std::int64_t place = values.places[r];
      if (place >= 0 && is_null(leaf, place)) without.push_back(r);
    }
    std::sort(without.begin(), without.end());
  }
  values.leave_out(without);
  if (field.coded) follow_codes(field, name, values);
  return values;
}

// From the places of the codes to those of what they stand for.
void ArrowTableReader::follow_codes(const Field& field, const std::string& name, Values& values) const {
  const ArrowArray* const meaning = values.array->dictionary;
  if (meaning == nullptr) fail_contradiction("codes without a dictionary", name);
  if (const std::string what = contradiction(field.type, *meaning, meaning->length); !what.empty())
    fail_contradiction(what, name);
  std::vector<std::int64_t> places(values.rows, -1), without;
  for_each_number(values, [&](std::int64_t r, auto number) {
    const auto code = as_integer(number);
    if (!code || *code < 0 || *code >= meaning->length)
      fail_contradiction(fmt::format("a code in row {} that the dictionary does not have", first_row_ + r), name);
    places[r] = meaning->offset + *code;
    if (is_null(*meaning, meaning->offset + *code)) without.push_back(r);
  });
  values.array = meaning;
  values.type = field.type;
  values.places = std::move(places);
  values.leave_out(without);
}

// Rows in which everything that may be empty together is empty. Anything else that is empty is trouble.
std::vector<std::int64_t> ArrowTableReader::partial_rows(const std::vector<WantedColumn>& wanted,
                                                         std::vector<Values>& values, Offences& trouble) const {
  std::optional<std::vector<std::int64_t>> partial;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Values& each = values[i];
    const bool gaps = wanted[i].blank != Blank::never || std::holds_alternative<TextCells>(wanted[i].cells);  // or ids
    if (gaps && each.type.kind == Kind::real && may_have_nan(each)) {
      std::vector<std::int64_t> unknown;
      for_each_number(each, [&](std::int64_t r, auto number) {
        if (std::isnan(static_cast<double>(number))) unknown.push_back(r);
      });
      each.leave_out(unknown);
    }
    if (wanted[i].blank != Blank::together) continue;
    std::vector<std::int64_t> both = each.blanks;
    if (partial) {
      both.clear();
      std::set_intersection(partial->begin(), partial->end(), each.blanks.begin(), each.blanks.end(),
                            std::back_inserter(both));
    }
    partial = std::move(both);
  }
  const std::vector<std::int64_t> none;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].blank == Blank::free) continue;
    const std::vector<std::int64_t>& excused = wanted[i].blank == Blank::never || !partial ? none : *partial;
    for (const std::int64_t r : values[i].blanks) {
      if (std::binary_search(excused.begin(), excused.end(), r)) continue;
      trouble.add(r, [&] {
        return DataError::Problem{
            "missing_value",
            source().at(r, name_of(wanted[i].field)),
            {},
            "is empty: a missing value",
            wanted[i].rule.blank_remedy.empty() ? blank_cell_remedy : wanted[i].rule.blank_remedy};
      });
    }
  }
  return partial.value_or(none);
}

void ArrowTableReader::store(const WantedColumn& wanted, const Values& values, TextRuns& text,
                             Offences& trouble) const {
  const auto wrong = [&](std::int64_t row, std::string value) {
    trouble.add(row, [&] {
      return DataError::Problem{wanted.rule.code, source().at(row, name_of(wanted.field)), std::move(value),
                                wanted.rule.rule, wanted.rule.remedy};
    });
  };
  const auto blurred = [&](std::int64_t row, double id) {
    trouble.add(row, [&] {
      return DataError::Problem{
          "blurred_id", source().at(row, name_of(wanted.field)), fmt::format("{:.17g}", id),
          "is a float beyond 2^53, where neighbors are the same number: two episodes may be one",
          "Keep ids as integers or texts; pandas makes floats of integers where some are missing"};
    });
  };
  const auto add_text = [&](std::int64_t row, std::string_view content, bool kept) {
    if (!text.text.empty() && text.text.back() == content) return;
    if (!kept) {
      content = *text.unescaped.emplace_back(std::make_unique<std::string>(content));
      if (text.owned == text.text.size()) ++text.owned;
    }
    text.first_row.push_back(row);
    text.text.push_back(content);
  };
  const auto put = [&](const auto& cells, std::int64_t r, auto value, const std::string_view* written) {
    using Cells = std::decay_t<decltype(cells)>;
    const auto shown = [&] { return written != nullptr ? std::string(*written) : text_of(static_cast<double>(value)); };
    if constexpr (std::is_same_v<Cells, NumberCells>) {
      cells.first[r * cells.stride] = static_cast<double>(value);
    } else if constexpr (std::is_same_v<Cells, FloatCells>) {
      cells.first[r * cells.stride] = static_cast<float>(value);
    } else if constexpr (std::is_same_v<Cells, IntegerCells>) {
      auto integer = as_integer(value);
      if (values.type.kind == Kind::decimal) integer = integer_of_decimal(values.type, *values.array, values.place(r));
      if (integer) cells.first[r] = *integer;
      if (!integer) wrong(r, shown());
    } else if constexpr (std::is_same_v<Cells, FlagCells>) {
      if (value != 0 && value != 1) wrong(r, shown());
      cells.first[r] = value == 1 ? 1 : 0;
    } else if constexpr (std::is_same_v<Cells, BitCells>) {
      const auto at = r * cells.words_per_row + cells.bit / 64;
      if (value != 0) cells.first[at] |= std::uint64_t{1} << (cells.bit % 64);
    }
  };
  const auto put_text = [&](const auto& cells, std::int64_t r) {
    using Cells = std::decay_t<decltype(cells)>;
    const auto content = text_at(values.type, *values.array, values.place(r));
    if (!content)
      fail_contradiction(fmt::format("a text in row {} that lies outside", first_row_ + r), name_of(wanted.field));
    if constexpr (std::is_same_v<Cells, TextCells>) {
      add_text(r, *content, true);
    } else if constexpr (std::is_same_v<Cells, IntegerCells>) {
      const auto integer = integer_in(*content);
      integer ? put(cells, r, *integer, &*content) : wrong(r, std::string(*content));
    } else if constexpr (std::is_same_v<Cells, FlagCells>) {
      const auto flag = flag_in(*content);
      flag ? put(cells, r, static_cast<std::uint8_t>(*flag), &*content) : wrong(r, std::string(*content));
    } else {
      const auto number = number_in(*content);
      number ? put(cells, r, *number, &*content) : wrong(r, std::string(*content));
    }
  };
  const auto fill = [&](const auto& cells) {
    using Cells = std::decay_t<decltype(cells)>;
    if (values.type.is_text()) {
      for (std::int64_t r = 0; r < values.rows; ++r) {
        if (values.place(r) >= 0) put_text(cells, r);
      }
    } else if constexpr (std::is_same_v<Cells, TextCells>) {
      std::optional<std::int64_t> last;  // rows of an episode stand together: its name is written once
      for_each_number(values, [&](std::int64_t r, auto number) {
        auto integer = as_integer(number);
        if (values.type.kind == Kind::decimal)
          integer = integer_of_decimal(values.type, *values.array, values.place(r));
        const bool exact = values.type.kind != Kind::real && (values.type.kind != Kind::decimal || integer);
        if (!exact && std::abs(static_cast<double>(number)) > 0x1p53) return blurred(r, static_cast<double>(number));
        if (integer && integer == last) return;
        last = integer;
        add_text(r, integer ? fmt::format("{}", *integer) : fmt::format("{}", number), false);
      });
    } else {
      for_each_number(values, [&](std::int64_t r, auto number) { put(cells, r, number, nullptr); });
    }
    for (const std::int64_t r : values.blanks) {
      if constexpr (std::is_same_v<Cells, NumberCells>)
        cells.first[r * cells.stride] = std::numeric_limits<double>::quiet_NaN();
    }
  };
  if (!wanted.lent && values.type.kind != Kind::nothing) std::visit(fill, wanted.cells);
}

TableReading ArrowTableReader::read(std::vector<WantedColumn> wanted) {
  Offences trouble;
  std::vector<Values> values;
  for (const WantedColumn& each : wanted) values.push_back(values_of(each.field, trouble));
  TableReading reading;
  reading.partial_rows = partial_rows(wanted, values, trouble);
  for (std::size_t i = 0; i < wanted.size(); ++i) store(wanted[i], values[i], reading.text, trouble);
  reading.offences = std::move(trouble);
  return reading;
}

std::optional<RealColumn> ArrowTableReader::lend(const std::vector<std::int64_t>& fields) {
  const Field& column = fields_[fields.front()];
  const auto width = static_cast<std::int64_t>(fields.size());
  if (column.coded || column.type.kind != Kind::real || width != std::max<std::int64_t>(column.width, 1)) return {};
  for (std::int64_t i = 0; i < width; ++i) {  // all elements of its lists, in their order
    if (fields_[fields[i]].child != column.child || fields_[fields[i]].element != i) return {};
  }
  Offences trouble;
  const Values values = values_of(fields.front(), trouble);
  if (trouble.any() || !values.blanks.empty()) return {};
  const std::int64_t first = values.place(0);
  for (std::int64_t r = 0; r < values.rows; ++r) {
    if (values.place(r) != first + r * width) return {};
  }
  if (!all_valid(*values.array, first, values.rows * width)) return {};
  return loans_.lend(*batch_, column.child, values.type, *values.array, first, values.rows * width);
}

}  // namespace starope::io
