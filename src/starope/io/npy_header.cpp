#include "starope/io/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "starope/error.hpp"

namespace starope::io {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
constexpr std::size_t most_dimensions = 64;
constexpr std::size_t longest_word = 1000;

// Reads the few Python literals that a header can hold.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& file, const std::string& array, NpyContent content)
      : rest_(text), file_(file), array_(array), content_(content) {}

  NpyHeader parse() {
    std::optional<NpyType> type;
    std::optional<std::vector<std::int64_t>> shape;
    bool ordered = false, fortran = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !type) {
        type = type_of(descr());
      } else if (key == "fortran_order" && !ordered) {
        fortran = boolean();
        if (fortran && content_ == NpyContent::rows) fail_fortran();
        ordered = true;
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail_header();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!type || !shape || !ordered || !rest_.empty()) fail_header();
    NpyHeader header{*type, std::move(*shape), fortran};
    check_size(header);
    return header;
  }

 private:
  [[noreturn]] void fail(const char* code, const std::string& value, const std::string& rule,
                         const std::string& remedy) const {
    DataError::Problem problem;
    problem.code = code;
    problem.at.file = file_;
    problem.at.column = array_;
    if (!value.empty()) problem.value = value;
    problem.rule = rule;
    problem.remedy = remedy;
    throw DataError(std::move(problem));
  }
  [[noreturn]] void fail_header() const {
    fail("bad_npy_header", {}, "does not begin with the header of a NumPy array",
         "Write the file with numpy.savez or numpy.savez_compressed");
  }
  [[noreturn]] void fail_fortran() const {
    fail("fortran_order", {}, "is stored column by column (Fortran order); it must be stored row by row",
         "Save numpy.ascontiguousarray(x) instead of x");
  }

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_header();
  }
  bool accept_word(std::string_view word) {
    skip_space();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) fail_header();
    const std::string value(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return value;
  }
  std::string descr() {
    skip_space();
    if (!rest_.empty() && rest_.front() == '[') fail_type("a record");
    return string();
  }
  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail_header();
    return false;
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc{} || number < 0 || numbers.size() == most_dimensions) fail_header();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // as Python 2 wrote long numbers
      numbers.push_back(number);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  [[noreturn]] void fail_type(const std::string& text) const {
    const bool words = text.find_first_of("UST") != std::string::npos;  // which no conversion makes numbers of
    fail("bad_dtype", text, "is not a type that can be read: integers, floating-point numbers and truth values are",
         words ? "Number the values first, for example np.unique(x, return_inverse=True)[1]"
               : "Convert the array first, for example x.astype('<f8')");
  }
  NpyType type_of(const std::string& text) const {
    using Kind = NpyType::Kind;
    struct Known {
      const char* text;
      NpyType type;
    };
    static constexpr Known known[] = {
        {"<f8", {Kind::real, 8}},
        {"<f4", {Kind::real, 4}},
        {"<i8", {Kind::signed_integer, 8}},
        {"<i4", {Kind::signed_integer, 4}},
        {"<i2", {Kind::signed_integer, 2}},
        {"|i1", {Kind::signed_integer, 1}},
        {"<u8", {Kind::unsigned_integer, 8}},
        {"<u4", {Kind::unsigned_integer, 4}},
        {"<u2", {Kind::unsigned_integer, 2}},
        {"|u1", {Kind::unsigned_integer, 1}},
        {"|b1", {Kind::boolean, 1}},
    };
    for (const Known& k : known)
      if (text == k.text) return k.type;
    if (content_ == NpyContent::parameters && text.rfind("<U", 0) == 0) {
      std::size_t letters = 0;
      const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), letters);
      if (error == std::errc{} && end == text.data() + text.size() && letters > 0 && letters <= longest_word)
        return {Kind::text, 4 * letters};
    }
    fail_type(text);
  }

  // An array may have no values, but no product of its dimensions may overflow.
  void check_size(const NpyHeader& header) const {
    std::int64_t bytes = static_cast<std::int64_t>(header.type.size);
    for (const std::int64_t n : header.shape) {
      if (n > 0 && bytes > most_bytes / n) {
        fail("bad_shape", shape_text(header.shape), "is a shape that no file can hold", "Make the file anew");
      }
      bytes *= n > 0 ? n : 1;
    }
  }

  std::string_view rest_;
  const std::string& file_;
  const std::string& array_;
  NpyContent content_;
};

const char* type_text(const NpyType& type) {
  switch (type.kind) {
    case NpyType::Kind::real:
      return type.size == 8 ? "<f8" : "<f4";
    case NpyType::Kind::signed_integer:
      return type.size == 8 ? "<i8" : type.size == 4 ? "<i4" : type.size == 2 ? "<i2" : "|i1";
    case NpyType::Kind::unsigned_integer:
      return type.size == 8 ? "<u8" : type.size == 4 ? "<u4" : type.size == 2 ? "<u2" : "|u1";
    case NpyType::Kind::boolean:
    case NpyType::Kind::text:  // is never written
      break;
  }
  return "|b1";
}

}  // namespace

std::int64_t NpyHeader::values() const {
  std::int64_t product = 1;
  for (const std::int64_t n : shape) product *= n;
  return product;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& file, const std::string& array,
                               NpyContent content) {
  return DictionaryParser(text, file, array, content).parse();
}

std::string format_npy_header(const NpyHeader& header) {
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                       type_text(header.type), shape_text(header.shape));
  const std::size_t used = 10 + dictionary.size() + 1;
  dictionary.append((64 - used % 64) % 64, ' ');
  dictionary += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(static_cast<unsigned char>(dictionary.size() & 0xff));
  bytes += static_cast<char>(static_cast<unsigned char>(dictionary.size() >> 8));
  return bytes + dictionary;
}

}  // namespace starope::io
