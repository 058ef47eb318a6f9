#include "starope/auto/cross_scores.hpp"

#include <gtest/gtest.h>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/oracle.hpp"
#include "starope/auto/pooled_scores.hpp"
#include "starope/auto/wave_family.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t horizon = 8;

struct Logs {
  Problem problem = testing::random_problem({.episodes = 30, .truncated = 0.5, .final_states = 0.5}, Seed{3},
                                            {.discount = Discount{0.95}, .horizon = Horizon{horizon}});
  BagFeatures features{.dimension = 2, .values = testing::state_numbers(problem)};
  std::vector<std::int64_t> episodes = testing::all_episodes(problem);
  Bag bag = testing::random_bag(problem, {3, 6}, 2, Seed{5});
  PooledTables tables = pooled_tables(bag, problem, episodes);
  Waves waves = fit_waves(features, problem, {.draws = 2, .waves = 20}, {episodes});
  std::vector<WaveModel> models = wave_models(waves, std::vector<std::size_t>{0}, {.gamma = 0.95, .horizon = horizon});

  Eigen::VectorXd at(std::size_t draw, std::int64_t row) const {
    RowMatrix out;
    waves.rows.evaluate(draw, std::span(&row, 1), out);
    return out.row(0).transpose();
  }
};

// A state's values, rewards and occupancies, step by step, as their definitions say.
struct Functions {
  std::function<double(std::int64_t row, std::size_t k)> value, omega;
  std::function<double(std::int64_t row)> reward, omega_all;  // Omega: over all steps, not only those with an outcome
};

double oracle_score(const Functions& f, const Problem& problem, std::int64_t episode) {
  double score = f.value(problem.episode(episode).first_row, 0);
  for (const testing::OracleStep& s : testing::oracle_steps(problem, {episode})) {
    score += s.weight * f.omega_all(s.row) * (s.reward - f.reward(s.row));
    if (!s.seen) continue;
    for (std::size_t k = 0; k < horizon; ++k) {
      const double later = s.next_row >= 0 ? problem.discount().gamma() * f.value(s.next_row, k + 1) : 0.0;
      score += s.weight * f.omega(s.row, k) * (later - (f.value(s.row, k) - f.reward(s.row)));
    }
  }
  return score;
}

Functions of_cells(const Logs& logs) {
  const auto mean = [&logs](std::int64_t row, auto&& of_cell) {
    double sum = 0.0;
    for (std::size_t m = 0; m < logs.bag.members.size(); ++m) {
      sum += of_cell(logs.tables.first_cell[m] + logs.bag.members[m].of_row[row]);
    }
    return sum / static_cast<double>(logs.bag.members.size());
  };
  const PooledTables& t = logs.tables;
  return {
      .value = [=, &t](std::int64_t row,
                       std::size_t k) { return mean(row, [&](auto z) { return t.values[z * t.value_stride + k]; }); },
      .omega =
          [=, &t](std::int64_t row, std::size_t k) {
            return mean(row, [&](auto z) { return t.per_seen[z] * t.mass[z * t.mass_stride + k]; });
          },
      .reward = [=, &t](std::int64_t row) { return mean(row, [&](auto z) { return t.reward[z]; }); },
      .omega_all =
          [=, &t](std::int64_t row) { return mean(row, [&](auto z) { return t.per_visit[z] * t.total_mass[z]; }); }};
}

Functions of_waves(const Logs& logs, std::size_t draw) {
  const WaveModel& model = logs.models[draw];
  return {.value =
              [&logs, &model, draw](std::int64_t row, std::size_t k) {
                return logs.at(draw, row).dot(model.values.col(static_cast<Eigen::Index>(k)));
              },
          .omega =
              [&logs, &model, draw](std::int64_t row, std::size_t k) {
                return logs.at(draw, row).dot(model.occupancy.col(static_cast<Eigen::Index>(k)));
              },
          .reward = [&logs, &model, draw](std::int64_t row) { return logs.at(draw, row).dot(model.reward); },
          .omega_all = [&logs, &model,
                        draw](std::int64_t row) { return logs.at(draw, row).dot(model.occupancy.rowwise().sum()); }};
}

