#include "starope/arp/influence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

struct Case {
  ArpOptions options;
  double gamma;
  std::optional<Horizon> horizon;
};

// J when episode i counts `weight` times and all others once. Sums of statistics are real numbers, so weights may be
// too.
double value_with(const std::vector<ArpStatistic>& parts, std::size_t i, double weight, const Case& c, double gamma) {
  ArpStatistic total = parts[0];
  for (auto* sums : {&total.start, &total.reward, &total.exit, &total.cut}) std::fill(sums->begin(), sums->end(), 0.0);
  total.move = MoveCounts(total.recipe.cells);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    ArpStatistic part = parts[j];
    const double m = j == i ? weight : 1.0;
    for (auto* sums : {&part.start, &part.reward, &part.exit, &part.cut}) {
      for (double& x : *sums) x *= m;
    }
    part.move.rescale(m);
    for (std::size_t z = 0; z < total.start.size(); ++z) total.start[z] += part.start[z];
    part.start.assign(part.start.size(), 0.0);
    const std::vector<double> start = total.start;
    total.start.assign(start.size(), 0.0);
    total += part;
    total.start = start;
  }
  ArpModel model = make_model(total);
  const double n = std::accumulate(total.start.begin(), total.start.end(), 0.0);
  for (std::size_t z = 0; z < total.start.size(); ++z) model.start[z] = total.start[z] / n;
  return solve(model, Discount{gamma}, c.horizon).value;
}

TEST(Influence, EqualsNumericalDifferentiationInTheMultiplicities) {
  const TruncationRule end = TruncationRule::end, censor = TruncationRule::censor;
  const std::vector<Case> cases{
      {{.clip = Clip::last(1), .truncation = end}, 1.0, {}},
      {{.clip = Clip::last(2), .truncation = end}, 0.9, {}},
      {{.clip = Clip::none(), .truncation = end}, 0.95, {}},
      {{.clip = Clip::last(1), .truncation = end}, 1.0, Horizon{6}},
      {{.clip = Clip::last(2), .truncation = censor}, 1.0, Horizon{9}},
      {{.clip = Clip::last(1), .truncation = censor}, 0.9, Horizon{5}},
      {{.clip = Clip::last(2), .truncation = end, .time = TimeModel::indexed}, 0.9, {}},
      {{.clip = Clip::last(1), .truncation = censor, .time = TimeModel::indexed}, 1.0, {}},
  };
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const Case& c = cases[k];
    const Problem problem =
        testing::random_problem({.episodes = 25, .longest = 8, .zero_target = 0.1, .final_states = 0.4}, Seed{k},
                                {.discount = Discount{c.gamma}});
    Random random(Seed{k}, Stream::test_data, 7);
    Labels labels{.cells = 3, .of_row = std::vector<Label>(problem.data().state_rows())};
    for (Label& z : labels.of_row) z = static_cast<Label>(random.below(3));

    const ArpFold recipe(labels, problem, c.options);
    const ArpStatistic statistic = fold(recipe, problem);
    const ArpModel model = make_model(statistic);
    const ArpSolution solution = solve(model, problem.discount(), c.horizon);
    const std::vector<double> influence = influence_values(recipe, statistic, model, solution, problem);

    std::vector<ArpStatistic> parts;
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      parts.push_back(recipe.identity());
      recipe.add(parts.back(), problem.episode(i));
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double h = 1e-5;
      const double slope =
          (value_with(parts, i, 1 + h, c, c.gamma) - value_with(parts, i, 1 - h, c, c.gamma)) / (2 * h);
      const double expected = static_cast<double>(parts.size()) * slope;
      EXPECT_NEAR(influence[i], expected, 1e-8 * (1 + std::abs(expected))) << "case " << k << ", episode " << i;
      sum += influence[i];
    }
    EXPECT_NEAR(sum, 0.0, 1e-9 * (1 + std::abs(solution.value)) * static_cast<double>(parts.size())) << "case " << k;
  }
}

TEST(Influence, OneCellOnPolicyIsTheReturnsDeviation) {
  // With every ratio 1 and one cell, J is the mean return, whose influence values are G_i - J.
  const Problem problem = testing::random_problem({.episodes = 40, .on_policy = true}, Seed{2});
  const Labels labels{.cells = 1, .of_row = std::vector<Label>(problem.data().state_rows(), 0)};
  const ArpFold recipe(labels, problem, {});
  const ArpStatistic statistic = fold(recipe, problem);
  const ArpModel model = make_model(statistic);
  const ArpSolution solution = solve(model, problem.discount(), std::nullopt);
  const auto influence = influence_values(recipe, statistic, model, solution, problem);
  for (std::int64_t i = 0; i < 40; ++i) {
    const LoggedEpisode e = problem.episode(i);
    const double g = std::accumulate(e.rewards.begin(), e.rewards.end(), 0.0);
    EXPECT_NEAR(influence[i], g - solution.value, 1e-10);
  }
}

TEST(Influence, SameBitsForAnyNumberOfThreads) {
  const Problem problem = testing::random_problem({.episodes = 300}, Seed{3});
  const Labels labels{.cells = 1, .of_row = std::vector<Label>(problem.data().state_rows(), 0)};
  const ArpFold recipe(labels, problem, {});
  const ArpStatistic statistic = fold(recipe, problem);
  const ArpModel model = make_model(statistic);
  const ArpSolution solution = solve(model, problem.discount(), std::nullopt);
  EXPECT_EQ(
      influence_values(recipe, statistic, model, solution, problem, {.threads = Threads{1}, .steps_per_block = 100}),
      influence_values(recipe, statistic, model, solution, problem, {.threads = Threads{3}, .steps_per_block = 100}));
}

}  // namespace
}  // namespace starope
