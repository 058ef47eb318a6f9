#include "starope/io/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_zip.hpp"
#include "support/test_data.hpp"

namespace starope::io {
namespace {

using starope::testing::content_of;
using starope::testing::make_zip;
using starope::testing::TemporaryFolder;
using starope::testing::ZipMember;
using ::testing::HasSubstr;

template <class T>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& values, int version = 1) {
  std::string dictionary = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string bytes =
      "\x93NUMPY" + starope::testing::field(static_cast<std::uint64_t>(version), 1) + std::string(1, '\0');
  bytes += starope::testing::field(dictionary.size(), version == 1 ? 2 : 4) + dictionary;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

std::string one_array(const std::string& content) {
  return make_zip({{.name = "a.npy", .content = content, .deflated = true}});
}

std::string code_of(const std::string& bytes) {
  try {
    NpzReader(bytes, "x.npz").read_numbers("a");
  } catch (const DataError& error) {
    return error.code();
  }
  return "no error";
}

TEST(NpzReader, ReadsEveryKindOfNumber) {
  const auto expect = [](const std::string& content, const std::vector<double>& values) {
    const std::string bytes = one_array(content);
    EXPECT_EQ(NpzReader(bytes, "x.npz").read_numbers("a"), values);
  };
  expect(npy<double>("<f8", "(2, 2)", {1.5, -2, 1e300, 0.1}), {1.5, -2, 1e300, 0.1});
  expect(npy<float>("<f4", "(2,)", {1.5F, -2.25F}), {1.5, -2.25});
  expect(npy<std::int64_t>("<i8", "(2,)", {-5, 1LL << 40}), {-5, 0x1.0p40});
  expect(npy<std::int32_t>("<i4", "(1,)", {-7}), {-7});
  expect(npy<std::int16_t>("<i2", "(1,)", {-300}), {-300});
  expect(npy<std::int8_t>("|i1", "(1,)", {-100}), {-100});
  expect(npy<std::uint64_t>("<u8", "(1,)", {1ULL << 63}), {0x1.0p63});
  expect(npy<std::uint32_t>("<u4", "(1,)", {4000000000U}), {4e9});
  expect(npy<std::uint16_t>("<u2", "(1,)", {60000}), {60000});
  expect(npy<std::uint8_t>("|u1", "(1,)", {200}), {200});
  expect(npy<std::uint8_t>("|b1", "(3,)", {0, 1, 2}), {0, 1, 1});
  expect(npy<double>("<f8", "()", {3.25}), {3.25});
  expect(npy<double>("<f8", "(0, 4)", {}), {});
  expect(npy<double>("<f8", "(1,)", {1.0}, 2), {1.0});
  expect(npy<double>("<f8", "(1,)", {1.0}, 3), {1.0});
}

TEST(NpzReader, IntegersKeepAllTheirDigits) {
  const std::string bytes = one_array(npy<std::int64_t>("<i8", "(2,)", {(1LL << 53) + 1, -3}));
  EXPECT_EQ(NpzReader(bytes, "x.npz").read_integers("a"), (std::vector<std::int64_t>{(1LL << 53) + 1, -3}));
  const std::string real = one_array(npy<double>("<f8", "(1,)", {1.0}));
  EXPECT_THROW(NpzReader(real, "x.npz").read_integers("a"), DataError);
  const std::string huge = one_array(npy<std::uint64_t>("<u8", "(1,)", {1ULL << 63}));
  EXPECT_THROW(NpzReader(huge, "x.npz").read_integers("a"), DataError);
}

TEST(NpzReader, FloatsCanBeReadAsFloats) {
  const std::string bytes = one_array(npy<float>("<f4", "(2,)", {0.1F, -3.0F}));
  std::vector<float> floats(3);
  EXPECT_EQ(NpzReader(bytes, "x.npz").open("a").read(std::span<float>(floats)), 2u);
  EXPECT_EQ(floats, (std::vector<float>{0.1F, -3.0F, 0.0F}));
  const std::string doubles = one_array(npy<double>("<f8", "(1,)", {0.1}));
  EXPECT_THROW(NpzReader(doubles, "x.npz").open("a").read(std::span<float>(floats)), DataError);
}

TEST(NpzReader, StreamsInPiecesOfAnySize) {
  std::vector<double> values(50'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  const std::string bytes = one_array(npy("<f8", "(50001,)", values));
  const NpzReader file(bytes, "x.npz");
  for (const std::size_t piece : {1u, 333u, 20'000u, 100'000u}) {
    NpyReader reader = file.open("a");
    std::vector<double> all, part(piece);
    for (std::size_t got = reader.read(part); got > 0; got = reader.read(part))
      all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
    ASSERT_EQ(all, values) << piece;
  }
}

TEST(NpzReader, KnowsItsArrays) {
  const std::string bytes = make_zip({{.name = "states.npy", .content = npy<double>("<f8", "(1,)", {1})},
                                      {.name = "notes.txt", .content = "hello"},
                                      {.name = "reward.npy", .content = npy<double>("<f8", "(1,)", {2})}});
  const NpzReader file(bytes, "x.npz");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"states", "reward"}));
  EXPECT_TRUE(file.contains("reward"));
  EXPECT_FALSE(file.contains("notes"));
  try {
    file.open("rewards");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.code(), "missing_array");
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'reward'"));
  }
  EXPECT_THROW(file.read_numbers("reward", std::vector<std::int64_t>{2}), DataError);
  EXPECT_EQ(file.read_numbers("reward", std::vector<std::int64_t>{1}), (std::vector<double>{2}));
}

