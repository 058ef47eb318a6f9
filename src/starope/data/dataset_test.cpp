#include "starope/data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace starope {
namespace {

using ::testing::HasSubstr;

// Two episodes of two steps and one step.
Columns small() {
  Columns c;
  c.offsets = {0, 2, 3};
  c.episode_ids = std::vector<std::string>{"anna", "bert"};
  c.states = DenseStates{.dimension = 2, .values = {1, 2, 3, 4, 5, 6}, .names = {"hr", "bp"}};
  c.actions = DiscreteActions{.id = {0, 1, 0}, .count = 2};
  c.rewards = {1.0, 0.5, -1.0};
  c.behavior = LoggedProbabilities{.values = {0.5, 0.25, 1.0}};
  c.target = LoggedProbabilities{.values = {0.5, 0.0, 1.0}};
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated};
  return c;
}

// The same column with another value at one place.
template <class T>
Column<T> with_value(const Column<T>& column, std::size_t place, T value) {
  std::vector<T> values = column.to_vector();
  values[place] = value;
  return values;
}

template <class T>
Column<T> without_last(const Column<T>& column) {
  return column.slice(0, column.size() - 1);
}

std::string error_of(const std::function<void(Columns&)>& spoil) {
  Columns c = small();
  spoil(c);
  try {
    const Dataset data(std::move(c));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Dataset, KnowsItsEpisodes) {
  const Dataset data(small());
  EXPECT_EQ(data.episodes(), 2);
  EXPECT_EQ(data.steps(), 3);
  EXPECT_EQ(data.length(0), 2);
  EXPECT_EQ(data.longest(), 2);
  EXPECT_EQ(data.truncated_episodes(), 1);
  EXPECT_EQ(data.episode_name(1), "bert");
  EXPECT_EQ(data.final_row(0), std::nullopt);
}

TEST(Dataset, FindsFinalStatesBehindTheSteps) {
  Columns c = small();
  c.has_final_state = {false, true};
  c.states = DenseStates{.dimension = 1, .values = {1, 2, 3, 99}};
  const Dataset data(std::move(c));
  EXPECT_EQ(data.final_row(0), std::nullopt);
  EXPECT_EQ(data.final_row(1), 3);
  EXPECT_EQ(data.state_rows(), 4);
}

TEST(Dataset, CopiesShareTheColumns) {
  const Dataset a(small());
  const Dataset b = a;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
  EXPECT_EQ(a.rewards().data(), b.rewards().data());
}

TEST(Dataset, RefusesRewardsThatAreNoNumbers) {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::string message = error_of([bad](Columns& c) { c.rewards = with_value(c.rewards, 1, bad); });
    EXPECT_THAT(message, HasSubstr("episode anna, step 1, column 'reward'"));
    EXPECT_THAT(message, HasSubstr("finite"));
  }
}

TEST(Dataset, RefusesStatesThatAreNoNumbersAndNamesTheFeature) {
  const std::string message =
      error_of([](Columns& c) { std::get<DenseStates>(c.states).values = {1, 2, 3, 4, 5, std::nan("")}; });
  EXPECT_THAT(message, HasSubstr("episode bert, step 0, column 'bp'"));
}

TEST(Dataset, KeepsFloatsAndRefusesThoseThatAreNoNumbers) {
  const auto states = [](float last) {
    return DenseStates{.dimension = 2, .values = std::vector<float>{1, 2, 3, 4, 5, last}, .names = {"hr", "bp"}};
  };
  Columns c = small();
  c.states = states(0.1F);
  const Dataset data(std::move(c));
  const auto& kept = std::get<DenseStates>(data.states());
  ASSERT_NE(kept.values.floats(), nullptr);
  std::vector<double> scratch;
  EXPECT_EQ(kept.row(2, scratch)[1], static_cast<double>(0.1F));
  for (const float bad : {std::nanf(""), HUGE_VALF}) {
    EXPECT_THAT(error_of([&](Columns& columns) { columns.states = states(bad); }),
                HasSubstr("episode bert, step 0, column 'bp'"));
  }
}

