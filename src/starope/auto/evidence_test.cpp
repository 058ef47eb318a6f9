#include "starope/auto/evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

// Scores mean +- spread, half of each, and halves that agree with them: variance spread^2 / (n - 1).
FamilyScores family(FamilyKind kind, double mean, double spread, std::size_t episodes = 101) {
  FamilyScores result{.kind = kind};
  for (std::size_t i = 0; i + 1 < episodes; ++i) result.scores.push_back(mean + (i % 2 == 0 ? spread : -spread));
  result.scores.push_back(mean);
  result.halves.assign(4, {mean, mean});
  return result;
}

CrossEvidence markov() {
  CrossEvidence evidence;
  evidence.cells_history = {.delta = 0.0, .delta_se = 0.1, .gap = 0.0, .markov = true};
  evidence.traces_history = evidence.cells_history;
  return evidence;
}

const PairedShift no_shift{.mean = 0.0, .std_error = 0.1, .scores = 50.0};

TEST(Evidence, OfOneFamilyIsItsOwnSpread) {
  const WeighedAnswer answer = weigh({family(FamilyKind::cells, 5.0, 2.0)}, markov());
  EXPECT_DOUBLE_EQ(answer.value, 5.0);
  EXPECT_NEAR(answer.errors.total(), 100 * 4.0 / (101.0 * 100.0), 1e-12);
  EXPECT_DOUBLE_EQ(answer.weight_of(FamilyKind::cells), 1.0);
}

TEST(Evidence, WeighsByInverseSquaresOfTheErrors) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 2.0), waves = family(FamilyKind::waves, 5.2, 1.0);
  cells.off = waves.off = no_shift;
  const WeighedAnswer answer = weigh({cells, waves}, markov());
  // Mean squared errors 4 : 1, so weights 1 : 16.
  EXPECT_NEAR(answer.weight_of(FamilyKind::waves), 16.0 / 17.0, 1e-12);
  EXPECT_NEAR(answer.value, (5.0 + 16.0 * 5.2) / 17.0, 1e-12);
  // Between them, the inverse errors count, 1 : 4.
  const double below = answer.value - 5.0, above = 5.2 - answer.value;
  EXPECT_NEAR(answer.errors.spread, 0.2 * below * below + 0.8 * above * above, 1e-12);
  EXPECT_DOUBLE_EQ(answer.classes_spread, answer.errors.spread);
  for (std::size_t i = 0; i < answer.scores.size(); ++i) {
    EXPECT_NEAR(answer.scores[i], (cells.scores[i] + 16.0 * waves.scores[i]) / 17.0, 1e-12);
  }
}

TEST(Evidence, SpreadOfTheClassesIsThatOfCellsAndWavesAlone) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 1.0), waves = family(FamilyKind::waves, 5.0, 1.0);
  FamilyScores actions = family(FamilyKind::actions, 6.0, 1.0);
  cells.off = waves.off = actions.off = no_shift;
  const WeighedAnswer answer = weigh({cells, waves, actions}, markov());
  EXPECT_NEAR(answer.value, 16.0 / 3.0, 1e-12);
  EXPECT_NEAR(answer.errors.spread, 6.0 / 27.0, 1e-12);
  EXPECT_NEAR(answer.classes_spread, 2.0 / 27.0, 1e-12);
}

TEST(Evidence, InstabilityCostsWeight) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 1.0), waves = family(FamilyKind::waves, 5.0, 1.0);
  cells.off = waves.off = no_shift;
  waves.halves.assign(4, {5.3, 5.3});
  const WeighedAnswer answer = weigh({cells, waves}, markov());
  EXPECT_NEAR(answer.find(FamilyKind::waves)->instability, 0.3, 1e-12);
  EXPECT_LT(answer.weight_of(FamilyKind::waves), 0.01);
}