TEST(NpzReader, RefusesHostileFiles) {
  const std::string good = npy<double>("<f8", "(2,)", {1, 2});
  EXPECT_EQ(code_of(one_array(good)), "no error");
  EXPECT_EQ(code_of("PK but not a zip"), "not_a_zip");
  EXPECT_EQ(code_of(one_array("hello")), "bad_npy_header");
  EXPECT_EQ(code_of(one_array("")), "bad_npy_header");
  EXPECT_EQ(code_of(one_array(npy<double>("<f8", "(1152921504606846975,)", {1}))), "bad_shape");
  EXPECT_EQ(code_of(one_array(npy<double>("<f8", "(10000000000,)", {1}))), "bad_shape");
  EXPECT_EQ(code_of(one_array(npy<double>("<f8", "(3,)", {1, 2}))), "bad_shape");
  EXPECT_EQ(code_of(one_array(npy<double>("<f8", "(1,)", {1, 2}))), "bad_shape");
  EXPECT_EQ(code_of(one_array(npy<double>("<c16", "(1,)", {1, 2}))), "bad_dtype");
  EXPECT_EQ(code_of(one_array(good.substr(0, 30))), "bad_npy_header");
  std::string long_header = good;  // version 2 with a header of 4 GB
  long_header.replace(6, 6, std::string("\x02\x00\xff\xff\xff\xff", 6));
  EXPECT_EQ(code_of(one_array(long_header)), "bad_npy_header");
  std::string fortran = "\x93NUMPY\x01";
  const std::string dictionary = "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }\n";
  fortran += std::string(1, '\0') + starope::testing::field(dictionary.size(), 2) + dictionary + std::string(8, '\0');
  EXPECT_EQ(code_of(one_array(fortran)), "fortran_order");
  for (const char* name : {"../a.npy", "b/a.npy", "C:\\a.npy", "/etc/passwd", "a\n.npy", ""})
    EXPECT_EQ(code_of(make_zip({{.name = name, .content = good}})), "bad_array_name") << name;
  EXPECT_EQ(code_of(make_zip({{.name = "a.npy", .content = good}, {.name = "a.npy", .content = good}})),
            "bad_array_name");
  EXPECT_EQ(code_of(make_zip({{.name = "a.npy", .content = good, .crc_change = 1}})), "bad_checksum");
}

TEST(NpzReader, SaysWhichFileIsMissing) {
  EXPECT_THROW(NpzReader("/no/such/file.npz"), FileError);
}

