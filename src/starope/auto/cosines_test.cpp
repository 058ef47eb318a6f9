#include "starope/auto/cosines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace starope {
namespace {

std::vector<double> waves(const std::vector<double>& x, const std::vector<double>& directions,
                          const std::vector<double>& phases) {
  std::vector<double> out(phases.size());
  wave_row({.x = x.data(),
            .features = x.size(),
            .directions = directions.data(),
            .phases = phases.data(),
            .count = phases.size(),
            .out = out.data()});
  return out;
}

TEST(Cosines, AreThoseOfTheStandardLibraryNearAndFar) {
  for (const double scale : {1.0, 10.0, 1e3, 1e6}) {
    std::vector<double> at;
    for (int i = -501; i <= 501; ++i) at.push_back(scale * i / 501.0);
    const std::vector<double> found = waves({}, {}, at);
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(found[i], std::sqrt(2.0) * std::cos(at[i]), 2e-11) << at[i];
  }
}

TEST(Cosines, OfDirectionsAreTheirDefinition) {
  for (const std::size_t count : {1U, 3U, 8U, 13U, 99U}) {
    const std::vector<double> x{0.3, -1.1, 2.0};
    std::vector<double> directions(3 * count), phases(count);
    for (std::size_t i = 0; i < directions.size(); ++i) directions[i] = std::sin(1.7 * static_cast<double>(i));
    for (std::size_t j = 0; j < count; ++j) phases[j] = 0.1 * static_cast<double>(j);
    const std::vector<double> found = waves(x, directions, phases);
    for (std::size_t j = 0; j < count; ++j) {
      double angle = phases[j];
      for (std::size_t i = 0; i < 3; ++i) angle += x[i] * directions[i * count + j];
      EXPECT_NEAR(found[j], std::sqrt(2.0) * std::cos(angle), 1e-11);
    }
  }
}

TEST(Cosines, OneNumberHasTheBitsItHasAmongOthers) {
  for (const std::size_t count : {5U, 8U, 13U}) {
    std::vector<double> phases(count), directions(2 * count);
    const std::vector<double> x{0.9, -0.4};
    for (std::size_t j = 0; j < count; ++j) phases[j] = 0.37 * static_cast<double>(j) - 2.0;
    for (std::size_t i = 0; i < directions.size(); ++i) directions[i] = 0.21 * static_cast<double>(i) - 1.0;
    const std::vector<double> many = waves(x, directions, phases);
    for (std::size_t j = 0; j < count; ++j) {
      EXPECT_EQ(waves(x, {directions[j], directions[count + j]}, {phases[j]}), std::vector<double>{many[j]});
    }
  }
}

}  // namespace
}  // namespace starope
