#include "starope/io/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope::io {
namespace {

static_assert(std::endian::native == std::endian::little, "values are copied as they stand in the file");

constexpr std::size_t buffer_bytes = 1 << 16;
constexpr std::string_view suffix = ".npy";
constexpr const char* write_with_numpy = "Write the file with numpy.savez or numpy.savez_compressed";

[[noreturn]] void fail_in_array(const std::string& file, const std::string& array, const char* code,
                                const std::string& rule, const std::string& remedy) {
  throw DataError({.code = code, .at = in_column(array, file), .value = {}, .rule = rule, .remedy = remedy});
}

std::string text_of_member(ZipEntryReader& bytes, std::size_t size) {
  std::string text(size, '\0');
  const std::size_t got = bytes.read(std::as_writable_bytes(std::span(text)));
  text.resize(got);
  return text;
}

struct HeaderOnDisk {
  NpyHeader header;
  std::size_t bytes = 0;
};

// "\x93NUMPY", version, length of the dictionary (2 bytes in version 1, 4 later), dictionary.
HeaderOnDisk read_header(ZipEntryReader& bytes, const std::string& file, const std::string& array, NpyContent content) {
  constexpr std::size_t longest = 1 << 20;
  const std::string start = text_of_member(bytes, 8);
  const bool magic = start.size() == 8 && start.compare(0, 6, "\x93NUMPY") == 0;
  const int version = magic ? start[6] : 0;
  if (version < 1 || version > 3) {
    fail_in_array(file, array, "bad_npy_header", "is not a NumPy array of format 1, 2 or 3", write_with_numpy);
  }
  const std::string length_bytes = text_of_member(bytes, version == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t i = length_bytes.size(); i-- > 0;)
    length = (length << 8) | static_cast<unsigned char>(length_bytes[i]);
  const std::string dictionary = length <= longest ? text_of_member(bytes, length) : std::string();
  if (length == 0 || dictionary.size() < length) {
    fail_in_array(file, array, "bad_npy_header", "has a damaged NumPy header", write_with_numpy);
  }
  return {parse_npy_dictionary(dictionary, file, array, content), start.size() + length_bytes.size() + length};
}

template <class From, class To>
void convert(std::span<const std::byte> bytes, std::span<To> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    out[i] = static_cast<To>(value);
  }
}

// Truth values: numpy writes 0 and 1, and reads every other byte as true.
template <class To>
void convert_truth(std::span<const std::byte> bytes, std::span<To> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = bytes[i] != std::byte{0} ? To{1} : To{0};
}

template <class To>
void convert(const NpyType& type, std::span<const std::byte> bytes, std::span<To> out) {
  using Kind = NpyType::Kind;
  if (type.kind == Kind::boolean) return convert_truth(bytes, out);
  if (type.kind == Kind::real) return type.size == 8 ? convert<double>(bytes, out) : convert<float>(bytes, out);
  const bool is_signed = type.kind == Kind::signed_integer;
  switch (type.size) {
    case 1:
      return is_signed ? convert<std::int8_t>(bytes, out) : convert<std::uint8_t>(bytes, out);
    case 2:
      return is_signed ? convert<std::int16_t>(bytes, out) : convert<std::uint16_t>(bytes, out);
    case 4:
      return is_signed ? convert<std::int32_t>(bytes, out) : convert<std::uint32_t>(bytes, out);
    default:
      return is_signed ? convert<std::int64_t>(bytes, out) : convert<std::uint64_t>(bytes, out);
  }
}

// Memory grows with what was really read, not with what a header claims.
template <class T>
std::vector<T> read_all(NpyReader& reader) {
  std::vector<T> values;
  std::vector<T> part(buffer_bytes / sizeof(T));
  for (std::size_t got = reader.read(std::span<T>(part)); got > 0; got = reader.read(std::span<T>(part)))
    values.insert(values.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  return values;
}

}  // namespace