TEST(Dataset, RefusesImpossibleProbabilities) {
  EXPECT_THAT(error_of([](Columns& c) { c.behavior->values = with_value(c.behavior->values, 0, 0.0); }),
              HasSubstr("could not take the action it took"));
  EXPECT_THAT(error_of([](Columns& c) { c.behavior->values = with_value(c.behavior->values, 0, 1.00001); }),
              HasSubstr("'1.00001' is not a probability: it must be in (0, 1]"));
  // A probability of 1 that went through single precision.
  EXPECT_EQ(error_of([](Columns& c) { c.behavior->values = with_value(c.behavior->values, 0, 1.0000002); }),
            "no error");
  EXPECT_THAT(error_of([](Columns& c) { c.behavior->values = with_value(c.behavior->values, 0, -0.1); }),
              HasSubstr("(0, 1]"));
  EXPECT_THAT(error_of([](Columns& c) { c.target->values = with_value(c.target->values, 0, -0.1); }),
              HasSubstr("[0, 1]"));
  EXPECT_THAT(error_of([](Columns& c) { c.target->values = with_value(c.target->values, 0, std::nan("")); }),
              HasSubstr("target_prob"));
  EXPECT_EQ(error_of([](Columns& c) { c.target->values = with_value(c.target->values, 0, 0.0); }), "no error");
}

TEST(Dataset, KnowsLogarithmsAndDensities) {
  const auto log = LoggedProbabilities::Scale::logarithm;
  EXPECT_EQ(error_of([&](Columns& c) {
              c.behavior = LoggedProbabilities{.values = {-0.7, -2, 0}, .scale = log};
            }),
            "no error");
  EXPECT_THAT(error_of([&](Columns& c) {
                c.behavior = LoggedProbabilities{.values = {0.7, -2, 0}, .scale = log};
              }),
              HasSubstr("behavior_prob"));
  EXPECT_THAT(error_of([&](Columns& c) {
                c.behavior = LoggedProbabilities{.values = {-HUGE_VAL, -2, 0}, .scale = log};
              }),
              HasSubstr("could not take"));
  EXPECT_EQ(error_of([&](Columns& c) {
              c.target = LoggedProbabilities{.values = {-HUGE_VAL, -2, 0}, .scale = log};
            }),
            "no error");
  EXPECT_EQ(error_of([&](Columns& c) {
              c.behavior = LoggedProbabilities{.values = {7.5, 2, 1}, .density = true};
            }),
            "no error");
}

TEST(Dataset, RefusesActionsOutsideTheirRange) {
  EXPECT_THAT(error_of([](Columns& c) {
                std::get<DiscreteActions>(c.actions).id = {0, 1, 2};
              }),
              HasSubstr("'2' is not one of the 2 actions 0..1"));
  EXPECT_THAT(error_of([](Columns& c) { std::get<DiscreteActions>(c.actions).id = {0, 1, -1}; }), HasSubstr("bert"));
}

TEST(Dataset, ComparesFullDistributionsWithTheLoggedProbability) {
  EXPECT_EQ(error_of([](Columns& c) {
              c.behavior_distribution = ActionProbabilities{.actions = 2, .values = {.5, .5, .75, .25, 1, 0}};
            }),
            "no error");
  EXPECT_THAT(error_of([](Columns& c) {
                c.behavior_distribution = ActionProbabilities{.actions = 2, .values = {.5, .6, .75, .25, 1, 0}};
              }),
              HasSubstr("sum"));
  EXPECT_THAT(error_of([](Columns& c) {
                c.behavior_distribution = ActionProbabilities{.actions = 2, .values = {.5, .5, .25, .75, 1, 0}};
              }),
              HasSubstr("contradicts behavior_probs_1 = 0.75"));
  EXPECT_THAT(error_of([](Columns& c) {
                c.target_distribution = ActionProbabilities{.actions = 2, .values = {.5, .5, 1, 0, 1.5, -.5}};
              }),
              HasSubstr("target_probs_0"));
}

