// States in single precision are the same numbers as those numbers in double precision: whoever looks at them answers
// to the bit alike.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "starope/data/random_logs.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/inspect.hpp"
#include "starope/phi.hpp"

namespace starope {
namespace {

const DenseStates& features(const Dataset& data) {
  return std::get<DenseStates>(data.states());
}

Dataset with_states(const Dataset& data, RealColumn values) {
  Columns columns = data.columns();
  columns.states = DenseStates{.dimension = features(data).dimension, .values = std::move(values)};
  return Dataset(std::move(columns));
}

Dataset widened(const Dataset& data) {
  return with_states(data, features(data).values.widened());
}

// A policy that looks at the state.
Problem question(const Dataset& data) {
  const auto policy = [](const StateView& state, std::span<double> p) {
    p[0] = state.features[0] > 0.5 ? 0.6 : 0.2;
    for (std::size_t a = 1; a < p.size(); ++a) p[a] = (1.0 - p[0]) / static_cast<double>(p.size() - 1);
  };
  return make_problem(data, policy, {.discount = Discount{0.95}, .horizon = Horizon{6}});
}

Dataset normal_floats(std::uint64_t seed) {
  return testing::random_logs({.episodes = 150, .single_precision = true, .truncated = 0.4, .final_states = 0.5},
                              Seed{seed});
}

// Twenty columns of zeros and ones: pixels.
Dataset pixel_floats(std::uint64_t seed) {
  const Dataset data = testing::random_logs({.episodes = 60, .dimension = 20, .final_states = 0.5}, Seed{seed});
  std::vector<float> bits;
  const Column<double> values = features(data).values.widened();
  for (const double x : values) bits.push_back(x > 0.3 ? 1.0F : 0.0F);
  return with_states(data, std::move(bits));
}

void expect_same_answers(const Dataset& floats, const std::vector<std::string>& lists) {
  ASSERT_NE(features(floats).values.floats(), nullptr);
  const Dataset doubles = widened(floats);
  ASSERT_NE(features(doubles).values.doubles(), nullptr);
  const Problem single = question(floats), twice = question(doubles);
  const auto requested = request_estimators(expand_all(lists, &single), {}, Seed{3});
  const EvaluateOptions options{.details = true, .influence = true};
  const Evaluation a = evaluate(single, requested, options), b = evaluate(twice, requested, options);
  ASSERT_EQ(a.estimates.size(), b.estimates.size());
  for (std::size_t i = 0; i < a.estimates.size(); ++i) {
    const auto* x = std::get_if<Estimate>(&a.estimates[i].result);
    const auto* y = std::get_if<Estimate>(&b.estimates[i].result);
    ASSERT_TRUE(x != nullptr && y != nullptr) << a.estimates[i].estimator;
    EXPECT_EQ(x->value, y->value) << a.estimates[i].estimator;
    EXPECT_EQ(x->std_error, y->std_error) << a.estimates[i].estimator;
    EXPECT_EQ(x->influence, y->influence) << a.estimates[i].estimator;
  }
  EXPECT_EQ(to_json(a), to_json(b));  // findings, and the processes behind the answers
  EXPECT_EQ(to_json(inspect(floats)), to_json(inspect(doubles)));
}

TEST(PrecisionLaws, EveryEstimatorAnswersTheSameOnFloats) {
  for (const std::uint64_t seed : {1u, 2u}) {
    expect_same_answers(normal_floats(seed), {"all", "star(phi=grid)", "star(clusters=5,scale=none)",
                                              "star(phi=random)", "star(phi=value,clusters=4)"});
  }
}

TEST(PrecisionLaws, PixelsThatAreFloatsArePixels) {
  expect_same_answers(pixel_floats(3), {"auto", "star(clusters=5)", "star(phi=identity)"});
}

// An abstraction fitted to the ones is that of the others, and labels either.
TEST(PrecisionLaws, AbstractionsAreTheSameAndLabelBoth) {
  const Dataset floats = normal_floats(4), doubles = widened(floats);
  const CentroidTable table{.dimension = 2, .values = {0.1, 0.2, -0.3, 0.1, 0.7, -0.9}};
  for (const AbstractionRecipe& recipe : std::vector<AbstractionRecipe>{
           Identity{}, Grid{.bins = 3}, Clusters{.clusters = 7}, RandomCentroids{.clusters = 5}, table}) {
    const FittedAbstraction a = fit_abstraction(recipe, question(floats)),
                            b = fit_abstraction(recipe, question(doubles));
    ASSERT_TRUE(a.phi && b.phi) << recipe.index();
    EXPECT_EQ(a.phi->fingerprint(), b.phi->fingerprint()) << recipe.index();
    EXPECT_EQ(a.labels, b.labels) << recipe.index();
    EXPECT_EQ(a.phi->label(doubles), b.phi->label(floats)) << recipe.index();
  }
}

// Blocks of floats stay floats, and share the memory of the whole where no final state stands behind.
TEST(PrecisionLaws, PartsOfFloatsAreFloats) {
  const Dataset data = testing::random_logs({.episodes = 20, .single_precision = true}, Seed{5});
  const Dataset part = data.take(4, 9);
  ASSERT_NE(features(part).values.floats(), nullptr);
  EXPECT_EQ(features(part).values.floats()->data(), features(data).values.floats()->data() + 2 * data.first_step(4));
}

}  // namespace
}  // namespace starope
