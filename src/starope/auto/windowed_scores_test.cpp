#include "starope/auto/windowed_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

using testing::all_episodes;
using testing::mean_of;
using testing::OracleModel;
using testing::random_bag;
using testing::random_problem;

Problem logs_with(double gamma, std::int64_t horizon, double truncated, double final_states = 0.0) {
  return random_problem({.episodes = 30, .longest = 8, .truncated = truncated, .final_states = final_states}, Seed{3},
                        ProblemOptions{.discount = Discount{gamma}, .horizon = Horizon{horizon}});
}

std::vector<double> windowed(const Bag& bag, const Problem& problem, std::int64_t window, int threads = 1) {
  return windowed_scores(bag, pooled_tables(bag, problem, all_episodes(problem)), problem, window, fine_steps,
                         Threads{threads});
}

// docs/auto-math.md 2.3, read aloud.
std::vector<double> oracle(const Bag& bag, const Problem& problem, std::int64_t c) {
  const auto all = all_episodes(problem);
  const auto n = static_cast<double>(all.size());
  const std::int64_t horizon = problem.horizon()->steps();
  const double gamma = problem.discount().gamma();
  const auto members = static_cast<double>(bag.members.size());
  std::vector<OracleModel> models;
  for (const Labels& labels : bag.members) models.push_back(testing::oracle_model(labels, problem, all));
  const auto z = [&](std::size_t m, std::int64_t row) { return bag.members[m].of_row[row]; };
  const auto v = [&](std::int64_t k, std::int64_t row) {
    double sum = 0.0;
    for (std::size_t m = 0; m < models.size(); ++m) sum += models[m].values[k][z(m, row)];
    return sum / members;
  };
  struct Follow {
    bool seen;
    std::int64_t row;
  };
  const auto follow = [](const LoggedEpisode& e, std::int64_t t) -> Follow {
    if (t + 1 < e.length()) return {true, e.first_row + t + 1};
    if (e.end == EpisodeEnd::terminated) return {true, -1};
    return {e.final_row.has_value(), e.final_row.value_or(-1)};
  };
  const auto delta = [&](const LoggedEpisode& e, std::int64_t t, std::int64_t k) {
    const Follow next = follow(e, t);
    return e.rewards[t] + (next.row >= 0 ? gamma * v(k + 1, next.row) : 0.0) - v(k, e.first_row + t);
  };
  const auto usable = [&](const LoggedEpisode& e, std::int64_t u) {
    if (e.end == EpisodeEnd::terminated) return true;
    return u + c - 1 < e.length() && follow(e, u + c - 1).seen;
  };
  const auto product = [&](const LoggedEpisode& e, std::int64_t u) {
    double w = std::pow(gamma, static_cast<double>(u));
    for (std::int64_t t = u; t < std::min(u + c, e.length()); ++t) w *= e.ratios[t];
    return w;
  };
  std::vector<std::vector<double>> d(models.size());
  for (std::size_t m = 0; m < models.size(); ++m) {
    d[m].assign(bag.members[m].cells, 0.0);
    for (const std::int64_t i : all) {
      const LoggedEpisode e = problem.episode(i);
      for (std::int64_t u = 0; u < e.length(); ++u) {
        if (usable(e, u)) d[m][z(m, e.first_row + u)] += product(e, u);
      }
    }
  }
  std::vector<double> scores;
  for (const std::int64_t i : all) {
    const LoggedEpisode e = problem.episode(i);
    double score = v(0, e.first_row);
    for (std::int64_t u = 0; u + c <= e.length(); ++u) {
      if (!usable(e, u)) continue;
      for (std::int64_t k = 0; k + c <= horizon; ++k) {
        double omega = 0.0;
        for (std::size_t m = 0; m < models.size(); ++m) {
          const auto cell = z(m, e.first_row + u);
          if (d[m][cell] > 0.0) omega += n * models[m].mass[k][cell] / d[m][cell] / members;
        }
        score += product(e, u) * std::pow(gamma, static_cast<double>(c - 1)) * omega * delta(e, u + c - 1, k + c - 1);
      }
    }
    scores.push_back(score);
  }
  for (std::int64_t t = 0; t < c - 1; ++t) {
    double total = 0.0, mean = 0.0, seen = 0.0;
    std::vector<double> p, residual;
    for (const std::int64_t i : all) {
      const LoggedEpisode e = problem.episode(i);
      double w = 1.0;
      for (std::int64_t j = 0; j <= std::min(t, e.length() - 1); ++j) w *= e.ratios[j];
      const bool lost = e.end == EpisodeEnd::truncated && (t >= e.length() || !follow(e, t).seen);
      p.push_back(lost ? 0.0 : w);
      residual.push_back(t < e.length() && !lost ? delta(e, t, t) : 0.0);
      total += p.back();
      mean += p.back() * residual.back();
      seen += lost ? 0.0 : 1.0;
    }
    mean /= total;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      scores[i] += std::pow(gamma, static_cast<double>(t)) * (mean + seen * p[i] / total * (residual[i] - mean));
    }
  }
  return scores;
}

