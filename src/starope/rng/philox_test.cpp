#include "starope/rng/philox.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known answers for philox4x32-10 that the Random123 distribution publishes (kat_vectors).
TEST(Philox, PublishedKnownAnswers) {
  EXPECT_EQ(philox_block({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_block({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The library of the authors as the oracle, along a chain in which every block is the next counter.
TEST(Philox, IsThatOfItsAuthors) {
  Block block{1, 2, 3, 4};
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::array<std::uint32_t, 2> key{block[1] + i, block[3]};
    const r123::Philox4x32::ctr_type counter = {{block[0], block[1], block[2], block[3]}};
    const r123::Philox4x32::key_type words = {{key[0], key[1]}};
    const r123::Philox4x32::ctr_type expected = r123::Philox4x32{}(counter, words);
    block = philox_block(block, key);
    ASSERT_EQ(block, (Block{expected[0], expected[1], expected[2], expected[3]})) << i;
  }
}

}  // namespace
}  // namespace starope
