#include "starope/io/arrow_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "starope/io/csv_cells.hpp"

namespace starope::io {
namespace {

using ArrayKind = ArrowType::Kind;
__extension__ using Wide = __int128;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "4,2" and "4,2,128": digits, digits behind the point, bits.
ArrowType decimal_type(std::string_view sizes) {
  std::int64_t bits = 128;
  const std::size_t first = sizes.find(',');
  if (first == std::string_view::npos) return {};
  std::string_view scale = sizes.substr(first + 1);
  if (const std::size_t second = scale.find(','); second != std::string_view::npos) {
    bits = whole_number(scale.substr(second + 1)).value_or(0);
    scale = scale.substr(0, second);
  }
  const auto digits = whole_number(scale);
  const bool known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
  if (!known || !digits || *digits < -300 || *digits > 300) return {};
  return {.kind = ArrayKind::decimal, .bytes = bits / 8, .scale = static_cast<int>(*digits)};
}

// Times of day, dates, timestamps and durations, as the integers that they are.
ArrowType time_type(std::string_view format) {
  const bool short_one = format == "tdD" || format == "tts" || format == "ttm";
  const bool long_one = format == "tdm" || format == "ttu" || format == "ttn" || format.substr(0, 2) == "ts" ||
                        format.substr(0, 2) == "tD";
  if (!short_one && !long_one) return {};
  return {.kind = ArrayKind::signed_integer, .bytes = short_one ? 4 : 8};
}

std::int64_t buffers_of(const ArrowType& type) {
  switch (type.kind) {
    case ArrayKind::nothing:
      return 0;
    case ArrayKind::table:
    case ArrayKind::fixed_list:
      return 1;
    case ArrayKind::text:
    case ArrayKind::large_text:
    case ArrayKind::view_text:  // and further ones
      return 3;
    default:
      return 2;
  }
}

// The digits without the point; none: they do not fit into 128 bits.
std::optional<Wide> digits_at(const ArrowType& type, const ArrowArray& array, std::int64_t place) {
  const auto* const first = static_cast<const char*>(array.buffers[1]) + place * type.bytes;
  if (type.bytes == 4) {
    std::int32_t number = 0;
    std::memcpy(&number, first, sizeof(number));
    return number;
  }
  if (type.bytes == 8) {
    std::int64_t number = 0;
    std::memcpy(&number, first, sizeof(number));
    return number;
  }
  Wide number = 0;
  std::memcpy(&number, first, sizeof(number));
  if (type.bytes == 16) return number;
  Wide upper = 0;
  std::memcpy(&upper, first + sizeof(number), sizeof(upper));
  return upper == (number < 0 ? -1 : 0) ? std::optional(number) : std::nullopt;
}

std::string text_at(Wide digits) {
  std::string text;
  const bool negative = digits < 0;
  do {
    const int digit = static_cast<int>(digits % 10);
    text.insert(text.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    digits /= 10;
  } while (digits != 0);
  return (negative ? "-" : "") + text;
}

template <class Offset>
std::optional<std::pair<std::int64_t, std::int64_t>> between_offsets(const ArrowArray& array, std::int64_t place) {
  const auto* const offsets = static_cast<const Offset*>(array.buffers[1]);
  const std::int64_t first = offsets[place], last = offsets[place + 1];
  if (first < 0 || last < first) return std::nullopt;
  return std::pair(first, last);
}

std::optional<std::string_view> view_at(const ArrowArray& array, std::int64_t place) {
  const auto* const view = static_cast<const char*>(array.buffers[1]) + place * 16;
  std::int32_t length = 0, buffer = 0, offset = 0;
  std::memcpy(&length, view, 4);
  if (length < 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(length);
  if (length <= 12) return std::string_view(view + 4, size);
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  const std::int64_t data_buffers = array.n_buffers - 3;  // between the views and the sizes of these buffers
  if (buffer < 0 || buffer >= data_buffers || offset < 0) return std::nullopt;
  const auto* const sizes = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
  const auto* const data = static_cast<const char*>(array.buffers[2 + buffer]);
  if (sizes == nullptr || data == nullptr || std::int64_t{offset} + length > sizes[buffer]) return std::nullopt;
  return std::string_view(data + offset, size);
}

}  // namespace

ArrowType arrow_type(std::string_view format) {
  struct Plain {
    char letter;
    ArrayKind kind;
    std::int64_t bytes;
  };
  constexpr Plain plain[] = {{'n', ArrayKind::nothing, 0},        {'b', ArrayKind::boolean, 0},
                             {'c', ArrayKind::signed_integer, 1}, {'C', ArrayKind::unsigned_integer, 1},
                             {'s', ArrayKind::signed_integer, 2}, {'S', ArrayKind::unsigned_integer, 2},
                             {'i', ArrayKind::signed_integer, 4}, {'I', ArrayKind::unsigned_integer, 4},
                             {'l', ArrayKind::signed_integer, 8}, {'L', ArrayKind::unsigned_integer, 8},
                             {'e', ArrayKind::real, 2},           {'f', ArrayKind::real, 4},
                             {'g', ArrayKind::real, 8},           {'u', ArrayKind::text, 0},
                             {'U', ArrayKind::large_text, 0}};
  if (format.size() == 1) {
    for (const Plain& each : plain) {
      if (each.letter == format[0]) return {.kind = each.kind, .bytes = each.bytes};
    }
  }
  if (format == "vu") return {.kind = ArrayKind::view_text};
  if (format == "+s") return {.kind = ArrayKind::table};
  if (format == "+l") return {.kind = ArrayKind::list};
  if (format == "+L") return {.kind = ArrayKind::large_list};
  if (format.substr(0, 3) == "+w:") {
    const auto width = whole_number(format.substr(3));
    if (width && *width >= 0) return {.kind = ArrayKind::fixed_list, .width = *width};
  }
  if (format.substr(0, 2) == "d:") return decimal_type(format.substr(2));
  return time_type(format);
}

std::string type_in_words(const ArrowSchema& column) {
  const std::string_view format = column.format == nullptr ? "" : column.format;
  const auto begins = [&](std::string_view with) { return format.substr(0, with.size()) == with; };
  if (arrow_type(format).is_list()) {
    const bool whole = column.n_children == 1 && column.children != nullptr && column.children[0] != nullptr;
    if (!whole || column.children[0]->format == nullptr) return "lists";
    if (arrow_type(column.children[0]->format).is_list()) return "lists of lists";
    return "lists of " + type_in_words(*column.children[0]);
  }
  if (begins("+s")) return "structs (records with fields of their own)";
  if (begins("+m")) return "maps";
  if (begins("z") || begins("Z") || begins("vz") || begins("w:")) return "bytes";
  if (begins("ti")) return "intervals of time";
  return fmt::format("values of Arrow's type '{}'", format);
}

std::string contradiction(const ArrowType& type, const ArrowArray& array, std::int64_t count) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 64;  // products with sizes stay in range
  if (array.length < 0 || array.offset < 0 || array.length > most || array.offset > most)
    return fmt::format("an array of length {} at offset {}", array.length, array.offset);
  if (array.length < count) return fmt::format("an array of length {} where {} values are needed", array.length, count);
  const std::int64_t buffers = buffers_of(type);
  if (array.n_buffers < buffers || (buffers > 0 && array.buffers == nullptr))
    return fmt::format("an array with {} buffers where {} are needed", array.n_buffers, buffers);
  if (count == 0) return {};
  // The data of texts may be missing if all are empty.
  if (buffers > 1 && array.buffers[1] == nullptr) return "an array without values";
  const std::int64_t children = type.is_list() ? 1 : 0;
  if (children == 1 && (array.n_children != 1 || array.children == nullptr || array.children[0] == nullptr))
    return "a list without elements";
  return {};
}

bool all_valid(const ArrowArray& array, std::int64_t first, std::int64_t count) {
  if (array.null_count == 0 || array.n_buffers < 1 || array.buffers[0] == nullptr) return true;
  const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
  const std::int64_t last = first + count;
  std::int64_t place = first;
  for (; place < last && place % 8 != 0; ++place) {
    if ((bits[place / 8] >> (place % 8) & 1) == 0) return false;
  }
  for (; place + 8 <= last; place += 8) {
    if (bits[place / 8] != 0xFF) return false;
  }
  for (; place < last; ++place) {
    if ((bits[place / 8] >> (place % 8) & 1) == 0) return false;
  }
  return true;
}

bool is_null(const ArrowArray& array, std::int64_t place) {
  if (array.null_count == 0 || array.n_buffers < 1 || array.buffers[0] == nullptr) return false;
  return (static_cast<const std::uint8_t*>(array.buffers[0])[place / 8] >> (place % 8) & 1) == 0;
}

std::optional<std::pair<std::int64_t, std::int64_t>> list_at(const ArrowType& type, const ArrowArray& array,
                                                             std::int64_t place) {
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  const std::int64_t inside = array.children[0]->length;
  if (type.kind == ArrayKind::fixed_list) {
    if (type.width > 0 && place >= inside / type.width) return std::nullopt;
    range = std::pair(place * type.width, (place + 1) * type.width);
  } else {
    range = type.kind == ArrayKind::list ? between_offsets<std::int32_t>(array, place)
                                         : between_offsets<std::int64_t>(array, place);
  }
  return range && range->second <= inside ? range : std::nullopt;
}

std::optional<std::string_view> text_at(const ArrowType& type, const ArrowArray& array, std::int64_t place) {
  if (type.kind == ArrayKind::view_text) return view_at(array, place);
  const auto range = type.kind == ArrayKind::text ? between_offsets<std::int32_t>(array, place)
                                                  : between_offsets<std::int64_t>(array, place);
  if (!range) return std::nullopt;
  if (range->first == range->second) return std::string_view();
  const auto* const data = static_cast<const char*>(array.buffers[2]);
  if (data == nullptr) return std::nullopt;
  return std::string_view(data + range->first, static_cast<std::size_t>(range->second - range->first));
}

double decimal_at(const ArrowType& type, const ArrowArray& array, std::int64_t place) {
  const auto digits = digits_at(type, array, place);
  if (!digits) return std::numeric_limits<double>::infinity();  // nobody's reward: the rules on values say so
  constexpr Wide exact = Wide{1} << 53;
  if (*digits <= exact && *digits >= -exact && type.scale >= 0 && type.scale <= 22)
    return static_cast<double>(static_cast<std::int64_t>(*digits)) / detail::exact_power_of_ten[type.scale];
  return *number_in(fmt::format("{}e{}", text_at(*digits), -type.scale));  // rounded once
}

std::optional<std::int64_t> integer_of_decimal(const ArrowType& type, const ArrowArray& array, std::int64_t place) {
  const auto digits = digits_at(type, array, place);
  if (!digits) return std::nullopt;
  Wide number = *digits;
  for (int i = 0; i < type.scale && number != 0; ++i) {
    if (number % 10 != 0) return std::nullopt;
    number /= 10;
  }
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i > type.scale && number <= most && number >= -most; --i) number *= 10;
  if (number > most || number < -most) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::string text_of(double number) {
  const auto integer = as_integer(number);
  return integer ? fmt::format("{}", *integer) : fmt::format("{}", number);
}

float half_precision(std::uint16_t bits) {
  const bool negative = bits >> 15 != 0;
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude =
      std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024), exponent == 0 ? -24 : exponent - 25);
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  }
  return negative ? -magnitude : magnitude;
}

void ArrowValues::leave_out(const std::vector<std::int64_t>& without) {
  if (without.empty()) return;
  if (places.empty()) {
    places.resize(rows);
    for (std::int64_t r = 0; r < rows; ++r) places[r] = first + r * stride;
  }
  for (const std::int64_t r : without) places[r] = -1;
  std::vector<std::int64_t> all;
  std::set_union(blanks.begin(), blanks.end(), without.begin(), without.end(), std::back_inserter(all));
  blanks = std::move(all);
}

}  // namespace starope::io
