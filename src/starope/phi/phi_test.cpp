#include "starope/phi/phi.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "starope/base/bytes.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/phi.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using testing::discrete_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::problem_of;

// Every recipe on every kind of states that it can be fitted to.
struct Case {
  std::string name;
  AbstractionRecipe recipe;
  Problem problem;
};

std::vector<Case> all_cases() {
  const Problem dense = testing::random_problem({.dimension = 2, .truncated = 0.6, .final_states = 0.8}, Seed{1},
                                                {.horizon = Horizon{5}});
  const Problem ids = testing::random_problem({.discrete_states = 9, .truncated = 0.6, .final_states = 0.8}, Seed{2});
  const Problem bits = problem_of(testing::random_bits_states(80, 70, 0.3, 3), {50, 30});
  std::vector<Case> cases;
  const auto add = [&](const char* kind, const AbstractionRecipe& recipe, const Problem& problem) {
    cases.push_back({.name = fmt::format("{} of {}", describe(recipe), kind), .recipe = recipe, .problem = problem});
  };
  for (const AbstractionRecipe& recipe : std::vector<AbstractionRecipe>{
           One{}, Time{}, Identity{}, Clusters{.clusters = 5}, RandomCentroids{.clusters = 4}}) {
    add("numbers", recipe, dense);
    add("ids", recipe, ids);
    add("bits", recipe, bits);
  }
  add("numbers", Grid{.bins = 3}, dense);
  add("numbers", Clusters{.clusters = 6, .scale = FeatureScale::none}, dense);
  add("numbers", CentroidTable{.dimension = 2, .values = {0, 0, 1, 1, -1, 2}}, dense);
  add("ids", LookupTable{.state = {0, 1, 2, 3, 4, 5, 6, 7, 8}, .z = {0, 0, 1, 1, 2, 2, 3, 3, 5}}, ids);
  return cases;
}

TEST(Phi, LabelsTheLogsOfItsFitAsTheFitDid) {
  for (const Case& c : all_cases()) {
    const FittedAbstraction fit = fit_abstraction(c.recipe, c.problem);
    EXPECT_EQ(fit.phi->label(c.problem.data(), Threads{2}), fit.labels) << c.name;
    EXPECT_EQ(fit.phi->cells(), fit.labels.cells) << c.name;
    EXPECT_EQ(fit.labels.phi, fit.phi->fingerprint()) << c.name;
  }
}

TEST(Phi, ComesBackFromItsBytes) {
  for (const Case& c : all_cases()) {
    const Phi phi = *fit_abstraction(c.recipe, c.problem).phi;
    for (const Phi& one : {phi, phi.with_elsewhere()}) {
      const Phi back = Phi::from_bytes(one.to_bytes());
      EXPECT_EQ(back, one) << c.name;
      EXPECT_EQ(back.fingerprint(), one.fingerprint()) << c.name;
      EXPECT_EQ(back.label(c.problem.data()), one.label(c.problem.data())) << c.name;
    }
  }
}

TEST(Phi, EqualFingerprintsAreEqualAbstractions) {
  const std::vector<Case> cases = all_cases();
  for (std::size_t a = 0; a < cases.size(); ++a) {
    for (std::size_t b = 0; b < cases.size(); ++b) {
      const Phi left = *fit_abstraction(cases[a].recipe, cases[a].problem).phi;
      const Phi right = *fit_abstraction(cases[b].recipe, cases[b].problem).phi;
      EXPECT_EQ(left.fingerprint() == right.fingerprint(), left == right) << cases[a].name << ", " << cases[b].name;
    }
  }
  const Phi phi = *fit_abstraction(cases[0].recipe, cases[0].problem).phi;
  EXPECT_NE(phi.fingerprint(), phi.with_elsewhere().fingerprint());
}

// Two k-means of equal size from different seeds: the strangers that a count of cells cannot tell apart.
TEST(Phi, FitsOfOtherSeedsHaveOtherFingerprints) {
  const Problem problem = testing::random_problem({.episodes = 60, .dimension = 2}, Seed{5});
  const Phi a = *fit_abstraction(Clusters{.clusters = 8, .seed = Seed{1}}, problem).phi;
  const Phi b = *fit_abstraction(Clusters{.clusters = 8, .seed = Seed{2}}, problem).phi;
  EXPECT_EQ(a.cells(), b.cells());
  EXPECT_NE(a.fingerprint(), b.fingerprint());
}