Functions values_and_occupancies(const Functions& values, const Functions& occupancies) {
  return {
      .value = values.value, .omega = occupancies.omega, .reward = values.reward, .omega_all = occupancies.omega_all};
}

TEST(CrossScores, OfWavesWithOccupanciesOfCellsAreTheirDefinition) {
  const Logs logs;
  const CrossScores found = cross_scores(values_by_cells({&logs.waves.rows}, {logs.models}, logs.bag, logs.tables),
                                         logs.problem, logs.episodes);
  ASSERT_EQ(found.scores.size(), 2u);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    const Functions f = values_and_occupancies(of_waves(logs, draw), of_cells(logs));
    for (std::size_t i = 0; i < logs.episodes.size(); ++i) {
      const double expected = oracle_score(f, logs.problem, logs.episodes[i]);
      EXPECT_NEAR(found.scores[draw][i], expected, 1e-7 * (1.0 + std::abs(expected)));
      EXPECT_NEAR(found.start[draw][i], f.value(logs.problem.episode(logs.episodes[i]).first_row, 0), 1e-7);
    }
  }
}

TEST(CrossScores, OfCellsWithOccupanciesOfWavesAreTheirDefinition) {
  const Logs logs;
  const CrossScores found =
      cross_scores(cells_by_waves(logs.bag, logs.tables, logs.waves.rows, logs.models), logs.problem, logs.episodes);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    const Functions f = values_and_occupancies(of_cells(logs), of_waves(logs, draw));
    for (std::size_t i = 0; i < logs.episodes.size(); ++i) {
      const double expected = oracle_score(f, logs.problem, logs.episodes[i]);
      EXPECT_NEAR(found.scores[draw][i], expected, 1e-7 * (1.0 + std::abs(expected)));
    }
  }
}

// Values of actions: Q of the step, V of the states, step by step.
TEST(CrossScores, OfActionsWithOccupanciesOfCellsAreTheirDefinition) {
  Logs logs;
  logs.problem = testing::with_all_actions(logs.problem);
  const ActionValues actions = fit_actions(logs.features, logs.problem, {.draws = 2, .knees = 9}, {logs.episodes});
  const SmoothModels models{
      .waves = logs.models,
      .actions = action_models(actions, std::vector<std::size_t>{0}, {.gamma = 0.95, .horizon = horizon})};
  const CrossSides sides = values_by_cells({&logs.waves.rows, &actions.rows}, models, logs.bag, logs.tables);
  const CrossScores found = cross_scores(sides, logs.problem, logs.episodes);
  ASSERT_EQ(found.scores.size(), 4u);
  const Functions cells = of_cells(logs);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    const ActionBasis& basis = actions.rows.basis(draw);
    const ActionModel& model = models.actions[draw];
    const auto of_action = [&](std::int64_t row, std::int64_t a, const Eigen::VectorXd& coefficients) {
      Eigen::VectorXd phi(basis.columns());
      actions.rows.evaluate(draw, row, 1, phi.data());
      return phi.dot(coefficients.head(basis.columns())) +
             phi.head(basis.own).dot(coefficients.segment(basis.columns() + a * basis.own, basis.own));
    };
    const auto value = [&](std::int64_t row, std::size_t k) {
      double sum = 0.0;
      for (std::int64_t a = 0; a < basis.actions; ++a)
        sum += actions.rows.target(row)[a] * of_action(row, a, model.values.col(static_cast<Eigen::Index>(k)));
      return sum;
    };
    for (std::size_t i = 0; i < logs.episodes.size(); ++i) {
      double expected = value(logs.problem.episode(logs.episodes[i]).first_row, 0);
      for (const testing::OracleStep& s : testing::oracle_steps(logs.problem, {logs.episodes[i]})) {
        const std::int64_t taken = actions.rows.action(s.row);
        const double reward = of_action(s.row, taken, model.reward);
        expected += s.weight * cells.omega_all(s.row) * (s.reward - reward);
        const bool last = s.t + 1 == logs.problem.episode(s.episode).length();
        if (!s.seen || (last && s.next_row >= 0)) continue;
        for (std::size_t k = 0; k < horizon; ++k) {
          const double later = s.next_row >= 0 ? 0.95 * value(s.next_row, k + 1) : 0.0;
          const double here = of_action(s.row, taken, model.values.col(static_cast<Eigen::Index>(k)));
          expected += s.weight * cells.omega(s.row, k) * (later - (here - reward));
        }
      }
      EXPECT_NEAR(found.scores[2 + draw][i], expected, 1e-6 * (1.0 + std::abs(expected)));
    }
  }
}

