#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// 128 bits that the bytes decide: see Fingerprint.
Fingerprint fingerprint_of(std::span<const std::byte> bytes) noexcept;

// Appends values one behind the other. Who reads knows the order: there are no names inside.
class ByteWriter {
 public:
  void number(std::uint64_t x);
  void number(std::int64_t x) { number(static_cast<std::uint64_t>(x)); }
  void number(int x) { number(std::int64_t{x}); }
  void number(double x);  // its bits: -0 and all digits stay
  void flag(bool x) { number(std::uint64_t{x ? 1U : 0U}); }
  void text(std::string_view x);
  void numbers(std::span<const double> x);
  void numbers(std::span<const std::int64_t> x);
  void numbers(std::span<const std::uint64_t> x);
  void numbers(std::span<const std::uint32_t> x);
  void fingerprint(const Fingerprint& x);

  const Bytes& bytes() const noexcept { return bytes_; }

 private:
  Bytes bytes_;
};

// Reads them back. Bytes that end too early, and sizes larger than what is left, are a DataError `bad_bytes` before
// anything is allocated for them. `what` names the value in messages: "statistic".
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string what) : left_(bytes), what_(std::move(what)) {}

  std::uint64_t unsigned_number();
  std::int64_t number() { return static_cast<std::int64_t>(unsigned_number()); }
  std::int64_t number_within(std::int64_t least, std::int64_t most);  // outside: DataError
  double real();
  double finite();  // infinite or not a number: DataError
  bool flag() { return number_within(0, 1) == 1; }
  std::string text();
  std::vector<double> reals();
  std::vector<double> finites();
  std::vector<std::int64_t> integers();
  std::vector<std::uint64_t> words();
  std::vector<std::uint32_t> labels();
  Fingerprint fingerprint();
  void finish() const;  // something is left: DataError

  [[noreturn]] void fail(const std::string& rule) const;

 private:
  template <class T>
  std::vector<T> many();

  std::span<const std::byte> left_;
  std::string what_;
};

// The content in an envelope: a mark, the kind ("phi"), a version, the length and a checksum.
Bytes seal(std::string_view kind, std::uint32_t version, std::span<const std::byte> content);

// The content of an envelope. DataError `bad_bytes` if these are not bytes of starope, are damaged or cut, are of
// another kind, or were written by a version newer than `newest`.
struct Unsealed {
  std::uint32_t version = 0;
  std::span<const std::byte> content{};
};
Unsealed unseal(std::string_view kind, std::uint32_t newest, std::span<const std::byte> bytes);

// A value that says what it is (kind, version) and how its content is written and read: its bytes are made, and others
// refused, the same way for all of them.
template <class T>
Bytes sealed(const T& value) {
  ByteWriter to;
  value.write(to);
  return seal(T::kind, T::version, to.bytes());
}
template <class T>
T unsealed(std::span<const std::byte> bytes) {
  ByteReader from(unseal(T::kind, T::version, bytes).content, std::string(T::kind));
  T value = T::read(from);
  from.finish();
  return value;
}

}  // namespace starope