TEST(Evidence, LearningCurvesWidenTheAnswerAndCostNoWeight) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 1.0), waves = family(FamilyKind::waves, 5.0, 1.0);
  cells.off = waves.off = no_shift;
  const double before = weigh({cells, waves}, markov()).errors.total();
  waves.learning = 1.0;
  const WeighedAnswer answer = weigh({cells, waves}, markov());
  EXPECT_DOUBLE_EQ(answer.weight_of(FamilyKind::waves), 0.5);
  EXPECT_NEAR(answer.errors.total() - before, 0.5, 1e-12);
  EXPECT_EQ(answer.find(FamilyKind::waves)->counted(DoubtKind::learning_curve), 1.0);
}

TEST(Evidence, OfWindowsIsWhatBothMoveBeyondNoise) {
  const auto lasting = [](double shorter, double its_error, double longer, double error, double effect = 0.0) {
    return WindowShifts{.shorter = {.mean = shorter, .std_error = its_error},
                        .longer = {.mean = longer, .std_error = error}}
        .lasting(effect);
  };
  EXPECT_NEAR(lasting(3.0, 1.0, 4.0, 2.0), 12.0, 1e-12);    // the larger of 9 - 4 and 16 - 4
  EXPECT_NEAR(lasting(-4.0, 1.0, -2.0, 1.0), 12.0, 1e-12);  // of 16 - 4 and 4 - 1
  EXPECT_EQ(lasting(1.9, 1.0, 4.0, 1.0), 0.0);              // within two standard errors
  EXPECT_EQ(lasting(3.0, 1.0, 0.9, 1.0), 0.0);              // does not last
  EXPECT_EQ(lasting(3.0, 1.0, -4.0, 1.0), 0.0);             // another direction
  EXPECT_NEAR(lasting(3.0, 1.0, 4.0, 2.0, 7.0), 12.0, 1e-12);
  EXPECT_EQ(lasting(3.0, 1.0, 4.0, 2.0, -7.0), 0.0);            // less than the effect that was found
  EXPECT_EQ(lasting(3.0, 1.0, 4.0, 2.0, -1.9), 0.0);            // one says more, the other less
  EXPECT_NEAR(lasting(3.0, 1.0, 4.0, 2.0, -1.4), 12.0, 1e-12);  // the opposite of what was found
}

TEST(Evidence, OfWindowsThatSeeLessCountsWhereTheyGrow) {
  const auto lasting = [](double shorter, double longer, double error) {
    return WindowShifts{.shorter = {.mean = shorter, .std_error = 0.1}, .longer = {.mean = longer, .std_error = error}}
        .lasting(-10.0);
  };
  EXPECT_NEAR(lasting(1.0, 3.0, 1.0), 5.0, 1e-12);  // 9 - 4
  EXPECT_EQ(lasting(1.0, 3.0, 1.5), 0.0);           // within two standard errors
  EXPECT_EQ(lasting(2.6, 3.0, 1.0), 0.0);           // no further than the shorter one: the edges of cells
  EXPECT_EQ(lasting(-1.0, 3.0, 1.0), 0.0);          // two directions
}

TEST(Evidence, FamiliesThatLongerWindowsMoveWidenTheAnswerAndKeepTheirWeight) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 1.0), waves = family(FamilyKind::waves, 5.0, 1.0);
  cells.off = waves.off = no_shift;
  cells.windows = WindowShifts{.shorter = {.mean = 0.1, .std_error = 0.2}, .longer = {.mean = 0.3, .std_error = 0.4}};
  waves.windows = WindowShifts{.shorter = {.mean = 0.5, .std_error = 0.1}, .longer = {.mean = 0.7, .std_error = 0.2}};
  const WeighedAnswer answer = weigh({cells, waves}, markov());
  const WeighedFamily& found = *answer.find(FamilyKind::waves);
  EXPECT_NEAR(found.counted(DoubtKind::windows), 0.45, 1e-12);  // 0.49 - 0.04
  EXPECT_DOUBLE_EQ(found.weight, 0.5);
  EXPECT_NEAR(answer.errors.doubts, 0.225, 1e-12);
  EXPECT_NEAR(answer.windows.shorter.mean, 0.3, 1e-12);
  EXPECT_NEAR(answer.windows.longer.std_error, 0.3, 1e-12);
  CrossEvidence far = markov();
  far.logged = 20.0;  // the answer lies below: windows that lift it see less of the effect
  EXPECT_NEAR(weigh({cells, waves}, far).errors.doubts, 0.165, 1e-12);  // the more so the longer: (0.49 - 4 x 0.04) / 2
  waves.windows->longer.mean = 0.55;
  EXPECT_EQ(weigh({cells, waves}, far).errors.doubts, 0.0);
}

