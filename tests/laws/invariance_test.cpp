// What `auto` must not care about: units, the order and the names of things, columns that say nothing or say it twice,
// where rewards have their zero. Some of it holds to the last bit; the rest within a stated part of the standard error,
// because abstractions are drawn by chance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "starope/data.hpp"
#include "starope/domains/builtin_domains.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Logs of a built-in domain, as a question about its target policy.
struct Logs {
  Dataset data;
  ProblemOptions options{};
};

Logs logs_of(const char* name, std::int64_t episodes) {
  const std::vector<domains::NamedDomain> all = domains::builtin_domains();
  const domains::NamedDomain& domain = domains::find_domain(all, name);
  return {.data = domain.simulate(domain.behavior, domain.target, {.episodes = episodes, .seed = Seed{31}}),
          .options = {.discount = domain.discount, .horizon = domain.horizon}};
}

Estimate answer(const Logs& logs, const Dataset& data, Threads threads = Threads::all()) {
  const Evaluation evaluation =
      evaluate(make_problem(data, logs.options), std::vector<Estimator>{Auto{}}, EvaluateOptions{.threads = threads});
  return std::get<Estimate>(evaluation.estimates.front().result);
}

// New states, row by row, from the old ones.
using NewRow = std::function<void(const std::vector<double>& before, std::vector<double>& after)>;
Dataset with_rows(const Dataset& data, std::int64_t dimension, const NewRow& make) {
  Columns columns = data.columns();
  const auto& dense = std::get<DenseStates>(columns.states);
  const auto width = static_cast<std::size_t>(dense.dimension);
  const std::vector<double> values = dense.values.widened().to_vector();
  std::vector<double> made, before(width), after;
  for (std::size_t row = 0; row < values.size() / width; ++row) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(row * width), width, before.begin());
    after.clear();
    make(before, after);
    made.insert(made.end(), after.begin(), after.end());
  }
  columns.states = DenseStates{.dimension = dimension, .values = std::move(made)};
  return Dataset(std::move(columns));
}

Dataset with_rewards(const Dataset& data, const std::function<double(double)>& change) {
  Columns columns = data.columns();
  std::vector<double> rewards = columns.rewards.to_vector();
  for (double& r : rewards) r = change(r);
  columns.rewards = std::move(rewards);
  return Dataset(std::move(columns));
}

void expect_same(const Estimate& a, const Estimate& b) {
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.std_error, b.std_error);
  EXPECT_EQ(a.influence, b.influence);
}

void expect_close(const Estimate& a, const Estimate& b, double part_of_error) {
  EXPECT_NEAR(a.value, b.value, part_of_error * std::min(*a.std_error, *b.std_error));
}

TEST(AutoInvariance, UnitsOfColumnsDoNotMatter) {
  const Logs logs = logs_of("cartpole", 60);
  const Dataset scaled = with_rows(logs.data, 4, [](const auto& before, auto& after) {
    after = {1024.0 * before[0], before[1] / 4096.0, before[2], 2.0 * before[3]};
  });
  expect_same(answer(logs, logs.data), answer(logs, scaled));
}

TEST(AutoInvariance, NumberOfThreadsDoesNotMatter) {
  const Logs logs = logs_of("cartpole", 60);
  expect_same(answer(logs, logs.data, Threads{1}), answer(logs, logs.data, Threads{3}));
}

TEST(AutoInvariance, NamesOfIdsDoNotMatter) {
  const Logs logs = logs_of("gridworld-8x8", 60);
  Columns columns = logs.data.columns();
  const auto& states = std::get<DiscreteStates>(columns.states);
  std::vector<std::int64_t> renamed;
  for (const std::int32_t code : states.code) renamed.push_back(1000 - 7 * ((states.ids[code] * 29) % 101));
  columns.states = make_discrete_states(renamed);
  expect_same(answer(logs, logs.data), answer(logs, Dataset(std::move(columns))));
}

TEST(AutoInvariance, OrderOfColumnsHardlyMatters) {
  const Logs logs = logs_of("cartpole", 100);
  const Dataset permuted = with_rows(logs.data, 4, [](const auto& before, auto& after) {
    after = {before[2], before[0], before[3], before[1]};
  });
  expect_close(answer(logs, logs.data), answer(logs, permuted), 0.5);
}

TEST(AutoInvariance, OrderOfEpisodesHardlyMatters) {
  const Logs logs = logs_of("cartpole", 100);
  std::vector<std::int64_t> order(100);
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  expect_close(answer(logs, logs.data), answer(logs, logs.data.take(order)), 0.5);
}

TEST(AutoInvariance, ColumnsThatRepeatOthersHardlyMatter) {
  const Logs logs = logs_of("cartpole", 100);
  const Dataset twice = with_rows(logs.data, 8, [](const auto& before, auto& after) {
    after = before;
    for (const double x : before) after.push_back(-3.0 * x + 1.0);
  });
  expect_close(answer(logs, logs.data), answer(logs, twice), 1.0);
}

TEST(AutoInvariance, ColumnsOfNoiseMoveTheAnswerByLessThanAStandardError) {
  for (const char* name : {"cartpole", "reservoir"}) {
    const Logs logs = logs_of(name, 100);
    const std::int64_t columns = std::get<DenseStates>(logs.data.states()).dimension;
    Random random(Seed{5}, Stream::test_data, 0);
    const Dataset noisy = with_rows(logs.data, columns + 10, [&](const auto& before, auto& after) {
      after = before;
      for (int j = 0; j < 10; ++j) after.push_back(random.normal());
    });
    expect_close(answer(logs, logs.data), answer(logs, noisy), 1.0);
  }
}

TEST(AutoInvariance, RewardsScaleExactlyAndShiftNearly) {
  const Logs logs = logs_of("linear-quadratic", 60);  // episodes of one length
  const Estimate plain = answer(logs, logs.data);
  const Estimate scaled = answer(logs, with_rewards(logs.data, [](double r) { return 8.0 * r; }));
  EXPECT_EQ(scaled.value, 8.0 * plain.value);
  EXPECT_EQ(*scaled.std_error, 8.0 * *plain.std_error);
  Estimate shifted = answer(logs, with_rewards(logs.data, [](double r) { return r + 2.0; }));
  shifted.value -= 2.0 * static_cast<double>(logs.options.horizon->steps());
  expect_close(plain, shifted, 0.25);
}

}  // namespace
}  // namespace starope
