#include "starope/io/npy_header.hpp"

#include <gtest/gtest.h>

#include "starope/error.hpp"

namespace starope::io {
namespace {

using Kind = NpyType::Kind;

NpyHeader parse(std::string_view text) {
  return parse_npy_dictionary(text, "x.npz", "a");
}

std::string code_of(std::string_view text) {
  try {
    parse(text);
  } catch (const DataError& error) {
    EXPECT_EQ(error.problem().at.column, "a");
    return error.code();
  }
  return "no error";
}

TEST(NpyHeader, ReadsWhatNumpyWrites) {
  const NpyHeader header = parse("{'descr': '<f8', 'fortran_order': False, 'shape': (747, 25, 747), }          \n");
  EXPECT_EQ(header.type, (NpyType{Kind::real, 8}));
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{747, 25, 747}));
  EXPECT_EQ(header.values(), 747 * 25 * 747);
  EXPECT_EQ(parse("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }").shape, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(parse("{'descr': '<i2', 'fortran_order': False, 'shape': (), }").values(), 1);
  EXPECT_EQ(parse("{\"shape\": (0, 5), \"fortran_order\": False, \"descr\": \"<u4\"}").values(), 0);
  EXPECT_EQ(parse("{'descr': '<i8', 'fortran_order': False, 'shape': (10L,), }").values(), 10);
}

TEST(NpyHeader, RefusesWhatItCannotMean) {
  EXPECT_EQ(code_of("{'descr': '<U5', 'fortran_order': False, 'shape': (3,), }"), "bad_dtype");
  EXPECT_EQ(code_of("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }"), "bad_dtype");
  EXPECT_EQ(code_of("{'descr': '>f8', 'fortran_order': False, 'shape': (3,), }"), "bad_dtype");
  EXPECT_EQ(code_of("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }"), "bad_dtype");
  EXPECT_EQ(code_of("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }"), "fortran_order");
  EXPECT_EQ(code_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }"), "bad_shape");
  EXPECT_EQ(code_of("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904), }"), "bad_shape");
  for (const char* text :
       {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3.5,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3, }",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } exit()"}) {
    EXPECT_EQ(code_of(text), "bad_npy_header") << text;
  }
}

TEST(NpyHeader, FormattingAndParsingIsTheIdentity) {
  for (const NpyHeader& header :
       {NpyHeader{{Kind::real, 8}, {3, 4}}, NpyHeader{{Kind::real, 4}, {7}}, NpyHeader{{Kind::signed_integer, 1}, {}},
        NpyHeader{{Kind::unsigned_integer, 2}, {1, 2, 3, 4}}, NpyHeader{{Kind::boolean, 1}, {0}}}) {
    const std::string bytes = format_npy_header(header);
    EXPECT_EQ(bytes.size() % 64, 0u);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\0", 8));
    EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(bytes[8])), bytes.size() - 10);
    EXPECT_EQ(bytes.back(), '\n');
    EXPECT_EQ(parse(bytes.substr(10)), header);
  }
}

TEST(ShapeText, IsWrittenAsPythonDoes) {
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text({3}), "(3,)");
  EXPECT_EQ(shape_text({3, 4}), "(3, 4)");
}

}  // namespace
}  // namespace starope::io