// The anchor makes `auto` consistent: with healthy weights, whoever keeps a bias is contradicted.
TEST(Evidence, AHealthyAnchorContradictsABias) {
  CrossEvidence evidence = markov();
  evidence.anchor_ess = 80.0;
  const std::vector<FamilyScores> families{family(FamilyKind::cells, 7.0, 0.5), family(FamilyKind::anchor, 5.0, 2.0)};
  evidence.anchor_healthy = true;
  const WeighedAnswer contradicted = weigh(families, evidence);
  EXPECT_GT(contradicted.weight_of(FamilyKind::anchor), 0.95);
  EXPECT_NEAR(contradicted.value, 5.0, 0.1);
  evidence.anchor_healthy = false;
  const WeighedAnswer alone = weigh(families, evidence);
  EXPECT_EQ(alone.weight_of(FamilyKind::anchor), 0.0);
  EXPECT_EQ(alone.value, 7.0);
  EXPECT_FALSE(alone.find(FamilyKind::anchor)->why_not.empty());
}

TEST(Evidence, AnAnchorThatDiffersByNoiseDoesNotContradict) {
  CrossEvidence evidence = markov();
  evidence.anchor_ess = 80.0;
  evidence.anchor_healthy = true;
  const WeighedAnswer answer =
      weigh({family(FamilyKind::cells, 5.2, 0.5), family(FamilyKind::anchor, 5.0, 2.0)}, evidence);
  EXPECT_GT(answer.weight_of(FamilyKind::cells), 0.95);
}

// With values of actions what the anchor says counts earlier: in the weight beyond twice the noise, in the error beyond
// once. Noise: (1 + 5 / 80) times the variance of the difference, (0.5 - 2)^2 / 101 with scores that go together.
TEST(Evidence, AnAnchorByActionsSpeaksEarlier) {
  CrossEvidence evidence = markov();
  evidence.anchor_ess = 80.0;
  evidence.anchor_healthy = true;
  const std::vector<FamilyScores> families{family(FamilyKind::cells, 5.25, 0.5), family(FamilyKind::anchor, 5.0, 2.0)};
  const auto against = [&](const WeighedAnswer& answer) {
    for (const Doubt& d : answer.find(FamilyKind::cells)->doubts) {
      if (d.kind == DoubtKind::anchor) return d;
    }
    return Doubt{};
  };
  EXPECT_EQ(against(weigh(families, evidence)).squared, 0.0);
  EXPECT_EQ(against(weigh(families, evidence)).counted, 0.0);
  evidence.anchor_by_actions = true;
  const double noise = (1.0 + 5.0 / 80.0) * 2.25 / 101.0;
  EXPECT_NEAR(against(weigh(families, evidence)).squared, 0.0625 - 2.0 * noise, 1e-12);
  EXPECT_NEAR(against(weigh(families, evidence)).counted, 0.0625 - noise, 1e-12);
}

