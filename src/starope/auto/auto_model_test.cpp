#include "starope/auto/auto_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "starope/auto/action_logs.hpp"
#include "starope/auto/families.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/fold/fold.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

struct Fit {
  explicit Fit(const Problem& logs, History history = History::on)
      : families(fit_families(logs, {.seeds = 2, .history = history, .keep_models = true})),
        answer(weigh(families.scores, families.evidence)) {
    // Every family takes part.
    for (WeighedFamily& family : answer.families) family.weight = 1.0 / static_cast<double>(answer.families.size());
  }
  AutoModel model() const {
    return AutoModel(*families.models, answer,
                     {.episodes = families.problem.episodes(), .steps = families.problem.steps()});
  }
  const std::vector<double>& scores(FamilyKind kind) const {
    for (const FamilyScores& family : families.scores) {
      if (family.kind == kind) return family.scores;
    }
    throw InvalidArgument("no such family");
  }

  FittedFamilies families;
  WeighedAnswer answer;
};

Problem logs(std::int64_t dimension, std::int64_t ids = 0, double gamma = 0.95, std::int64_t horizon = 8) {
  return testing::random_problem({.episodes = 90,
                                  .discrete_states = ids,
                                  .dimension = dimension,
                                  .zero_target = 0.03,
                                  .truncated = 0.4,
                                  .final_states = 0.6},
                                 Seed{7}, {.discount = Discount{gamma}, .horizon = Horizon{horizon}});
}

Problem logs_with_actions(std::int64_t dimension, std::int64_t ids = 0) {
  return testing::with_all_actions(logs(dimension, ids));
}

AutoSums sums_of(const AutoModel& model, const Problem& problem) {
  AutoSums sums = model.identity();
  model.add_block(sums, problem);
  return sums;
}

// On the episodes of the fit the model says what the fit says, family by family.
TEST(AutoModel, ScoresTheEpisodesOfItsFitAsTheFitDid) {
  for (const Problem& problem : {logs(2), logs(9), logs(2, 12), logs(2, 0, 1.0, 3), logs(2, 0, 1.0, 2),
                                 logs_with_actions(2), logs_with_actions(2, 12)}) {
    const Fit fit(problem);
    const AutoModel model = fit.model();
    ASSERT_EQ(model.parts().size(), fit.families.scores.size());
    const AutoScores found = model.score(fit.families.problem, sums_of(model, fit.families.problem));
    for (std::size_t f = 0; f < model.parts().size(); ++f) {
      const std::vector<double>& expected = fit.scores(model.parts()[f].family);
      const double size = std::abs(moments(expected).mean()) + std::sqrt(moments(expected).variance());
      ASSERT_EQ(found.families[f].size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found.families[f][i], expected[i], 1e-6 * size) << name_of(model.parts()[f].family) << ' ' << i;
    }
    for (std::size_t i = 0; i < found.mixed.size(); ++i) {
      double mean = 0.0;
      for (const auto& family : found.families) mean += family[i] / static_cast<double>(found.families.size());
      EXPECT_NEAR(found.mixed[i], mean, 1e-9 * (1.0 + std::abs(mean)));
    }
  }
}