TEST(Phi, LabelsOtherLogsByTheSameRule) {
  const Phi ids = *fit_abstraction(Identity{}, discrete_problem({30, 10, 20}, {3})).phi;
  // In these logs the codes are others: 10 is code 0, and 30 is code 1.
  EXPECT_THAT(ids.label(discrete_problem({30, 10, 10}, {3}).data()).of_row, ElementsAre(2, 0, 0));
  const Phi grid = *fit_abstraction(Grid{.bins = 2}, dense_problem(1, {0.0, 1.0, 10.0}, {3})).phi;
  EXPECT_THAT(grid.label(dense_problem(1, {4.0, 6.0, -5.0, 99.0}, {4}).data()).of_row, ElementsAre(0, 1, 0, 1));
  const Phi centroids =
      *fit_abstraction(CentroidTable{.dimension = 1, .values = {0, 10}}, dense_problem(1, {1.0}, {1})).phi;
  EXPECT_THAT(centroids.label(dense_problem(1, {4.0, 6.0}, {2}).data()).of_row, ElementsAre(0, 1));
}

TEST(Phi, StatesItHasNotMetAreErrorsOrElsewhere) {
  struct Stranger {
    Phi phi;
    Problem logs;
    const char* value;
  };
  const std::vector<Stranger> strangers{
      {*fit_abstraction(Identity{}, discrete_problem({1, 2}, {2})).phi, discrete_problem({2, 7}, {2}), "'7'"},
      {*fit_abstraction(Identity{}, dense_problem(1, {1.0, 2.0}, {2})).phi, dense_problem(1, {1.0, 1.5}, {2}), "'1.5'"},
      {*fit_abstraction(Grid{.bins = 4}, dense_problem(1, {0.0, 8.0}, {2})).phi, dense_problem(1, {0.0, 3.0}, {2}),
       "'3'"},
      {*fit_abstraction(Time{}, discrete_problem({0}, {1})).phi, discrete_problem({0, 0}, {2}), "'1'"}};
  for (const Stranger& s : strangers) {
    const Dataset& data = s.logs.data();
    try {
      s.phi.label(data);
      ADD_FAILURE() << s.value << " was labeled";
    } catch (const DataError& error) {
      EXPECT_EQ(error.code(), "unknown_state");
      EXPECT_THAT(error.what(), HasSubstr(s.value));
      EXPECT_THAT(error.what(), HasSubstr("step 1"));
    }
    const Phi wider = s.phi.with_elsewhere();
    EXPECT_EQ(wider.cells(), s.phi.cells() + 1);
    EXPECT_EQ(wider.label(data).of_row.back(), s.phi.cells());
    EXPECT_LT(wider.label(data).of_row.front(), s.phi.cells());
  }
}

TEST(Phi, RefusesLogsOfAnotherShape) {
  const Phi two = *fit_abstraction(Clusters{.clusters = 2}, dense_problem(2, {0, 0, 1, 1, 5, 5}, {3})).phi;
  EXPECT_THROW(two.label(dense_problem(1, {1.0}, {1}).data()), InvalidArgument);
  EXPECT_THROW(two.label(discrete_problem({1}, {1}).data()), InvalidArgument);
  EXPECT_THROW(two.label(problem_of(std::monostate{}, {1}).data()), DataError);
  const Phi ids = *fit_abstraction(Identity{}, discrete_problem({1}, {1})).phi;
  EXPECT_THROW(ids.label(dense_problem(1, {1.0}, {1}).data()), InvalidArgument);
}

// Bytes with a right checksum and wrong content, as a hostile hand would make them.
TEST(Phi, RefusesContentThatLabelingCouldNotStand) {
  const auto sealed = [](int which, const auto& write) {
    ByteWriter writer;
    writer.number(which);
    writer.flag(false);
    write(writer);
    return seal("abstraction", 1, writer.bytes());
  };
  const std::vector<Bytes> hostile{sealed(6, [](ByteWriter&) {}),
                                   sealed(1, [](ByteWriter& w) { w.number(0); }),
                                   sealed(1, [](ByteWriter& w) { w.number(std::int64_t{1} << 40); }),
                                   sealed(2,
                                          [](ByteWriter& w) {  // a cell beyond their number
                                            w.numbers(std::vector<std::int64_t>{1});
                                            w.numbers(std::vector<std::uint32_t>{9});
                                            w.number(2);
                                            w.text("");
                                          }),
                                   sealed(2,
                                          [](ByteWriter& w) {  // ids out of order
                                            w.numbers(std::vector<std::int64_t>{2, 1});
                                            w.numbers(std::vector<std::uint32_t>{0, 0});
                                            w.number(2);
                                            w.text("");
                                          }),
                                   sealed(3,
                                          [](ByteWriter& w) {  // half a row
                                            w.flag(false);
                                            w.number(2);
                                            w.numbers(std::vector<double>{1, 2, 3});
                                          }),
                                   sealed(5, [](ByteWriter& w) {  // no centroid
                                     w.number(2);
                                     for (int i = 0; i < 3; ++i) w.numbers(std::vector<double>{});
                                   })};
  for (const Bytes& bytes : hostile) EXPECT_THROW(Phi::from_bytes(bytes), DataError);
}

}  // namespace
}  // namespace starope