TEST(Evidence, OccupanciesOfCellsSpeakAgainstValuesOfActions) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 1.0), actions = family(FamilyKind::actions, 5.0, 1.0);
  actions.off = no_shift;
  EXPECT_DOUBLE_EQ(weigh({cells, actions}, markov()).weight_of(FamilyKind::actions), 0.5);
  actions.off = PairedShift{.mean = 0.5, .std_error = 0.1, .scores = 50.0};  // 0.25 - 4 * 0.01 beyond the noise
  const WeighedAnswer answer = weigh({cells, actions}, markov());
  EXPECT_NEAR(
      answer.find(FamilyKind::actions)->mean_squared_error() - answer.find(FamilyKind::cells)->mean_squared_error(),
      0.21, 1e-12);
  // They see the state alone: what a memory changes counts against them too.
  CrossEvidence evidence = markov();
  evidence.cells_history.delta = 0.5;
  EXPECT_NEAR(weigh({cells, actions}, evidence).find(FamilyKind::actions)->counted(DoubtKind::history), 0.24, 1e-12);
}

// The waves contradict the cells by 4 - 9 x 0.01 = 3.91. The cells' own error is their variance, 0.25 / 101, so that
// what their occupancies say against others, 0.25 - 4 x 0.01 = 0.21 each, hardly counts.
TEST(Evidence, CellsThatAreContradictedArePoorWitnesses) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 0.5), waves = family(FamilyKind::waves, 5.0, 0.5),
               actions = family(FamilyKind::actions, 5.0, 0.5);
  cells.off = no_shift;
  waves.off = actions.off = PairedShift{.mean = 0.5, .std_error = 0.1, .scores = 50.0};
  const auto squared = [](const WeighedAnswer& answer, FamilyKind kind) {
    for (const Doubt& d : answer.find(kind)->doubts) {
      if (d.kind == DoubtKind::cells) return d.squared;
    }
    return 0.0;
  };
  const WeighedAnswer sound = weigh({cells, waves, actions}, markov());
  EXPECT_NEAR(squared(sound, FamilyKind::waves), 0.21, 1e-12);
  EXPECT_NEAR(squared(sound, FamilyKind::actions), 0.21, 1e-12);
  cells.off = PairedShift{.mean = 2.0, .std_error = 0.1, .scores = 50.0};
  const WeighedAnswer contradicted = weigh({cells, waves, actions}, markov());
  const double own = 0.25 / 101.0, trust = own / (own + 3.91);
  EXPECT_NEAR(squared(contradicted, FamilyKind::waves), 0.21 * trust, 1e-12);
  EXPECT_NEAR(squared(contradicted, FamilyKind::actions), 0.21 * trust, 1e-12);
}

TEST(Evidence, WhatSpeaksAgainstCellsSpeaksAgainstCellsThatRemember) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 0.5), waves = family(FamilyKind::waves, 5.0, 0.5);
  cells.off = PairedShift{.mean = 2.0, .std_error = 0.1, .scores = 50.0};
  waves.off = no_shift;
  CrossEvidence evidence = markov();
  evidence.history = History::mixed;
  const WeighedAnswer answer = weigh({cells, waves, family(FamilyKind::lags, 5.0, 0.5)}, evidence);
  EXPECT_NEAR(answer.find(FamilyKind::lags)->mean_squared_error(), answer.find(FamilyKind::cells)->mean_squared_error(),
              1e-12);
  EXPECT_GT(answer.weight_of(FamilyKind::waves), 0.99);
}

TEST(Evidence, CellsAndWavesContradictEachOther) {
  FamilyScores cells = family(FamilyKind::cells, 5.0, 0.5), waves = family(FamilyKind::waves, 7.0, 0.5);
  // Occupancies of waves move the cells far, those of cells hardly move the waves: the cells are wrong.
  cells.off = PairedShift{.mean = 2.0, .std_error = 0.1, .scores = 50.0};
  waves.off = PairedShift{.mean = 0.1, .std_error = 0.1, .scores = 50.0};
  EXPECT_GT(weigh({cells, waves}, markov()).weight_of(FamilyKind::waves), 0.99);
  // The other way round the waves take no part.
  std::swap(cells.off, waves.off);
  const WeighedAnswer without = weigh({cells, waves}, markov());
  EXPECT_EQ(without.weight_of(FamilyKind::waves), 0.0);
  EXPECT_FALSE(without.find(FamilyKind::waves)->admitted);
}

