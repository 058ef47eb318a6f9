#include "starope/phi/kmeans.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "starope/clustering/testing.hpp"
#include "starope/data.hpp"
#include "starope/phi/labels.hpp"

namespace starope {
namespace {

using testing::blobs;
using testing::dense_problem;
using testing::discrete_problem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::naive_labels;
using testing::normal_numbers;

std::vector<std::string> codes(const std::vector<Finding>& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(finding.code);
  return all;
}

TEST(KMeans, RecoversSeparatedBlobs) {
  const std::vector<double> centers{0, 0, 1, 1000, 2, 0};  // without scaling, the second feature is all that counts
  const std::vector<double> values = blobs(centers, 100, 0.01, 1);
  const KMeansFit fit =
      fit_kmeans(dense_problem(2, values, {150, 150}), {.clusters = 3, .init = KMeansInit::plus_plus, .seed = Seed{3}});
  EXPECT_EQ(fit.clusters, 3);
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_TRUE(fit.converged);
  EXPECT_THAT(fit.findings, IsEmpty());
  for (std::size_t i = 3; i < 300; ++i) EXPECT_EQ(fit.labels.of_row[i], fit.labels.of_row[i % 3]) << i;
  for (std::size_t blob = 0; blob < 3; ++blob) {
    const std::size_t k = fit.labels.of_row[blob];
    EXPECT_NEAR(fit.centroids[2 * k], centers[2 * blob], 0.01);
    EXPECT_NEAR(fit.centroids[2 * k + 1], centers[2 * blob + 1], 0.01);
  }
}

TEST(KMeans, LabelsAreTheNearestFinalCentroidsInTheScaledSpace) {
  for (const FeatureScale scale : {FeatureScale::standard, FeatureScale::none}) {
    std::vector<double> values = normal_numbers(std::int64_t{3} * 492, 2);  // 490 steps and two final states
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 50.0 * values[i] + 7.0;
    const KMeansFit fit =
        fit_kmeans(dense_problem(3, values, {300, 190}, 2, {.horizon = Horizon{200}}), {.clusters = 9, .scale = scale});
    std::vector<double> scaled(values.size());
    fit.scaling.apply(values, scaled);
    EXPECT_EQ(fit.labels.of_row, naive_labels(scaled, fit.scaled_centroids, 3));
    std::vector<double> back(fit.centroids.size());
    fit.scaling.apply(fit.centroids, back);
    EXPECT_THAT(back, ::testing::Pointwise(::testing::DoubleNear(1e-12), fit.scaled_centroids));
  }
}

TEST(KMeans, FitsTheCountedStatesOnly) {
  // What is beyond the horizon and behind the last step may be anything: the centroids do not move.
  std::vector<double> values = normal_numbers(std::int64_t{2} * 102, 4), other = values;
  for (std::size_t i = 80; i < 100; ++i) other[i] += 1e3;   // steps 40.. of the first episode of 50
  for (std::size_t i = 200; i < 204; ++i) other[i] += 1e3;  // final states
  const ProblemOptions options{.horizon = Horizon{40}};
  const KMeansFit a = fit_kmeans(dense_problem(2, values, {50, 40, 10}, 2, options), {.clusters = 5});
  const KMeansFit b = fit_kmeans(dense_problem(2, other, {50, 40, 10}, 2, options), {.clusters = 5});
  EXPECT_EQ(a.centroids, b.centroids);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(a.labels.of_row.size(), 102u);
  EXPECT_NE(a.labels, b.labels);
}

TEST(KMeans, InertiaNeverIncreases) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const KMeansFit fit = fit_kmeans(dense_problem(4, normal_numbers(std::int64_t{4} * 300, seed), {300}),
                                     {.clusters = 20, .seed = Seed{seed}});
    EXPECT_EQ(fit.inertia.size(), static_cast<std::size_t>(fit.iterations));
    EXPECT_TRUE(std::is_sorted(fit.inertia.rbegin(), fit.inertia.rend()));
  }
}

TEST(KMeans, SaysWhenThereAreFewerDistinctStatesThanClusters) {
  const KMeansFit fit = fit_kmeans(dense_problem(1, {1, 2, 1, 3, 2, 1}, {6}), {.clusters = 8});
  EXPECT_EQ(fit.clusters, 3);
  EXPECT_EQ(fit.labels.cells, 3);
  EXPECT_EQ(fit.inertia.back(), 0.0);
  ASSERT_EQ(codes(fit.findings), std::vector<std::string>{"fewer_clusters"});
  EXPECT_THAT(text(fit.findings[0]), HasSubstr("only 3 distinct states: 3 clusters are used instead of 8"));
}