NpyReader::NpyReader(const ZipArchive& archive, const ZipEntry& entry, std::string array, NpyContent content)
    : file_(archive.file()), array_(std::move(array)), bytes_(archive.open(entry)) {
  const HeaderOnDisk on_disk = read_header(bytes_, file_, array_, content);
  header_ = on_disk.header;
  left_ = header_.values();
  const std::uint64_t expected = on_disk.bytes + static_cast<std::uint64_t>(left_) * header_.type.size;
  if (entry.size != expected) {
    fail("bad_shape",
         fmt::format("has the shape {}, which takes {} bytes, but {} bytes are there", shape_text(header_.shape),
                     expected, entry.size),
         "Make the file anew, or copy it again from where it came");
  }
}

void NpyReader::fail(const char* code, const std::string& rule, const std::string& remedy) const {
  fail_in_array(file_, array_, code, rule, remedy);
}

template <class To>
std::size_t NpyReader::read_as(std::span<To> out) {
  if (header_.type.kind == NpyType::Kind::text) fail("bad_dtype", "holds texts where numbers are needed", {});
  std::size_t filled = 0;
  while (filled < out.size() && left_ > 0) {
    const std::size_t most = std::min(buffer_bytes / header_.type.size, out.size() - filled);
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(most)));
    buffer_.resize(count * header_.type.size);
    const std::size_t got = bytes_.read(buffer_);
    if (got < buffer_.size()) fail("damaged_zip", "ends before all of its values", "Make the file anew");
    convert(header_.type, std::span<const std::byte>(buffer_), out.subspan(filled, count));
    filled += count;
    left_ -= static_cast<std::int64_t>(count);
  }
  return filled;
}

std::size_t NpyReader::read(std::span<double> out) {
  return read_as(out);
}

std::size_t NpyReader::read(std::span<float> out) {
  if (header_.type != NpyType{NpyType::Kind::real, sizeof(float)}) {
    fail("bad_dtype", "does not hold numbers of single precision", "Convert the array first: x.astype('<f4')");
  }
  return read_as(out);
}

std::size_t NpyReader::read(std::span<std::int64_t> out) {
  if (header_.type.kind == NpyType::Kind::real) {
    fail("bad_dtype", "holds real numbers where integers are needed", "Convert the array first: x.astype('<i8')");
  }
  const std::size_t got = read_as(out);
  const bool may_overflow = header_.type == NpyType{NpyType::Kind::unsigned_integer, 8};
  if (may_overflow &&
      std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(got), [](std::int64_t x) { return x < 0; })) {
    fail("bad_number", "holds integers of 2^63 or more", "Number the entries anew with smaller integers");
  }
  return got;
}

std::string NpyReader::read_word() {
  if (header_.type.kind != NpyType::Kind::text || left_ != 1) fail("bad_dtype", "must be a single word", {});
  std::vector<std::byte> letters(header_.type.size);
  if (bytes_.read(letters) < letters.size()) fail("damaged_zip", "ends before all of its values", "Make the file anew");
  left_ = 0;
  std::string word;
  for (std::size_t i = 0; i + 4 <= letters.size(); i += 4) {  // each letter has four bytes
    std::uint32_t letter = 0;
    std::memcpy(&letter, letters.data() + i, 4);
    if (letter == 0) break;
    if (letter > 0x7e) fail("bad_dtype", "must be a word of plain letters", {});
    word += static_cast<char>(letter);
  }
  return word;
}

NpzReader::NpzReader(std::string path) : NpzReader(InputFile(std::move(path))) {}

namespace {

ZipArchive opened(const InputFile& file) {
  try {
    return ZipArchive(file.bytes(), file.path());
  } catch (const Error&) {
    file.expect_unchanged();  // what is wrong in a file that changes under our eyes is only that
    throw;
  }
}

}  // namespace

NpzReader::NpzReader(InputFile file) : file_(std::move(file)), archive_(opened(*file_)) {
  check_names();
}

void NpzReader::expect_unchanged() const {
  if (file_) file_->expect_unchanged();
}

NpzReader::NpzReader(std::string_view bytes, const std::string& name) : archive_(bytes, name) {
  check_names();
}