TEST(WindowedScores, OfOneRatioAreTheDoubleArpWhereEveryOutcomeWasSeen) {
  for (const double gamma : {1.0, 0.8}) {
    const Problem logs = logs_with(gamma, 8, 0.0);
    const Bag bag = random_bag(logs, {3, 5}, 2, Seed{1});
    const auto all = all_episodes(logs);
    const auto pooled = pooled_scores(bag, pooled_tables(bag, logs, all), logs, all, Coalitions::whole_bag).whole();
    const auto one = windowed(bag, logs, 1);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], pooled[i], 1e-10) << i;
  }
}

TEST(WindowedScores, FollowTheirDefinition) {
  for (const double gamma : {1.0, 0.9}) {
    for (const double truncated : {0.0, 0.5}) {
      const Problem logs = logs_with(gamma, 8, truncated, 0.5);
      const Bag bag = random_bag(logs, {2, 4}, 2, Seed{2});
      for (const std::int64_t c : {2, 3, 5}) {
        const auto fast = windowed(bag, logs, c);
        const auto slow = oracle(bag, logs, c);
        for (std::size_t i = 0; i < fast.size(); ++i) EXPECT_NEAR(fast[i], slow[i], 1e-9) << c << " " << i;
      }
    }
  }
}

// Told in a basis of functions of the step, and put together episode by episode.
TEST(WindowedScores, AreTheSameInABasis) {
  for (const double truncated : {0.0, 0.5}) {
    const Problem logs = logs_with(0.9, 8, truncated, 0.5);
    const Bag bag = random_bag(logs, {2, 4}, 2, Seed{2});
    const PooledTables tables = pooled_tables(bag, logs, all_episodes(logs));
    const StepTables steps = step_tables(bag, tables, {}, CellValues::yes, fine_steps);
    const CrossSides sides = make_sides(steps, bag, {}, Draws::mean);
    for (const std::int64_t c : {1, 2, 5}) {
      const StateSide mass = window_mass(bag, tables, logs, c, sides.basis);
      std::vector<WindowedEpisode> parts;
      for (const std::int64_t i : all_episodes(logs)) {
        const LoggedEpisode episode = logs.episode(i);
        std::vector<std::int64_t> rows;
        rows_of_episode(episode, rows);
        WaveLook look;
        std::vector<RowMatrix> values, masses;
        sides.values.front().evaluate(rows, look, values);
        mass.evaluate(std::span(rows).first(episode.length()), look, masses);
        parts.push_back(windowed_episode(
            {.basis = sides.basis, .states = values[0], .taken = values[0], .mass = masses[0]}, episode, c, 8, 0.9));
      }
      const auto found = finished_scores(parts, 0.9);
      const auto expected = windowed(bag, logs, c);
      for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-8) << c << " " << i;
    }
  }
}

