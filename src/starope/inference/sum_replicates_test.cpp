#include "starope/inference/sum_replicates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/inference/refit_replicates.hpp"

namespace starope {
namespace {

constexpr ImportanceSampling is{}, wis{.weighted = true}, pdis{.per_decision = true},
    wpdis{.weighted = true, .per_decision = true};

// Three episodes of two steps each; ratios up to 8 are exact.
Problem three() {
  testing::LogVectors c;
  const std::vector<double> ratios{2, 3, 4, 0.5, 1, 1}, rewards{1, 10, 5, 2, 7, 0};
  for (std::size_t t = 0; t < ratios.size(); ++t) {
    c.rewards.push_back(rewards[t]);
    c.behavior.push_back(0.125);
    c.target.push_back(0.125 * ratios[t]);
    if (t % 2 == 1) c.end_episode();
  }
  return make_problem(std::move(c).dataset());
}

struct Atom {
  double value = 0.0, mass = 0.0;
};

// All ways in which three episodes can count up to nine times, with their probabilities.
template <class Value>
std::vector<Atom> enumerate(const Value& value) {
  std::vector<double> mass{std::exp(-1.0)};
  for (int k = 1; k < 10; ++k) mass.push_back(mass.back() / k);
  std::vector<Atom> atoms;
  double all = 0.0;
  for (std::size_t a = 0; a < 10; ++a) {
    for (std::size_t b = 0; b < 10; ++b) {
      for (std::size_t c = 0; c < 10; ++c) {
        if (a + b + c == 0) continue;
        const double p = mass[a] * mass[b] * mass[c];
        all += p;
        atoms.push_back({value(static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)), p});
      }
    }
  }
  std::sort(atoms.begin(), atoms.end(), [](const Atom& x, const Atom& y) { return x.value < y.value; });
  for (Atom& atom : atoms) atom.mass /= all;
  return atoms;
}

// The largest distance between the distribution of the replicates and the exact one.
double distance(std::vector<double> sample, const std::vector<Atom>& exact) {
  std::sort(sample.begin(), sample.end());
  double below = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    below += exact[i].mass;
    if (i + 1 < exact.size() && exact[i + 1].value - exact[i].value < 1e-9) continue;
    const auto found = std::upper_bound(sample.begin(), sample.end(), exact[i].value + 1e-9) - sample.begin();
    largest = std::max(largest, std::abs(static_cast<double>(found) / static_cast<double>(sample.size()) - below));
  }
  return largest;
}

TEST(SumReplicates, HaveTheDistributionThatEnumerationGives) {
  const ReplicateOptions options{.replicates = 100'000, .seed = Seed{4}, .threads = Threads{1}};
  // Returns 11, 7, 7; weights 6, 2, 1; per decision 2 + 60, 20 + 4, 7.
  const auto mean = [](double x, double y, double z) {
    return [=](double a, double b, double c) { return (a * x + b * y + c * z) / (a + b + c); };
  };
  constexpr double close = 0.006;  // beyond it the distance of so many draws lies once in 700 times
  EXPECT_LT(distance(replicates(Naive{}, three(), options).values, enumerate(mean(11, 7, 7))), close);
  EXPECT_LT(distance(replicates(is, three(), options).values, enumerate(mean(66, 14, 7))), close);
  EXPECT_LT(distance(replicates(pdis, three(), options).values, enumerate(mean(62, 24, 7))), close);
  EXPECT_LT(distance(replicates(wis, three(), options).values, enumerate([](double a, double b, double c) {
                       return (66 * a + 14 * b + 7 * c) / (6 * a + 2 * b + c);
                     })),
            close);
  EXPECT_LT(distance(replicates(wpdis, three(), options).values, enumerate([](double a, double b, double c) {
                       return (2 * a + 20 * b + 7 * c) / (2 * a + 4 * b + c) + (60 * a + 4 * b) / (6 * a + 2 * b + c);
                     })),
            close);
}

// The whole estimator on the resampled logs, normalizers included, gives the same numbers.
TEST(SumReplicates, AreTheEstimatorOnTheResample) {
  const Problem problem = testing::random_problem({.episodes = 25}, Seed{7}, {.discount = Discount{0.9}});
  const ReplicateOptions options{.replicates = 40, .seed = Seed{2}, .errors = true, .threads = Threads{1}};
  const auto expect_same = [&](const auto& estimator) {
    const Replicates sums = replicates(estimator, problem, options);
    const Replicates whole = refit_replicates(
        [&](const Problem& resample) { return estimate(estimator, resample, EstimateOptions{.threads = Threads{1}}); },
        problem, options);
    ASSERT_EQ(sums.values.size(), 40U);
    ASSERT_EQ(whole.values.size(), 40U);
    for (std::size_t b = 0; b < 40; ++b) {
      EXPECT_NEAR(sums.values[b], whole.values[b], 1e-12 * std::abs(whole.values[b]));
      EXPECT_NEAR(sums.errors[b], whole.errors[b], 1e-9 * whole.errors[b]);
    }
  };
  expect_same(Naive{});
  expect_same(is);
  expect_same(wis);
  expect_same(pdis);
  expect_same(wpdis);
}

// Products of 2,000 ratios leave the range of double; only their quotients matter.
TEST(SumReplicates, EpisodesOfTwoThousandStepsHaveTheReplicatesOfTheirFirstSteps) {
  const auto logs = [](std::size_t length) {
    testing::LogVectors c;
    for (int i = 0; i < 12; ++i) {
      for (std::size_t t = 0; t < length; ++t) {
        c.rewards.push_back(t == 0 ? 1.0 + i : 0.0);
        c.behavior.push_back(0.5);
        c.target.push_back(t == 0 ? 0.05 * (1 + i % 5) : 0.125);  // later ratios: 1/4
      }
      c.end_episode();
    }
    return make_problem(std::move(c).dataset());
  };
  const ReplicateOptions options{.replicates = 50, .seed = Seed{1}, .errors = true, .threads = Threads{1}};
  for (const ImportanceSampling& which : {wis, wpdis}) {
    const Replicates far = replicates(which, logs(2000), options), near = replicates(which, logs(1), options);
    ASSERT_EQ(far.failed, 0);
    for (std::size_t b = 0; b < 50; ++b) {
      EXPECT_NEAR(far.values[b], near.values[b], 1e-10);
      EXPECT_NEAR(far.errors[b], near.errors[b], 1e-10);
    }
  }
}

TEST(SumReplicates, DoNotDependOnThreads) {
  const Problem problem = testing::random_problem({.episodes = 30}, Seed{8});
  const auto with = [&](int threads) {
    return replicates(wpdis, problem, {.replicates = 100, .seed = Seed{3}, .threads = Threads{threads}}).values;
  };
  EXPECT_EQ(with(1), with(4));
}

}  // namespace
}  // namespace starope