// Names are keys here and never become paths, but an archive with folders or twice the same name is not an .npz file.
void NpzReader::check_names() const {
  std::unordered_set<std::string_view> seen;
  for (const ZipEntry& entry : archive_.entries()) {
    const bool path = std::any_of(entry.name.begin(), entry.name.end(),
                                  [](char c) { return c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
    if (path || entry.name.empty()) {
      fail_in_array(archive_.file(), entry.name, "bad_array_name",
                    "is not the name of an array: folders and control characters are not allowed in an .npz file",
                    write_with_numpy);
    }
    if (!seen.insert(entry.name).second) {
      fail_in_array(archive_.file(), entry.name, "bad_array_name", "is in the archive twice", write_with_numpy);
    }
  }
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : archive_.entries()) {
    const std::string_view name = entry.name;
    if (name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix)
      names.emplace_back(name.substr(0, name.size() - suffix.size()));
  }
  return names;
}

bool NpzReader::contains(const std::string& array) const {
  return archive_.find(array + std::string(suffix)) != nullptr;
}

NpyReader NpzReader::open(const std::string& array, NpyContent content) const {
  const ZipEntry* entry = archive_.find(array + std::string(suffix));
  if (entry == nullptr) {
    throw DataError({.code = "missing_array",
                     .at = in_column(array, archive_.file()),
                     .value = {},
                     .rule = unknown_name("array", array, names()),
                     .remedy = {}});
  }
  return {archive_, *entry, array, content};
}

std::vector<double> NpzReader::read_numbers(const std::string& array,
                                            const std::optional<std::vector<std::int64_t>>& shape) const {
  NpyReader reader = open(array);
  if (shape && reader.shape() != *shape) {
    fail_in_array(archive_.file(), array, "bad_shape",
                  fmt::format("has the shape {}, expected {}", shape_text(reader.shape()), shape_text(*shape)),
                  "Check that this is the file you meant");
  }
  return read_all<double>(reader);
}

NpzReader::Matrix NpzReader::read_matrix(const std::string& array) const {
  NpyReader reader = open(array, NpyContent::parameters);
  const std::vector<std::int64_t>& shape = reader.shape();
  if (shape.size() > 2) {
    fail_in_array(archive_.file(), array, "bad_shape",
                  fmt::format("has the shape {}, expected a matrix", shape_text(shape)),
                  "Check that this is the file you meant");
  }
  Matrix matrix{.rows = shape.size() == 2 ? shape[0] : 1,
                .columns = shape.empty() ? 1 : shape.back(),
                .values = read_all<double>(reader)};
  if (!reader.header().fortran || shape.size() != 2) return matrix;
  std::vector<double> by_column = std::exchange(matrix.values, {});
  matrix.values.reserve(by_column.size());
  for (std::int64_t r = 0; r < matrix.rows; ++r)
    for (std::int64_t c = 0; c < matrix.columns; ++c) matrix.values.push_back(by_column[c * matrix.rows + r]);
  return matrix;
}

std::string NpzReader::read_word(const std::string& array) const {
  return open(array, NpyContent::parameters).read_word();
}

std::vector<std::int64_t> NpzReader::read_integers(const std::string& array) const {
  NpyReader reader = open(array);
  return read_all<std::int64_t>(reader);
}

namespace {

template <class T>
NpyType type_of() {
  if constexpr (std::is_same_v<T, bool>) return {NpyType::Kind::boolean, 1};
  return {std::is_floating_point_v<T> ? NpyType::Kind::real : NpyType::Kind::signed_integer, sizeof(T)};
}

}  // namespace

// The header, then what `fill` gives.
void NpzWriter::add_bytes(const std::string& array, const NpyHeader& header, ZipWriter::Fill fill) {
  const std::string front = format_npy_header(header);
  const std::uint64_t size = front.size() + static_cast<std::uint64_t>(header.values()) * header.type.size;
  zip_.add(array + std::string(suffix), size,
           [front, written = std::size_t{0}, fill = std::move(fill)](std::span<std::byte> out) mutable {
             const std::size_t part = std::min(out.size(), front.size() - written);
             std::memcpy(out.data(), front.data() + written, part);
             written += part;
             if (part < out.size()) fill(out.subspan(part));
           });
}

template <class T>
void NpzWriter::add_values(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<T> values) {
  const NpyHeader header{type_of<T>(), shape};
  if (values.size() != static_cast<std::size_t>(header.values())) {
    throw InvalidArgument(
        fmt::format("array '{}': {} values do not have the shape {}", array, values.size(), shape_text(shape)));
  }
  add_bytes(array, header, [values = std::move(values), done = std::size_t{0}](std::span<std::byte> out) mutable {
    std::memcpy(out.data(), std::as_bytes(std::span(values)).data() + done, out.size());
    done += out.size();
  });
}

void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<double> values) {
  add_values(array, shape, std::move(values));
}
void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape, std::vector<float> values) {
  add_values(array, shape, std::move(values));
}
void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape,
                    std::vector<std::int64_t> values) {
  add_values(array, shape, std::move(values));
}
void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape,
                    std::vector<std::int32_t> values) {
  add_values(array, shape, std::move(values));
}
void NpzWriter::add(const std::string& array, const std::vector<std::int64_t>& shape, const std::vector<bool>& values) {
  static_assert(sizeof(bool) == 1);
  const NpyHeader header{type_of<bool>(), shape};
  if (values.size() != static_cast<std::size_t>(header.values())) {
    throw InvalidArgument(
        fmt::format("array '{}': {} values do not have the shape {}", array, values.size(), shape_text(shape)));
  }
  add_bytes(array, header, [values, done = std::size_t{0}](std::span<std::byte> out) mutable {
    for (std::byte& byte : out) byte = values[done++] ? std::byte{1} : std::byte{0};
  });
}