TEST(Dataset, UsesTheSourcesOwnLocations) {
  Columns c = small();
  c.rewards = with_value(c.rewards, 2, std::nan(""));
  try {
    const Dataset data(std::move(c), [](std::int64_t row) {
      return DataLocation{.file = "a.csv", .row = row + 2, .episode = {}, .step = {}, .column = {}};
    });
    FAIL();
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.csv, row 4, column 'reward'"));
  }
}

TEST(Dataset, RefusesColumnsThatDoNotFitTogether) {
  const auto spoil = [](const std::function<void(Columns&)>& change) {
    Columns c = small();
    change(c);
    return Dataset(std::move(c));
  };
  EXPECT_THROW(spoil([](Columns& c) { c.rewards = without_last(c.rewards); }), InvalidArgument);
  EXPECT_THROW(spoil([](Columns& c) { c.ends = without_last(c.ends); }), InvalidArgument);
  EXPECT_THROW(spoil([](Columns& c) { c.offsets = {0, 2, 2, 3}; }), InvalidArgument);
  EXPECT_THROW(spoil([](Columns& c) { std::get<DenseStates>(c.states).values = {1, 2, 3, 4, 5}; }), InvalidArgument);
  EXPECT_THROW(spoil([](Columns& c) { c.offsets = {0}; }), DataError);
  for (const std::int32_t code : {-1, 2}) {
    EXPECT_THROW(spoil([code](Columns& c) {
                   c.states = DiscreteStates{.code = {0, 1, code}, .ids = {7, 9}};
                 }),
                 InvalidArgument);
  }
}

TEST(DiscreteStates, AnyIdsBecomeDenseCodes) {
  const std::vector<std::int64_t> ids{700, -3, 700, std::numeric_limits<std::int64_t>::max()};
  const DiscreteStates states = make_discrete_states(ids);
  EXPECT_EQ(states.ids, (std::vector<std::int64_t>{-3, 700, std::numeric_limits<std::int64_t>::max()}));
  EXPECT_EQ(states.code, (std::vector<std::int32_t>{1, 0, 1, 2}));
}

TEST(DiscreteStates, NearIdsAndFarIdsAreCodedAlike) {
  for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1'000'000'007}}) {
    for (const std::int64_t start : {std::int64_t{0}, std::int64_t{-5}, std::numeric_limits<std::int64_t>::min()}) {
      std::vector<std::int64_t> ids;
      for (const std::int64_t k : {4, 0, 2, 4, 1, 0}) ids.push_back(start + k * stride);
      const DiscreteStates states = make_discrete_states(ids);
      EXPECT_EQ(states.code, (std::vector<std::int32_t>{3, 0, 2, 3, 1, 0})) << start << " " << stride;
      EXPECT_EQ(states.ids, (std::vector<std::int64_t>{start, start + stride, start + 2 * stride, start + 4 * stride}));
    }
  }
  EXPECT_EQ(make_discrete_states({}), DiscreteStates{});
}

TEST(States, BitsAndBack) {
  std::vector<double> values(130, 0.0);
  values[3] = values[64] = values[129] = 1.0;
  const DenseStates dense{.dimension = 65, .values = std::vector(values)};
  const DenseStates single{.dimension = 65, .values = std::vector<float>(values.begin(), values.end())};
  const auto bits = to_bits(dense);
  ASSERT_TRUE(bits);
  EXPECT_EQ(bits->words, (std::vector<std::uint64_t>{8, 1, 0, 1}));
  EXPECT_EQ(to_dense(*bits), dense);
  EXPECT_EQ(to_bits(single), bits);
  values[100] = 0.5;
  EXPECT_FALSE(to_bits({.dimension = 65, .values = std::vector(values)}));
  EXPECT_FALSE(to_bits({.dimension = 65, .values = std::vector<float>(values.begin(), values.end())}));
}

}  // namespace
}  // namespace starope