// One episode of three steps, horizon 4, windows of two ratios, by hand: V is 10 at every state and Q is 7, 8, 9 at the
// steps; mass 2 on every function of the step.
TEST(WindowedScores, OfValuesOfActionsCompareWhatWasDoneWithWhatFollows) {
  const std::vector<double> rewards{1.0, 2.0, 3.0}, ratios{0.5, 2.0, 3.0};
  LoggedEpisode episode{};
  episode.rewards = rewards;
  episode.ratios = ratios;
  episode.end = EpisodeEnd::terminated;
  const Eigen::MatrixXd basis = Eigen::MatrixXd::Ones(5, 1);
  RowMatrix states = RowMatrix::Constant(3, 2, 10.0), taken(3, 2), mass(3, 4);
  taken << 7.0, 0.0, 8.0, 0.0, 9.0, 0.0;
  mass.rowwise() = Eigen::RowVector4d(2.0, 2.0, 0.0, 2.0);
  const WindowedEpisode found = windowed_episode(
      {.basis = basis, .states = states, .taken = taken, .mass = mass, .of_actions = true}, episode, 2, 4, 1.0);
  // The first step alone is opened by its own ratio: 1 + 10 - 7.
  EXPECT_EQ(found.residual, std::vector<double>{4.0});
  EXPECT_EQ(found.weight, std::vector<double>{0.5});
  // Then 0.5 * 2 and 2 * 3, times 2 (2 + 10 - 8) and 2 (3 - 9), for nothing follows the end.
  EXPECT_NEAR(found.score, 10.0 + 1.0 * 2.0 * 4.0 + 6.0 * 2.0 * -6.0, 1e-12);
}

// A window as long as the horizon never fills: what is left are the opening steps with their running products, the
// weighted doubly robust estimator, written down here once more.
TEST(WindowedScores, OfTheWholeHorizonAreWeightedDoublyRobust) {
  const Problem logs = logs_with(1.0, 4, 0.0);
  const Bag bag = random_bag(logs, {3}, 1, Seed{4});
  const auto all = all_episodes(logs);
  const OracleModel model = testing::oracle_model(bag.members[0], logs, all);
  const auto v = [&](std::size_t k, std::int64_t row) { return model.values[k][bag.members[0].of_row[row]]; };
  double expected = 0.0;
  for (const std::int64_t i : all) expected += v(0, logs.episode(i).first_row) / static_cast<double>(all.size());
  for (std::int64_t t = 0; t < 4; ++t) {
    double total = 0.0, sum = 0.0;
    for (const std::int64_t i : all) {
      const LoggedEpisode e = logs.episode(i);
      double w = 1.0;
      for (std::int64_t j = 0; j <= std::min(t, e.length() - 1); ++j) w *= e.ratios[j];
      total += w;
      if (t >= e.length()) continue;
      const auto k = static_cast<std::size_t>(t);
      const double later = t + 1 < e.length() ? v(k + 1, e.first_row + t + 1) : 0.0;
      sum += w * (e.rewards[k] + later - v(k, e.first_row + t));
    }
    expected += sum / total;
  }
  EXPECT_NEAR(mean_of(windowed(bag, logs, 4)), expected, 1e-10);
  EXPECT_NEAR(mean_of(windowed(bag, logs, 7)), expected, 1e-10);
}

TEST(WindowedScores, AreTheSameBitsForAnyNumberOfThreads) {
  const Problem logs = random_problem({.episodes = 400, .longest = 9}, Seed{8}, ProblemOptions{.horizon = Horizon{9}});
  const Bag bag = random_bag(logs, {3, 5}, 2, Seed{1});
  EXPECT_EQ(windowed(bag, logs, 2, 1), windowed(bag, logs, 2, 3));
}

}  // namespace
}  // namespace starope