template <class T>
void NpzWriter::add_rows(const std::string& array, const std::vector<std::int64_t>& shape,
                         std::function<void(std::int64_t, std::span<T>)> fill) {
  if (shape.empty() || shape.size() > 2) throw InvalidArgument("rows are written to arrays of one or two dimensions");
  const auto width = static_cast<std::size_t>(shape.size() == 2 ? shape[1] : 1);
  // One row at a time, of which the zip may ask for any part.
  struct Row {
    std::unique_ptr<T[]> values;
    std::size_t used = 0;  // bytes
    std::int64_t next = 0;
  };
  const auto row = std::make_shared<Row>(Row{std::make_unique<T[]>(width), width * sizeof(T)});
  add_bytes(array, {type_of<T>(), shape}, [row, width, fill = std::move(fill)](std::span<std::byte> out) {
    const std::size_t bytes = width * sizeof(T);
    while (!out.empty()) {
      if (row->used == bytes) {
        fill(row->next++, {row->values.get(), width});
        row->used = 0;
      }
      const std::size_t part = std::min(out.size(), bytes - row->used);
      std::memcpy(out.data(), reinterpret_cast<const std::byte*>(row->values.get()) + row->used, part);
      row->used += part;
      out = out.subspan(part);
    }
  });
}

template void NpzWriter::add_rows(const std::string&, const std::vector<std::int64_t>&,
                                  std::function<void(std::int64_t, std::span<double>)>);
template void NpzWriter::add_rows(const std::string&, const std::vector<std::int64_t>&,
                                  std::function<void(std::int64_t, std::span<float>)>);
template void NpzWriter::add_rows(const std::string&, const std::vector<std::int64_t>&,
                                  std::function<void(std::int64_t, std::span<std::int64_t>)>);
template void NpzWriter::add_rows(const std::string&, const std::vector<std::int64_t>&,
                                  std::function<void(std::int64_t, std::span<std::int32_t>)>);
template void NpzWriter::add_rows(const std::string&, const std::vector<std::int64_t>&,
                                  std::function<void(std::int64_t, std::span<bool>)>);

}  // namespace starope::io