TEST(NpzReader, EveryFlippedByteIsNoticedOrHarmless) {
  const std::vector<double> values{1, 2, 3, 4.5};
  const std::string good = one_array(npy("<f8", "(2, 2)", values));
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << bit));
      try {
        EXPECT_EQ(NpzReader(bad, "x.npz").read_numbers("a"), values) << i;
      } catch (const DataError&) {
      }
    }
  }
}

TEST(NpzWriter, WritesWhatTheReaderReads) {
  const TemporaryFolder folder;
  const std::vector<double> reals{1.5, -2.5, 1e-300, 4, 5, 6};
  const std::vector<std::int64_t> longs{(1LL << 60) + 1, -1};
  const std::vector<std::int32_t> ints{7, -8};
  const std::vector<bool> flags{true, false, true};
  NpzWriter writer(folder.path("a.npz"));
  writer.add("reals", {2, 3}, reals);
  writer.add("longs", {2}, longs);
  writer.add("ints", {2}, ints);
  writer.add("flags", {3}, flags);
  writer.finish();
  const NpzReader file(folder.path("a.npz"));
  EXPECT_EQ(file.names(), (std::vector<std::string>{"reals", "longs", "ints", "flags"}));
  EXPECT_EQ(file.open("reals").shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file.read_numbers("reals"), reals);
  EXPECT_EQ(file.read_integers("longs"), longs);
  EXPECT_EQ(file.read_integers("ints"), (std::vector<std::int64_t>{7, -8}));
  EXPECT_EQ(file.read_numbers("flags"), (std::vector<double>{1, 0, 1}));
}

TEST(NpzWriter, RefusesAShapeThatDoesNotFit) {
  const TemporaryFolder folder;
  NpzWriter writer(folder.path("a.npz"));
  EXPECT_THROW(writer.add("a", {3}, std::vector<double>{1, 2}), InvalidArgument);
}

// Rows of probabilities, each of which must sum to 1: read row by row, none lost, none shifted.
void expect_rows(const std::string& path, const std::vector<std::int64_t>& shape, std::int64_t expected_positive) {
  const NpzReader file(path);
  NpyReader reader = file.open("tx_mat");
  ASSERT_EQ(reader.shape(), shape);
  std::vector<double> row(shape.back());
  std::int64_t rows = 0, positive = 0;
  double worst = 0.0;
  while (reader.read(row) > 0) {
    double sum = 0.0;
    for (const double p : row) {
      sum += p;
      positive += p > 0.0 ? 1 : 0;
    }
    worst = std::max(worst, std::abs(sum - 1.0));
    ++rows;
  }
  EXPECT_EQ(rows, shape[0] * shape[1]);
  EXPECT_EQ(positive, expected_positive);
  EXPECT_LT(worst, 1e-14);
  EXPECT_EQ(file.read_numbers("sofa_scores", std::vector<std::int64_t>{shape[0]}).size(),
            static_cast<std::size_t>(shape[0]));
}

TEST(NpzReader, StreamsLargeTables) {
  const TemporaryFolder folder;
  constexpr std::int64_t states = 200, actions = 7;  // 2 MB: many times what a reader holds at once
  std::vector<double> rows;
  for (std::int64_t r = 0; r < states * actions; ++r) {
    const std::int64_t positive = 1 + r % 4;  // equal shares for so many states
    for (std::int64_t s = 0; s < states; ++s)
      rows.push_back((s + r) % states < positive ? 1.0 / static_cast<double>(positive) : 0.0);
  }
  NpzWriter writer(folder.path("a.npz"));
  writer.add("tx_mat", {states, actions, states}, rows);
  writer.add("sofa_scores", {states}, std::vector<double>(states, 0.5));
  writer.finish();
  expect_rows(folder.path("a.npz"), {states, actions, states}, 10 * states * actions / 4);
  if (const auto published = starope::testing::shared_file("data/icu_sepsis/v0/sepsis_dynamics.npz"))
    expect_rows(*published, {747, 25, 747}, 1'407'475);
}

}  // namespace
}  // namespace starope::io
