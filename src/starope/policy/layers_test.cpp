#include "starope/policy/layers.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

TEST(Layers, ARowIsWeightsTimesInputsPlusBias) {
  // 2 outputs of 3 inputs, on the rows x = (r, 1, -r).
  const PolicyLayer layer{.inputs = 3, .outputs = 2, .weights = {1, 2, 3, -1, 0.5F, 0.25F}, .bias = {10, 20}};
  std::vector<float> x(3 * rows_together), y(2 * rows_together);
  for (std::size_t r = 0; r < rows_together; ++r) {
    x[r] = static_cast<float>(r);
    x[rows_together + r] = 1.0F;
    x[2 * rows_together + r] = -static_cast<float>(r);
  }
  apply(layer, x, y);
  for (std::size_t r = 0; r < rows_together; ++r) {
    const auto n = static_cast<float>(r);
    EXPECT_EQ(y[r], n + 2.0F - 3.0F * n + 10.0F);
    EXPECT_EQ(y[rows_together + r], -n + 0.5F - 0.25F * n + 20.0F);
  }
}

TEST(Layers, Activations) {
  EXPECT_EQ(activated(Activation::identity, -2.0), -2.0);
  EXPECT_EQ(activated(Activation::relu, -2.0), 0.0);
  EXPECT_EQ(activated(Activation::relu, 2.0), 2.0);
  EXPECT_EQ(activated(Activation::leaky_relu, -2.0), -0.02);
  EXPECT_NEAR(activated(Activation::tanh, 0.5), 0.46211715726000975, 1e-15);
  EXPECT_NEAR(activated(Activation::sigmoid, 1.0), 0.7310585786300049, 1e-15);
  EXPECT_NEAR(activated(Activation::elu, -1.0), -0.6321205588285577, 1e-15);
  EXPECT_NEAR(activated(Activation::silu, 2.0), 1.7615941559557649, 1e-14);
  EXPECT_NEAR(activated(Activation::gelu, 1.0), 0.8413447460685429, 1e-14);
  EXPECT_NEAR(activated(Activation::softplus, 0.0), 0.6931471805599453, 1e-15);
  EXPECT_EQ(activated(Activation::softplus, 800.0), 800.0);
}

TEST(Layers, ScoresBecomeProbabilities) {
  std::vector<double> p(3);
  to_probabilities({}, std::vector<double>{0.0, std::log(2.0), std::log(5.0)}, p);
  EXPECT_NEAR(p[0], 1.0 / 8.0, 1e-15);
  EXPECT_NEAR(p[2], 5.0 / 8.0, 1e-15);
  to_probabilities({.temperature = 2.0}, std::vector<double>{0.0, std::log(4.0), std::log(25.0)}, p);
  EXPECT_NEAR(p[1], 2.0 / 8.0, 1e-15);
  to_probabilities({}, std::vector<double>{1e6, 0.0, -1e6}, p);  // no overflow
  EXPECT_EQ(p[0], 1.0);
  to_probabilities({.output = PolicyOutput::greedy, .epsilon = 0.3}, std::vector<double>{1.0, 7.0, 7.0}, p);
  EXPECT_NEAR(p[0], 0.1, 1e-15);
  EXPECT_NEAR(p[1], 0.8, 1e-15);  // the first of equals
}

TEST(Layers, ASingleScoreIsThatOfTheSecondAction) {
  std::vector<double> p(2);
  to_probabilities({}, std::vector<double>{std::log(3.0)}, p);
  EXPECT_NEAR(p[0], 0.25, 1e-15);
  EXPECT_NEAR(p[1], 0.75, 1e-15);
}

}  // namespace
}  // namespace starope