// The oracle itself: with cells on both sides it is the score of the time-pooled family.
TEST(CrossScores, OracleIsThePooledScoreForCellsAlone) {
  const Logs logs;
  const std::vector<double> pooled =
      pooled_scores(logs.bag, logs.tables, logs.problem, logs.episodes, Coalitions::whole_bag).whole();
  const Functions f = of_cells(logs);
  for (std::size_t i = 0; i < pooled.size(); ++i) {
    EXPECT_NEAR(pooled[i], oracle_score(f, logs.problem, logs.episodes[i]), 1e-9);
  }
}

TEST(CrossScores, OfAveragedSidesAreTheMeanOverTheDraws) {
  const Logs logs;
  CrossSides sides = values_by_cells({&logs.waves.rows}, {logs.models}, logs.bag, logs.tables);
  const std::vector<double> mean = mean_over_draws(cross_scores(sides, logs.problem, logs.episodes).scores);
  const std::vector<std::int64_t> some(logs.episodes.begin() + 4, logs.episodes.begin() + 19);
  sides.values.front() = sides.values.front().averaged();
  const CrossScores found = cross_scores(sides, logs.problem, some);
  ASSERT_EQ(found.scores.size(), 1u);
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_NEAR(found.scores[0][i], mean[i + 4], 1e-9);
}

// Waves and cells side by side, with one look at the occupancies: the mean over the draws, then the cells.
TEST(CrossScores, OfSeveralValuesAreThoseOfEach) {
  const Logs logs;
  const StepTables tables = step_tables(logs.bag, logs.tables, {logs.models}, CellValues::yes, fine_steps);
  const CrossScores both =
      cross_scores(make_sides(tables, logs.bag, {&logs.waves.rows}, Draws::mean), logs.problem, logs.episodes);
  ASSERT_EQ(both.scores.size(), 2u);
  const std::vector<double> waves =
      mean_over_draws(cross_scores(values_by_cells({&logs.waves.rows}, {logs.models}, logs.bag, logs.tables),
                                   logs.problem, logs.episodes)
                          .scores);
  const std::vector<double> cells =
      pooled_scores(logs.bag, logs.tables, logs.problem, logs.episodes, Coalitions::whole_bag).whole();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_NEAR(both.scores[0][i], waves[i], 1e-8 * (1.0 + std::abs(waves[i])));
    EXPECT_NEAR(both.scores[1][i], cells[i], 1e-8 * (1.0 + std::abs(cells[i])));
  }
  const StepTables alone = step_tables(logs.bag, logs.tables, {}, CellValues::yes, fine_steps);
  const CrossScores of_cells = cross_scores(make_sides(alone, logs.bag, {}, Draws::mean), logs.problem, logs.episodes);
  ASSERT_EQ(of_cells.scores.size(), 1u);
  for (std::size_t i = 0; i < cells.size(); ++i) EXPECT_NEAR(of_cells.scores[0][i], cells[i], 1e-9);
}

