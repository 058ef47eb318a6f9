#include "starope/base/bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "starope/error.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Bytes some_content() {
  ByteWriter writer;
  writer.number(std::int64_t{-3});
  writer.number(-0.0);
  writer.text("z\0q");
  writer.numbers(std::vector<double>{1.5, std::numeric_limits<double>::denorm_min()});
  writer.numbers(std::vector<std::uint32_t>{7, 0xffffffff});
  writer.numbers(std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
  writer.flag(true);
  writer.fingerprint({.high = 1, .low = 2});
  return writer.bytes();
}

template <class Act>
std::string refusal(const Act& act) {
  try {
    act();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "bad_bytes");
    return error.what();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

TEST(Bytes, ComeBackAsTheyWent) {
  const Bytes bytes = some_content();
  ByteReader reader(bytes, "test");
  EXPECT_EQ(reader.number(), -3);
  const double zero = reader.real();
  EXPECT_TRUE(zero == 0.0 && std::signbit(zero));
  EXPECT_EQ(reader.text(), "z");
  EXPECT_THAT(reader.reals(), ElementsAre(1.5, std::numeric_limits<double>::denorm_min()));
  EXPECT_THAT(reader.labels(), ElementsAre(7u, 0xffffffffu));
  EXPECT_THAT(reader.integers(), ElementsAre(std::numeric_limits<std::int64_t>::min()));
  EXPECT_TRUE(reader.flag());
  EXPECT_EQ(reader.fingerprint(), (Fingerprint{.high = 1, .low = 2}));
  reader.finish();
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter writer;
  writer.number(std::uint64_t{0x0102030405060708});
  EXPECT_EQ(writer.bytes().front(), std::byte{8});
  EXPECT_EQ(writer.bytes().back(), std::byte{1});
}

// A size of 2^60 numbers must not be believed, let alone allocated.
TEST(Bytes, SizesAreCheckedBeforeTheyAreUsed) {
  ByteWriter writer;
  writer.number(std::uint64_t{1} << 60);
  writer.number(1.0);
  EXPECT_THAT(refusal([&] { ByteReader(writer.bytes(), "phi").reals(); }), HasSubstr("fewer follow"));
  EXPECT_THAT(refusal([&] { ByteReader(writer.bytes(), "phi").text(); }), HasSubstr("fewer follow"));
  EXPECT_THAT(refusal([&] { ByteReader({}, "phi").number(); }), HasSubstr("end too early"));
  EXPECT_THAT(refusal([&] { ByteReader(writer.bytes(), "phi").finish(); }), HasSubstr("16 bytes too many"));
  EXPECT_THAT(refusal([&] { ByteReader(writer.bytes(), "phi").number_within(0, 9); }), HasSubstr("from 0 to 9"));
}

TEST(Bytes, NumbersThatMustBeFiniteAre) {
  ByteWriter writer;
  writer.numbers(std::vector<double>{1.0, std::nan("")});
  EXPECT_THAT(refusal([&] { ByteReader(writer.bytes(), "phi").finites(); }), HasSubstr("finite"));
}

TEST(Envelope, GivesBackItsContent) {
  const Bytes content = some_content();
  const Bytes sealed = seal("phi", 3, content);
  const Unsealed inside = unseal("phi", 4, sealed);
  EXPECT_EQ(inside.version, 3u);
  EXPECT_EQ(Bytes(inside.content.begin(), inside.content.end()), content);
}

TEST(Envelope, RefusesOtherKindsAndNewerVersions) {
  const Bytes sealed = seal("phi", 3, some_content());
  EXPECT_THAT(refusal([&] { unseal("statistic", 3, sealed); }), HasSubstr("they are a phi"));
  EXPECT_THAT(refusal([&] { unseal("phi", 2, sealed); }), HasSubstr("version 3"));
}

TEST(Envelope, RefusesEveryDamage) {
  const Bytes sealed = seal("phi", 1, some_content());
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (const unsigned bit : {0U, 3U, 7U}) {
      Bytes damaged = sealed;
      damaged[i] ^= static_cast<std::byte>(1U << bit);
      refusal([&] { unseal("phi", 1, damaged); });
    }
    refusal([&] { unseal("phi", 1, std::span(sealed).first(i)); });
  }
  Bytes longer = sealed;
  longer.push_back(std::byte{0});
  refusal([&] { unseal("phi", 1, longer); });
}

TEST(Fingerprint, TellsNeighboringContentsApart) {
  std::set<std::string> seen;
  for (std::size_t length = 0; length < 40; ++length) {
    Bytes bytes(length, std::byte{0});
    EXPECT_TRUE(seen.insert(fingerprint_of(bytes).text()).second) << length;
    for (std::size_t i = 0; i < length; ++i) {
      bytes[i] = std::byte{1};
      EXPECT_TRUE(seen.insert(fingerprint_of(bytes).text()).second) << length << ' ' << i;
      bytes[i] = std::byte{0};
    }
  }
  EXPECT_EQ(fingerprint_of({}), fingerprint_of(Bytes{}));
  EXPECT_EQ(fingerprint_of({}).text().size(), 32u);
}

// Words in another order are another content.
TEST(Fingerprint, KnowsTheOrder) {
  ByteWriter ab, ba;
  ab.number(1.0);
  ab.number(2.0);
  ba.number(2.0);
  ba.number(1.0);
  EXPECT_NE(fingerprint_of(ab.bytes()), fingerprint_of(ba.bytes()));
}

}  // namespace
}  // namespace starope