TEST(KMeans, SaysWhenItHasNotConverged) {
  const KMeansFit fit =
      fit_kmeans(dense_problem(2, normal_numbers(1000, 1), {500}), {.clusters = 10, .max_iterations = 2});
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(codes(fit.findings), std::vector<std::string>{"kmeans_not_converged"});
}

TEST(KMeans, DiscreteStatesCarryTheFindingThatTheirClustersMeanLittle) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 400; ++i) ids.push_back((i * i) % 31);
  const Problem problem = discrete_problem(ids, {200, 200});
  const KMeansFit fit = fit_kmeans(problem, {.clusters = 4});
  EXPECT_EQ(fit.labels.cells, 4);
  EXPECT_THAT(fit.centroids, IsEmpty());
  const auto& code = std::get<DiscreteStates>(problem.data().states()).code;
  std::set<std::pair<std::int32_t, Label>> pairs;
  for (std::size_t i = 0; i < fit.labels.of_row.size(); ++i) pairs.emplace(code[i], fit.labels.of_row[i]);
  EXPECT_EQ(pairs.size(), std::get<DiscreteStates>(problem.data().states()).ids.size());  // a function of the state

  ASSERT_EQ(codes(fit.findings), std::vector<std::string>{"one_hot_clusters"});
  const std::vector<std::int64_t> visits = visits_of_cells(fit.labels, problem);
  const double percent = static_cast<double>(*std::max_element(visits.begin(), visits.end())) / 4.0;
  EXPECT_THAT(text(fit.findings[0]), HasSubstr(fmt::format("holds {:.0f} % of the visits", percent)));
  EXPECT_THAT(text(fit.findings[0]), HasSubstr("lookup=FILE"));
}

TEST(KMeans, TheSameBitsForAnyNumberOfThreads) {
  const Problem problem =
      dense_problem(2, normal_numbers(std::int64_t{2} * 20000, 8), {10000, 10000});  // several blocks
  for (const KMeansInit init : {KMeansInit::random, KMeansInit::plus_plus}) {
    const Clusters options{.clusters = 12, .init = init, .max_iterations = 8};
    const KMeansFit one = fit_kmeans(problem, options, Threads{1});
    const KMeansFit four = fit_kmeans(problem, options, Threads{4});
    EXPECT_EQ(one.scaled_centroids, four.scaled_centroids);
    EXPECT_EQ(one.inertia, four.inertia);
    EXPECT_EQ(one.labels, four.labels);
  }
}

TEST(KMeans, RefusesWrongCalls) {
  const Problem problem = dense_problem(1, {1, 2}, {2});
  EXPECT_THROW(fit_kmeans(problem, {.clusters = 0}), InvalidArgument);
  EXPECT_THROW(fit_kmeans(problem, {.clusters = std::int64_t{1} << 40}), InvalidArgument);
  EXPECT_THROW(fit_kmeans(problem, {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(fit_kmeans(problem, {.tolerance = -0.1}), InvalidArgument);
  EXPECT_THROW(fit_kmeans(discrete_problem({1, 2}, {2}), {.max_iterations = 0}), InvalidArgument);
  EXPECT_THROW(fit_kmeans(testing::problem_of(std::monostate{}, {1})), DataError);
}

TEST(KMeans, BitsAreClusteredAsTheyAre) {
  const BinaryStates states = testing::random_bits_states(900, 100, 0.06, 61);
  for (const KMeansInit init : {KMeansInit::random, KMeansInit::plus_plus}) {
    const Clusters options{.clusters = 10, .init = init, .seed = Seed{5}};
    Clusters unscaled = options;
    unscaled.scale = FeatureScale::none;
    const std::vector<std::int64_t> lengths{500, 398};
    const ProblemOptions horizon{.horizon = Horizon{450}};
    const KMeansFit fit = fit_kmeans(testing::problem_of(states, lengths, 2, horizon), options, Threads{1});
    const KMeansFit expected = fit_kmeans(testing::problem_of(to_dense(states), lengths, 2, horizon), unscaled);
    EXPECT_EQ(fit.labels, expected.labels);
    EXPECT_EQ(fit.centroids, expected.centroids);
    EXPECT_EQ(fit.iterations, expected.iterations);
    EXPECT_EQ(fit.clusters, 10);
    EXPECT_EQ(codes(fit.findings), codes(expected.findings));
    EXPECT_EQ(fit_kmeans(testing::problem_of(states, lengths, 2, horizon), options, Threads{3}).labels, fit.labels);
  }
}

}  // namespace
}  // namespace starope