TEST(StepTables, AreValuesWithBytes) {
  const Logs logs;
  for (const CellValues cells : {CellValues::no, CellValues::yes}) {
    const StepTables tables = step_tables(logs.bag, logs.tables, {logs.models}, cells, fine_steps);
    ByteWriter to;
    tables.write(to);
    ByteReader from(to.bytes(), "tables");
    EXPECT_EQ(StepTables::read(from), tables);
    for (std::size_t kept = 0; kept < to.bytes().size(); kept += 1 + to.bytes().size() / 50) {
      ByteReader cut(std::span(to.bytes()).first(kept), "tables");
      EXPECT_THROW(StepTables::read(cut), DataError);
    }
    StepTables wrong = tables;
    wrong.first_cell.back() += 1;
    ByteWriter bad;
    wrong.write(bad);
    ByteReader of_bad(bad.bytes(), "tables");
    EXPECT_THROW(StepTables::read(of_bad), DataError);
  }
}

// Where rows share points, numbers of a point are found once: the same scores.
TEST(CrossScores, DoNotDependOnWhetherRowsArePoints) {
  Logs apart;
  const std::int64_t rows = apart.problem.data().state_rows();
  apart.features.values.clear();
  BagFeatures shared{.dimension = 2, .values = {0.1, 0.4, -0.7, 0.2, 1.5, -0.3}};
  for (std::int64_t row = 0; row < rows; ++row) {
    shared.point_of_row.push_back(static_cast<std::int32_t>(row % 3));
    for (std::size_t j = 0; j < 2; ++j)
      apart.features.values.push_back(shared.values[static_cast<std::size_t>(row % 3) * 2 + j]);
  }
  std::vector<std::vector<double>> scores;
  for (const BagFeatures* features : {&apart.features, &shared}) {
    const Waves waves = fit_waves(*features, apart.problem, {.draws = 2, .waves = 20}, {apart.episodes});
    const auto models = wave_models(waves, std::vector<std::size_t>{0}, {.gamma = 0.95, .horizon = horizon});
    scores.push_back(mean_over_draws(
        cross_scores(values_by_cells({&waves.rows}, {models}, apart.bag, apart.tables), apart.problem, apart.episodes)
            .scores));
  }
  for (std::size_t i = 0; i < scores[0].size(); ++i) EXPECT_NEAR(scores[0][i], scores[1][i], 1e-9);
}

// Whether an episode was looked at before, among others or not at all, its score has the same bits.
TEST(CrossScores, AreTheSameBitsWhetherOrNotEpisodesWereLookedAtAhead) {
  const Problem problem = testing::random_problem({.episodes = 40, .truncated = 0.5, .final_states = 0.5}, Seed{3},
                                                  {.discount = Discount{0.95}, .horizon = Horizon{8}});
  const Bag bag = testing::random_bag(problem, {3, 6}, 2, Seed{5});
  const PooledTables tables = pooled_tables(bag, problem, testing::all_episodes(problem));
  const CrossSides sides = make_sides(step_tables(bag, tables, {}, CellValues::yes, fine_steps), bag, {}, Draws::mean);
  CrossScorer plain(sides, 0.95), ahead(sides, 0.95);
  std::vector<LoggedEpisode> some;
  for (std::int64_t i = 0; i < problem.episodes(); i += 3) some.push_back(problem.episode(i));
  ahead.look_ahead(some);
  SmoothLook look;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    double one = 0.0, other = 0.0, start = 0.0, other_start = 0.0;
    plain.score(problem.episode(i), look, std::span(&one, 1), std::span(&start, 1));
    ahead.score(problem.episode(i), look, std::span(&other, 1), std::span(&other_start, 1));
    EXPECT_EQ(one, other) << i;
    EXPECT_EQ(start, other_start) << i;
  }
}

}  // namespace
}  // namespace starope