// Parts of the logs, scored one after the other, have the scores that they have among all of them; the sums that
// normalize the weights merge.
TEST(AutoModel, ScoresAnyBlockOfEpisodes) {
  for (const Problem& problem : {logs(9), logs(2, 12), logs_with_actions(2), logs_with_actions(2, 12)}) {
    const Fit fit(problem);
    const AutoModel model = fit.model();
    const Dataset& data = problem.data();
    const Source source = dataset_source(data, 60);
    const AutoSums sums = fold(model, source, model.question(), Threads{1});
    EXPECT_EQ(fold(model, source, model.question(), Threads{3}), sums);
    const AutoScores whole = model.score(fit.families.problem, sums);
    std::vector<double> parts;
    for_each_block(
        source, model.question(), Threads{2}, [&](const Problem& block) { return model.score(block, sums).mixed; },
        [&](const std::vector<double>& mixed) { parts.insert(parts.end(), mixed.begin(), mixed.end()); });
    ASSERT_EQ(parts.size(), whole.mixed.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      EXPECT_NEAR(parts[i], whole.mixed[i], 1e-10 * (1.0 + std::abs(whole.mixed[i]))) << i;
  }
}

TEST(AutoModel, IsAValueWithBytes) {
  for (const Problem& problem : {logs(9), logs(2, 12), logs_with_actions(2), logs_with_actions(2, 12)}) {
    const Fit fit(problem);
    const AutoModel model = fit.model();
    const Bytes bytes = model.to_bytes();
    const AutoModel again = AutoModel::from_bytes(bytes);
    EXPECT_EQ(again, model);
    EXPECT_EQ(again.to_bytes(), bytes);
    EXPECT_EQ(again.fingerprint(), model.fingerprint());
    const AutoSums sums = sums_of(model, fit.families.problem);
    EXPECT_EQ(AutoSums::from_bytes(sums.to_bytes()), sums);
    EXPECT_EQ(again.score(fit.families.problem, AutoSums::from_bytes(sums.to_bytes())).mixed,
              model.score(fit.families.problem, sums).mixed);
  }
}

TEST(AutoModel, RefusesBytesThatAreNotItsOwn) {
  const Fit fit(logs(2));
  const AutoModel model = fit.model();
  const Bytes bytes = model.to_bytes();
  for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 200) {
    Bytes bad = bytes;
    bad[i] ^= static_cast<std::byte>(1U << (i % 8));
    EXPECT_THROW(AutoModel::from_bytes(bad), DataError) << i;
    EXPECT_THROW(AutoModel::from_bytes(std::span(bytes).first(i)), DataError) << i;
  }
  // The right envelope around something cut off, and around numbers that do not fit together: none is followed.
  ByteWriter content;
  model.write(content);
  for (std::size_t kept = 0; kept < content.bytes().size(); kept += 1 + content.bytes().size() / 97) {
    const auto part = std::span(content.bytes()).first(kept);
    EXPECT_THROW(AutoModel::from_bytes(seal(AutoModel::kind, AutoModel::version, part)), DataError) << kept;
  }
  std::size_t refused = 0;
  for (std::size_t i = 0; i < content.bytes().size(); i += 1 + content.bytes().size() / 400) {
    Bytes wrong = content.bytes();
    wrong[i] ^= std::byte{0x7f};
    try {
      AutoModel::from_bytes(seal(AutoModel::kind, AutoModel::version, wrong));  // another number may be as good
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_THROW(AutoModel::from_bytes(sums_of(model, fit.families.problem).to_bytes()), DataError);
}

TEST(AutoModel, RefusesStrangers) {
  const Problem problem = logs(2);
  const Fit fit(problem);
  const AutoModel model = fit.model();
  const AutoSums sums = sums_of(model, fit.families.problem);
  // Another question, states of another kind, sums of another model.
  EXPECT_THROW(model.score(problem.with_horizon(Horizon{4}), sums), InvalidArgument);
  EXPECT_THROW(model.score(logs(3).with(model.question()), sums), InvalidArgument);
  EXPECT_THROW(model.score(logs(2, 12).with(model.question()), sums), InvalidArgument);
  const Fit other(logs(2), History::off);
  const AutoModel another = other.model();
  EXPECT_NE(another.fingerprint(), model.fingerprint());
  EXPECT_THROW(another.score(other.families.problem, sums), InvalidArgument);
  AutoSums mine = sums;
  EXPECT_THROW(mine += another.identity(), InvalidArgument);
  EXPECT_EQ(mine, sums);
}

// Values of actions need whole distributions in every block.
TEST(AutoModel, WithValuesOfActionsRefusesBlocksWithoutDistributions) {
  const Fit fit(logs_with_actions(2));
  const AutoModel model = fit.model();
  const AutoSums sums = sums_of(model, fit.families.problem);
  EXPECT_THROW(model.score(logs(2).with(model.question()), sums), InvalidArgument);
  AutoSums mine = model.identity();
  EXPECT_THROW(model.add_block(mine, logs(2).with(model.question())), InvalidArgument);
}

TEST(AutoModel, WithValuesOfActionsRefusesBytesThatDoNotFit) {
  const Fit fit(logs_with_actions(2));
  ByteWriter content;
  fit.model().write(content);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < content.bytes().size(); i += 1 + content.bytes().size() / 300) {
    const auto part = std::span(content.bytes()).first(i);
    EXPECT_THROW(AutoModel::from_bytes(seal(AutoModel::kind, AutoModel::version, part)), DataError) << i;
    Bytes wrong = content.bytes();
    wrong[i] ^= std::byte{0x7f};
    try {
      AutoModel::from_bytes(seal(AutoModel::kind, AutoModel::version, wrong));  // another number may be as good
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(AutoModel, KeepsNothingOfFamiliesWithoutAWeight) {
  Fit fit(logs(2));
  const std::size_t all = fit.model().to_bytes().size();
  for (WeighedFamily& family : fit.answer.families) family.weight = family.kind == FamilyKind::cells ? 1.0 : 0.0;
  const AutoModel model = fit.model();
  EXPECT_FALSE(model.needs_sums());
  ASSERT_EQ(model.parts().size(), 1u);
  EXPECT_LT(model.to_bytes().size(), all);
  const AutoScores found = model.score(fit.families.problem, model.identity());
  const std::vector<double>& expected = fit.scores(FamilyKind::cells);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(found.mixed[i], expected[i], 1e-6 * (1.0 + std::abs(expected[i])));
}

}  // namespace
}  // namespace starope
