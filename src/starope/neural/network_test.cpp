#include "starope/neural/network.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "starope/rng/random.hpp"

namespace starope {
namespace {

struct Curve {
  SparseInputs inputs{.width = 2};
  std::vector<double> y;
  std::vector<std::int64_t> all, train, held_out;

  explicit Curve(double noise = 0.0, std::int64_t count = 800) {
    Random random(Seed{1}, Stream::test_data, 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const double a = random.uniform(-2, 2), b = random.uniform(-2, 2);
      const std::vector<float> row{static_cast<float>(a), static_cast<float>(b)};
      inputs.add(row);
      y.push_back(std::sin(a) + std::abs(b) + noise * random.normal());
      all.push_back(i);
      (i % 5 == 0 ? held_out : train).push_back(i);
    }
  }
  OutputLoss loss() const {
    return [this](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
      const double error = static_cast<double>(q[0]) - y[e];
      gradient[0] = static_cast<float>(error);
      return 0.5 * error * error;
    };
  }
};

TEST(Network, LearnsACurve) {
  const Curve curve;
  Network network(2, 1, {.seed = Seed{2}});
  const TrainingReport report =
      network.train(curve.inputs, curve.all, {.updates = 1500, .examples = curve.train}, curve.loss());
  EXPECT_EQ(report.updates, 1500);
  const auto found = network.predict(curve.inputs, curve.held_out);
  double squares = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i)
    squares += std::pow(static_cast<double>(found[i]) - curve.y[curve.held_out[i]], 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(found.size())), 0.05);  // y has standard deviation 0.9
}

TEST(Network, StopsEarlyAndKeepsWhatWasBestOnTheHeldOut) {
  const Curve curve(1.0, 100);
  Network network(2, 1, {.hidden = 64, .seed = Seed{2}});
  const TrainingPlan plan{
      .updates = 5000, .check_every = 10, .patience = 5, .examples = curve.train, .held_out = curve.held_out};
  const TrainingReport report = network.train(curve.inputs, curve.all, plan, curve.loss());
  EXPECT_LT(report.updates, 5000);
  const auto found = network.predict(curve.inputs, curve.held_out);
  double loss = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i)
    loss += 0.5 * std::pow(static_cast<double>(found[i]) - curve.y[curve.held_out[i]], 2) /
            static_cast<double>(found.size());
  EXPECT_NEAR(loss, report.loss, 1e-6);
}

TEST(Network, IsAFunctionOfItsSeed) {
  const Curve curve;
  const auto trained = [&](Seed seed) {
    Network network(2, 1, {.seed = seed});
    network.train(curve.inputs, curve.all, {.updates = 30, .examples = curve.train}, curve.loss());
    return network.predict(curve.inputs, curve.held_out);
  };
  EXPECT_EQ(trained(Seed{3}), trained(Seed{3}));
  EXPECT_NE(trained(Seed{3}), trained(Seed{4}));
}

// Backpropagation against numerical differentiation: with a loss that is linear in the outputs, one update of Adam
// moves every weight by the learning rate in the direction of minus the gradient's sign, so the loss must fall by about
// rate * sum |gradient|; and rows whose inputs are all zero see the biases alone.
TEST(Network, OneUpdateDescends) {
  SparseInputs inputs{.width = 3};
  inputs.add(std::vector<float>{1.0F, -1.0F, 0.5F});
  inputs.add_hot(std::vector<float>{0.0F, 2.0F}, 2);
  EXPECT_EQ(inputs.index, (std::vector<std::uint32_t>{0, 1, 2, 1, 2}));
  const std::vector<std::int64_t> rows{0, 1};
  for (const float sign : {1.0F, -1.0F}) {
    Network network(3, 2, {.hidden = 8, .batch = 2, .rate = 1e-4, .seed = Seed{5}});
    const auto total = [&] {
      const auto q = network.predict(inputs, rows);
      return sign * (2.0F * q[0] - q[1] + 2.0F * q[2] - q[3]);
    };
    const float before = total();
    network.train(inputs, rows, {.updates = 1, .examples = rows},
                  [&](std::int64_t, std::span<const float> q, std::span<float> gradient) {
                    gradient[0] = 2.0F * sign;
                    gradient[1] = -sign;
                    return static_cast<double>(sign * (2.0F * q[0] - q[1]));
                  });
    EXPECT_LT(total(), before);
  }
}

}  // namespace
}  // namespace starope
