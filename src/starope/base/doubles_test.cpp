// What the kernels do with vectors of doubles, beside plain numbers: of Highway on this machine, and of doubles.hpp
// where this is compiled for a browser (make webtest).
#include <hwy/highway.h>

#include "starope/base/doubles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

HWY_BEFORE_NAMESPACE();
namespace starope {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<double>;
using Vector = hn::Vec<Tag>;

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> numbers{0.0, -0.0, 0.5,  1.5,   2.5,      -0.5,      -2.5,   3.0,
                                  0.1, -7.3, 1e16, 1e300, infinity, -infinity, 5e-324, std::nan("")};

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// Every pair of numbers in every lane: what `vectors` makes of it is what `plain` does.
template <class OfVectors, class OfNumbers>
void expect_same(const OfVectors& vectors, const OfNumbers& plain) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag), count = numbers.size();
  std::vector<double> a(lanes), b(lanes), found(lanes);
  for (std::size_t i = 0; i < count * count; ++i) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      a[lane] = numbers[(i + lane) % count];
      b[lane] = numbers[(i / count + 3 * lane) % count];
    }
    hn::StoreU(vectors(hn::LoadU(tag, a.data()), hn::LoadU(tag, b.data())), tag, found.data());
    for (std::size_t lane = 0; lane < lanes; ++lane)
      EXPECT_TRUE(same(found[lane], plain(a[lane], b[lane])))
          << a[lane] << " and " << b[lane] << " give " << found[lane] << " in lane " << lane;
  }
}

TEST(Doubles, AreAddedAndMultipliedLaneByLane) {
  expect_same([](Vector a, Vector b) { return hn::Add(a, b); }, [](double a, double b) { return a + b; });
  expect_same([](Vector a, Vector b) { return hn::Sub(a, b); }, [](double a, double b) { return a - b; });
  expect_same([](Vector a, Vector b) { return hn::Mul(a, b); }, [](double a, double b) { return a * b; });
  expect_same([](Vector a, Vector b) { return hn::Div(a, b); }, [](double a, double b) { return a / b; });
}

// Small multiples of an eighth: their products are exact, so it does not matter how often is rounded.
TEST(Doubles, AreMultipliedAndAdded) {
  const Tag tag;
  for (int i = -20; i <= 20; ++i) {
    const double a = i / 8.0, b = 3.0 - i / 4.0;
    const Vector found = hn::MulAdd(hn::Set(tag, a), hn::Set(tag, b), hn::Set(tag, 0.1));
    EXPECT_EQ(hn::GetLane(found), a * b + 0.1);
  }
}

TEST(Doubles, AreRoundedToTheNearestAndThenToEven) {
  // Plus nothing: Highway for older processors makes no difference between the two zeros.
  expect_same([](Vector a, Vector) { return hn::Add(hn::Round(a), hn::Zero(Tag())); },
              [](double a, double) { return std::nearbyint(a) + 0.0; });
}

TEST(Doubles, AreComparedAndChosen) {
  expect_same([](Vector a, Vector b) { return hn::IfThenElse(hn::Lt(a, b), a, b); },
              [](double a, double b) { return a < b ? a : b; });
  expect_same([](Vector a, Vector b) { return hn::IfThenElse(hn::Gt(a, b), a, b); },
              [](double a, double b) { return a > b ? a : b; });
  expect_same([](Vector a, Vector b) { return hn::IfThenElseZero(hn::Eq(a, b), a); },
              [](double a, double b) { return a == b ? a : 0.0; });
}

TEST(Doubles, AreSetAndTakenOut) {
  for (const double x : numbers) EXPECT_TRUE(same(hn::GetLane(hn::Set(Tag(), x)), x)) << x;
  const std::vector<double> row{0.25, -1.5, 2.0, 8.0, 16.0, 32.0, 64.0, 128.0};
  EXPECT_EQ(hn::GetLane(hn::LoadU(Tag(), row.data())), 0.25);
}

TEST(Doubles, ComeFromFloats) {
  const Tag tag;
  const hn::Rebind<float, Tag> narrow;
  const std::size_t lanes = hn::Lanes(tag);
  std::vector<float> from(lanes + 1);
  for (std::size_t i = 0; i <= lanes; ++i) from[i] = 0.1F + static_cast<float>(i);
  std::vector<double> to(lanes);
  hn::StoreU(hn::PromoteTo(tag, hn::LoadU(narrow, from.data() + 1)), tag, to.data());
  for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(to[i], static_cast<double>(from[i + 1]));
}

TEST(Doubles, AreLoadedAndStoredInPart) {
  const Tag tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::vector<double> from(lanes), to(lanes);
  for (std::size_t some = 0; some <= lanes; ++some) {
    for (std::size_t i = 0; i < lanes; ++i) from[i] = 1.0 + static_cast<double>(i);
    to.assign(lanes, -1.0);
    hn::BlendedStore(hn::MaskedLoad(hn::FirstN(tag, some), tag, from.data()), hn::FirstN(tag, some), tag, to.data());
    for (std::size_t i = 0; i < lanes; ++i) EXPECT_EQ(to[i], i < some ? from[i] : -1.0);
  }
}

}  // namespace
}  // namespace starope
HWY_AFTER_NAMESPACE();
