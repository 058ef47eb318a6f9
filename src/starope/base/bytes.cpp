#include "starope/base/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "starope/base/bits.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr std::string_view mark = "starope\n";

template <class T>
void append(Bytes& bytes, T x) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes.push_back(static_cast<std::byte>((x >> (8 * i)) & 0xffU));
}

template <class T>
T little_endian(std::span<const std::byte> bytes) {
  T x = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) x |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  return x;
}

// Bijections of 64 bits in which every bit of the input moves about half of the output's (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

[[noreturn]] void bad_bytes(std::string_view what, const std::string& rule) {
  DataError::Problem problem;
  problem.code = "bad_bytes";
  problem.rule = fmt::format("these bytes are not a {} of starope: {}", what, rule);
  problem.remedy = "Write the file again, or check that it was copied completely";
  throw DataError(std::move(problem));
}

}  // namespace

std::string Fingerprint::text() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

// Two chains over the same words, started and combined differently.
Fingerprint fingerprint_of(std::span<const std::byte> bytes) noexcept {
  std::uint64_t a = 0x243f6a8885a308d3, b = 0x13198a2e03707344;  // digits of pi
  const auto absorb = [&](std::uint64_t word) {
    a = mixed(a ^ word) + 0x9e3779b97f4a7c15;
    b = std::rotl(b, 29) ^ mixed(word + b);
  };
  while (bytes.size() >= 8) {
    absorb(little_endian<std::uint64_t>(bytes.first(8)));
    bytes = bytes.subspan(8);
  }
  std::array<std::byte, 8> rest{};
  std::copy(bytes.begin(), bytes.end(), rest.begin());
  absorb(little_endian<std::uint64_t>(rest));
  absorb(bytes.size());  // zeros at the end count
  return {.high = mixed(a), .low = mixed(a ^ b)};
}

void ByteWriter::number(std::uint64_t x) {
  append(bytes_, x);
}

void ByteWriter::number(double x) {
  append(bytes_, bits_as<std::uint64_t>(x));
}

void ByteWriter::text(std::string_view x) {
  number(static_cast<std::uint64_t>(x.size()));
  for (const char c : x) bytes_.push_back(static_cast<std::byte>(c));
}

void ByteWriter::numbers(std::span<const double> x) {
  number(static_cast<std::uint64_t>(x.size()));
  for (const double y : x) number(y);
}

void ByteWriter::numbers(std::span<const std::int64_t> x) {
  number(static_cast<std::uint64_t>(x.size()));
  for (const std::int64_t y : x) number(y);
}

void ByteWriter::numbers(std::span<const std::uint64_t> x) {
  number(static_cast<std::uint64_t>(x.size()));
  for (const std::uint64_t y : x) number(y);
}

void ByteWriter::numbers(std::span<const std::uint32_t> x) {
  number(static_cast<std::uint64_t>(x.size()));
  for (const std::uint32_t y : x) append(bytes_, y);
}

void ByteWriter::fingerprint(const Fingerprint& x) {
  number(x.high);
  number(x.low);
}

void ByteReader::fail(const std::string& rule) const {
  bad_bytes(what_, rule);
}

std::uint64_t ByteReader::unsigned_number() {
  if (left_.size() < 8) fail("they end too early");
  const auto x = little_endian<std::uint64_t>(left_.first(8));
  left_ = left_.subspan(8);
  return x;
}

std::int64_t ByteReader::number_within(std::int64_t least, std::int64_t most) {
  const std::int64_t x = number();
  if (x < least || x > most) fail(fmt::format("the number {} stands where one from {} to {} must be", x, least, most));
  return x;
}

double ByteReader::real() {
  return bits_as<double>(unsigned_number());
}

double ByteReader::finite() {
  const double x = real();
  if (!std::isfinite(x)) fail(fmt::format("{} stands where a finite number must be", x));
  return x;
}

template <class T>
std::vector<T> ByteReader::many() {
  const std::uint64_t count = unsigned_number();
  if (count > left_.size() / sizeof(T)) fail(fmt::format("{} numbers are announced, but fewer follow", count));
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, unsigned char>>;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = bits_as<T>(little_endian<Word>(left_.subspan(i * sizeof(T), sizeof(T))));
  }
  left_ = left_.subspan(values.size() * sizeof(T));
  return values;
}

std::string ByteReader::text() {
  const std::vector<char> characters = many<char>();
  return {characters.begin(), characters.end()};
}

std::vector<double> ByteReader::reals() {
  return many<double>();
}

std::vector<double> ByteReader::finites() {
  std::vector<double> values = reals();
  for (const double x : values) {
    if (!std::isfinite(x)) fail(fmt::format("{} stands where a finite number must be", x));
  }
  return values;
}

std::vector<std::int64_t> ByteReader::integers() {
  return many<std::int64_t>();
}

std::vector<std::uint64_t> ByteReader::words() {
  return many<std::uint64_t>();
}

std::vector<std::uint32_t> ByteReader::labels() {
  return many<std::uint32_t>();
}

Fingerprint ByteReader::fingerprint() {
  const std::uint64_t high = unsigned_number();
  return {.high = high, .low = unsigned_number()};
}

void ByteReader::finish() const {
  if (!left_.empty()) fail(fmt::format("{} bytes too many", left_.size()));
}

Bytes seal(std::string_view kind, std::uint32_t version, std::span<const std::byte> content) {
  ByteWriter head;
  head.text(kind);
  head.number(std::uint64_t{version});
  head.number(static_cast<std::uint64_t>(content.size()));
  Bytes sealed;
  sealed.reserve(mark.size() + head.bytes().size() + content.size() + 16);
  for (const char c : mark) sealed.push_back(static_cast<std::byte>(c));
  sealed.insert(sealed.end(), head.bytes().begin(), head.bytes().end());
  sealed.insert(sealed.end(), content.begin(), content.end());
  const Fingerprint check = fingerprint_of(sealed);
  append(sealed, check.high);
  append(sealed, check.low);
  return sealed;
}

Unsealed unseal(std::string_view kind, std::uint32_t newest, std::span<const std::byte> bytes) {
  constexpr std::size_t check_size = 16;
  const auto is = [](char c, std::byte b) { return static_cast<std::byte>(c) == b; };
  if (bytes.size() < mark.size() + check_size || !std::equal(mark.begin(), mark.end(), bytes.begin(), is)) {
    bad_bytes(kind, "they do not begin as such");
  }
  const auto checked = bytes.first(bytes.size() - check_size);
  const auto check = bytes.last(check_size);
  if (fingerprint_of(checked) != Fingerprint{.high = little_endian<std::uint64_t>(check.first(8)),
                                             .low = little_endian<std::uint64_t>(check.last(8))}) {
    bad_bytes(kind, "their checksum is wrong, so they are damaged or incomplete");
  }
  const auto inside = checked.subspan(mark.size());
  ByteReader reader(inside, std::string(kind));
  const std::string found = reader.text();
  if (found != kind) bad_bytes(kind, fmt::format("they are a {}", found));
  const auto version = static_cast<std::uint32_t>(reader.number_within(1, 0xffffffff));
  if (version > newest) {
    bad_bytes(kind,
              fmt::format("they have version {}, and this program reads up to {}; use a newer one", version, newest));
  }
  const std::uint64_t size = reader.unsigned_number();
  const std::size_t head = 8 + found.size() + 16;
  if (size != inside.size() - head) bad_bytes(kind, "their length is not the announced one");
  return {.version = version, .content = inside.subspan(head)};
}

}  // namespace starope
