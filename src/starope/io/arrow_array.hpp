#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Arrow's C data and stream interface, a stable binary interface of three structs that everybody declares for himself
// (format/CDataInterface in Arrow's documentation).
extern "C" {
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
#endif
}

namespace starope::io {

// One of the three structs, and its end.
template <class Struct>
class ArrowOwned {
 public:
  ArrowOwned() = default;
  explicit ArrowOwned(Struct* taken) : value_(*taken) { taken->release = nullptr; }
  ArrowOwned(const ArrowOwned&) = delete;
  ArrowOwned& operator=(const ArrowOwned&) = delete;
  ArrowOwned(ArrowOwned&& other) noexcept : value_(std::exchange(other.value_, Struct{})) {}
  ArrowOwned& operator=(ArrowOwned&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~ArrowOwned() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  Struct* get() noexcept { return &value_; }
  const Struct& operator*() const noexcept { return value_; }
  const Struct* operator->() const noexcept { return &value_; }
  bool released() const noexcept { return value_.release == nullptr; }

 private:
  Struct value_{};
};

// What a format string says, as far as we care.
struct ArrowType {
  enum class Kind {
    nothing,  // only nulls
    boolean,
    signed_integer,  // also times and dates
    unsigned_integer,
    real,
    decimal,
    text,        // offsets of 32 bits
    large_text,  // offsets of 64 bits
    view_text,
    list,
    large_list,
    fixed_list,
    table,
    unknown,
  };
  Kind kind = Kind::unknown;
  std::int64_t bytes = 0;  // of a value
  std::int64_t width = 0;  // of a fixed list
  int scale = 0;           // of a decimal: digits behind the point

  bool is_list() const noexcept { return kind == Kind::list || kind == Kind::large_list || kind == Kind::fixed_list; }
  bool is_text() const noexcept { return kind == Kind::text || kind == Kind::large_text || kind == Kind::view_text; }
  friend bool operator==(const ArrowType&, const ArrowType&) = default;
};

ArrowType arrow_type(std::string_view format);
// "structs", "lists of lists", ...: what a column holds that cannot be read.
std::string type_in_words(const ArrowSchema& column);

// What contradicts itself in an array that should have values at 0 .. count-1 behind its offset; empty: nothing. Looks
// at no value: buffers have no sizes, so what offsets say is checked where they are used.
std::string contradiction(const ArrowType& type, const ArrowArray& array, std::int64_t count);

// Values of an array, at a place that counts the array's own offset. Places must be inside.
bool is_null(const ArrowArray& array, std::int64_t place);
// Whether none of the values at `first` and the places behind it is null, without looking at each.
bool all_valid(const ArrowArray& array, std::int64_t first, std::int64_t count);
// Where the list at a place begins and ends in its child (without the child's offset); none: it is nowhere inside.
std::optional<std::pair<std::int64_t, std::int64_t>> list_at(const ArrowType& type, const ArrowArray& array,
                                                             std::int64_t place);
std::optional<std::string_view> text_at(const ArrowType& type, const ArrowArray& array, std::int64_t place);
double decimal_at(const ArrowType& type, const ArrowArray& array, std::int64_t place);
std::optional<std::int64_t> integer_of_decimal(const ArrowType& type, const ArrowArray& array, std::int64_t place);
float half_precision(std::uint16_t bits);

// A number of any type as a whole one of 64 bits; none: it is no such number.
template <class Number>
std::optional<std::int64_t> as_integer(Number x) {
  if constexpr (std::is_floating_point_v<Number>) {
    const auto number = static_cast<double>(x);
    if (!(std::abs(number) < 0x1p63) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  } else if constexpr (std::is_same_v<Number, std::uint64_t>) {
    if (x > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(x);
  } else {
    return std::int64_t{x};
  }
}
std::string text_of(double number);  // whole numbers without a point

// Calls use(get) with a function from places to numbers of the array's own type. Not for texts, lists and nothing.
template <class Use>
void with_numbers(const ArrowType& type, const ArrowArray& array, const Use& use) {
  const auto plain = [&]<class T>(T) {
    const T* const values = static_cast<const T*>(array.buffers[1]);
    use([values](std::int64_t place) { return values[place]; });
  };
  using Kind = ArrowType::Kind;
  if (type.kind == Kind::boolean) {
    const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[1]);
    use([bits](std::int64_t place) { return static_cast<std::uint8_t>(bits[place / 8] >> (place % 8) & 1); });
  } else if (type.kind == Kind::decimal) {
    use([&](std::int64_t place) { return decimal_at(type, array, place); });
  } else if (type.kind == Kind::real) {
    if (type.bytes == 8) return plain(double{});
    if (type.bytes == 4) return plain(float{});
    const auto* const halves = static_cast<const std::uint16_t*>(array.buffers[1]);
    use([halves](std::int64_t place) { return half_precision(halves[place]); });
  } else if (type.kind == Kind::signed_integer) {
    if (type.bytes == 1) return plain(std::int8_t{});
    if (type.bytes == 2) return plain(std::int16_t{});
    if (type.bytes == 4) return plain(std::int32_t{});
    plain(std::int64_t{});
  } else {
    if (type.bytes == 1) return plain(std::uint8_t{});
    if (type.bytes == 2) return plain(std::uint16_t{});
    if (type.bytes == 4) return plain(std::uint32_t{});
    plain(std::uint64_t{});
  }
}

// Where the values of a column are in a batch.
struct ArrowValues {
  const ArrowArray* array = nullptr;
  ArrowType type{};
  std::int64_t rows = 0;
  std::int64_t first = 0, stride = 1;  // row r is at first + r * stride;
  std::vector<std::int64_t> places{};  // or, if these are not empty, at places[r]; -1: nowhere
  std::vector<std::int64_t> blanks{};  // rows without a value, ascending

  std::int64_t place(std::int64_t row) const { return places.empty() ? first + row * stride : places[row]; }
  void leave_out(const std::vector<std::int64_t>& without);  // rows that turned out to have none, ascending
};

// Calls use(row, number) for the rows that have one.
template <class Use>
void for_each_number(const ArrowValues& values, const Use& use) {
  with_numbers(values.type, *values.array, [&](const auto& get) {
    if (values.places.empty()) {
      for (std::int64_t r = 0; r < values.rows; ++r) use(r, get(values.first + r * values.stride));
    } else {
      for (std::int64_t r = 0; r < values.rows; ++r) {
        if (values.places[r] >= 0) use(r, get(values.places[r]));
      }
    }
  });
}

}  // namespace starope::io