TEST(Evidence, TracesTakePartWhereASecondRatioMovesTheCellsAndNotThem) {
  const std::vector<FamilyScores> families{family(FamilyKind::cells, 5.0, 0.5), family(FamilyKind::traces, 7.0, 0.5)};
  CrossEvidence evidence = markov();
  evidence.cells_history.delta = 0.8;
  WeighedAnswer answer = weigh(families, evidence);
  EXPECT_GT(answer.weight_of(FamilyKind::traces), 0.95);
  // Where it moves the traces instead, the difference is theirs.
  evidence = markov();
  evidence.traces_history->delta = 0.8;
  answer = weigh(families, evidence);
  EXPECT_EQ(answer.weight_of(FamilyKind::traces), 0.0);
}

TEST(Evidence, OfHistoryCanBeOverruled) {
  const std::vector<FamilyScores> families{family(FamilyKind::cells, 5.0, 0.5), family(FamilyKind::traces, 5.0, 0.5)};
  CrossEvidence evidence = markov();
  EXPECT_EQ(weigh(families, evidence).weight_of(FamilyKind::traces), 0.0);
  evidence.history = History::mixed;
  EXPECT_EQ(weigh(families, evidence).weight_of(FamilyKind::traces), 0.5);
  evidence.history = History::on;
  const WeighedAnswer answer = weigh(families, evidence);
  EXPECT_EQ(answer.weight_of(FamilyKind::traces), 1.0);
  EXPECT_EQ(answer.remembering(), 1.0);
}

// Which way the answer would move if the state hid something: towards the traces, or as the second ratio does.
TEST(Evidence, SaysWhatAMemoryWouldChange) {
  CrossEvidence evidence = markov();
  evidence.cells_history.delta = 0.5;
  const WeighedAnswer by_ratio = weigh({family(FamilyKind::cells, 5.0, 0.5)}, evidence);
  EXPECT_NEAR(by_ratio.hidden_history, 0.24, 1e-12);
  EXPECT_NEAR(by_ratio.hidden_shift, 0.5, 1e-12);
  // The traces lie 0.9 below and are not moved; variances of both 0.25 / 101, of the difference 0 (equal spreads).
  evidence.cells_history.delta = 0.2;
  evidence.traces_history->delta = 0.0;
  FamilyScores traces = family(FamilyKind::traces, 4.1, 0.5);
  traces.halves.assign(4, {4.1, 5.1});  // too unsure to be needed: ((0 - 1) / 2)^2 = 0.25 > 0.81 / 4
  const WeighedAnswer by_traces = weigh({family(FamilyKind::cells, 5.0, 0.5), traces}, evidence);
  EXPECT_EQ(by_traces.remembering(), 0.0);
  EXPECT_NEAR(by_traces.hidden_history, 0.81 - 0.25, 1e-12);
  EXPECT_NEAR(by_traces.hidden_shift, -0.9, 1e-12);
}

TEST(Evidence, ASecondRatioThatMovesTheAnswerWidensIt) {
  CrossEvidence evidence = markov();
  const double before = weigh({family(FamilyKind::cells, 5.0, 0.5)}, evidence).errors.total();
  evidence.cells_history.delta = 0.5;  // standard error 0.1: 0.5^2 - 0.1^2 is not noise
  const WeighedAnswer after = weigh({family(FamilyKind::cells, 5.0, 0.5)}, evidence);
  EXPECT_NEAR(after.errors.total() - before, 0.24, 1e-12);
}

TEST(Evidence, IsDefinedWhereAllScoresAreTheSame) {
  FamilyScores cells = family(FamilyKind::cells, 3.0, 0.0), waves = family(FamilyKind::waves, 3.0, 0.0);
  cells.off = waves.off = PairedShift{};
  const WeighedAnswer answer = weigh({cells, waves}, markov());
  EXPECT_EQ(answer.value, 3.0);
  EXPECT_EQ(answer.errors.total(), 0.0);
}

}  // namespace
}  // namespace starope
