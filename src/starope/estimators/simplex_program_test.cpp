#include "starope/estimators/simplex_program.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

double quadratic(const std::vector<double>& m, const std::vector<double>& x) {
  double sum = 0.0;
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (std::size_t b = 0; b < x.size(); ++b) sum += x[a] * m[a * x.size() + b] * x[b];
  }
  return sum;
}

std::vector<double> random_gram(std::size_t size, std::size_t rank, std::uint64_t seed) {
  Random random(Seed{seed}, Stream::test_data, 0);
  std::vector<double> points(size * rank);
  for (double& x : points) x = random.normal() + 0.3;
  std::vector<double> m(size * size, 0.0);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      for (std::size_t k = 0; k < rank; ++k) m[a * size + b] += points[a * rank + k] * points[b * rank + k];
    }
  }
  return m;
}

void expect_on_simplex(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double w : x) {
    EXPECT_GE(w, 0.0);
    sum += w;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(SimplexProgram, BeatsEveryPointOfAGrid) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t size = 2 + seed % 2;
    const std::vector<double> m = random_gram(size, 1 + seed % 4, seed);
    const std::vector<double> x = least_on_simplex(m, size);
    expect_on_simplex(x);
    double least = HUGE_VAL;
    constexpr int grid = 200;
    for (int i = 0; i <= grid; ++i) {
      for (int j = 0; j <= (size == 3 ? grid - i : 0); ++j) {
        std::vector<double> y{i / double{grid}, 1.0 - i / double{grid}};
        if (size == 3) y = {i / double{grid}, j / double{grid}, 1.0 - (i + j) / double{grid}};
        least = std::min(least, quadratic(m, y));
      }
    }
    EXPECT_LE(quadratic(m, x), least + 1e-12);
    EXPECT_GE(quadratic(m, x), least - 1e-3 * (m.front() + m.back()));
  }
}

// Optimality for many points: no vertex descends (the Karush-Kuhn-Tucker conditions of the simplex).
TEST(SimplexProgram, SatisfiesTheOptimalityConditionsAlsoWhereSingular) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::size_t size = 30;
    const std::vector<double> m = random_gram(size, seed % 2 == 0 ? 5 : 60, 100 + seed);
    const std::vector<double> x = least_on_simplex(m, size);
    expect_on_simplex(x);
    const double value = quadratic(m, x);
    for (std::size_t a = 0; a < size; ++a) {
      double slope = 0.0;
      for (std::size_t b = 0; b < size; ++b) slope += m[a * size + b] * x[b];
      EXPECT_GE(slope, value - 1e-9 * m[0]) << seed;
    }
  }
}

TEST(SimplexProgram, PointsThatCoincideDoNoHarm) {
  const std::vector<double> x = least_on_simplex(std::vector<double>{4, 2, 2, 2, 1, 1, 2, 1, 1}, 3);
  expect_on_simplex(x);
  EXPECT_NEAR(x[0], 0.0, 1e-12);
  EXPECT_EQ(least_on_simplex(std::vector<double>(4, 0.0), 2).size(), 2u);
}

}  // namespace
}  // namespace starope
