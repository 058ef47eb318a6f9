#include "starope/phi/centroids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "starope/clustering/feature_scaling.hpp"
#include "starope/clustering/testing.hpp"
#include "starope/io.hpp"
#include "starope/phi/phi.hpp"
#include "support/test_data.hpp"

namespace starope {
namespace {

using testing::dense_problem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::naive_labels;
using testing::normal_numbers;

TEST(Centroids, LabelStepsAndFinalStatesInTheirOwnUnits) {
  const CentroidTable table{.dimension = 2, .values = {0, 0, 100, 1, 100, -1, 5, 5}};
  const Labels labels = fit_centroids(table, dense_problem(2, {90, 0.5, 90, 0, 1, 1, 4, 4}, {2, 1}, 1)).labels;
  EXPECT_EQ(labels.cells, 4);
  EXPECT_THAT(labels.of_row, ElementsAre(1, 1, 0, 3));  // (90, 0) is halfway between the second and the third
}

TEST(Centroids, ScaledLabelsAreNearestInTheScaledSpace) {
  const std::vector<double> values = normal_numbers(2 * (points_per_block + 50), 1),
                            centroids = normal_numbers(std::int64_t{2} * 6, 2);
  const FeatureScaling scaling{.center = {0.5, -1.0}, .scale = {2.0, 0.25}};
  std::vector<double> scaled(values.size());
  scaling.apply(values, scaled);
  const Problem problem = dense_problem(2, values, {points_per_block + 50});
  const Phi phi = make_phi(CentroidCells{.dimension = 2, .centroids = centroids, .scaling = scaling});
  const Labels labels = phi.label(problem.data(), Threads{1});
  EXPECT_EQ(labels.of_row, naive_labels(scaled, centroids, 2));
  EXPECT_EQ(labels, phi.label(problem.data(), Threads{3}));
}

TEST(Centroids, ErrorsNameTheFile) {
  const Problem problem = dense_problem(2, {1, 2}, {1});
  const auto message = [&](const CentroidTable& table, const Problem& p) {
    try {
      fit_centroids(table, p);
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string wrong = message({.dimension = 3, .values = {1, 2, 3}, .source = "c.csv"}, problem);
  EXPECT_THAT(wrong, HasSubstr("c.csv has 3 coordinates per centroid"));
  EXPECT_THAT(wrong, HasSubstr("2 features"));
  EXPECT_THAT(message({.dimension = 2, .values = {1, 2, 3}, .source = "c.csv"}, problem), HasSubstr("c.csv"));
  EXPECT_THAT(message({.dimension = 2, .values = {}, .source = "c.csv"}, problem), HasSubstr("c.csv"));
  const std::string discrete =
      message({.dimension = 1, .values = {1}, .source = "c.csv"}, testing::discrete_problem({1}, {1}));
  EXPECT_THAT(discrete, HasSubstr("c.csv needs real-valued state features"));

  const double bad = std::numeric_limits<double>::infinity();
  try {
    fit_centroids({.dimension = 2, .values = {1, 2, 3, bad}, .source = "c.csv"}, problem);
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(error.problem().at.file, "c.csv");
    EXPECT_THAT(error.what(), HasSubstr("coordinate 1 of centroid 1"));
  }
}

// ---- Reference data ------------------------------------------------------------------------------------------------

std::vector<std::vector<double>> read_numbers(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  std::string line, cell;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double>& row = rows.emplace_back();
    while (std::getline(cells, cell, ',')) row.push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}

// The states of the steps of a committed log, one after the other, and how long the episodes are.
struct LoggedRows {
  std::vector<double> states;
  std::vector<std::int64_t> lengths;
};
LoggedRows golden_rows(const std::string& domain) {
  const Dataset data = io::read(testing::committed_file("golden/" + domain + ".npz")).data;
  LoggedRows rows;
  for (std::int64_t i = 0; i < data.episodes(); ++i) rows.lengths.push_back(data.length(i));
  const auto* bits = std::get_if<BinaryStates>(&data.states());
  const DenseStates dense = bits != nullptr ? to_dense(*bits) : std::get<DenseStates>(data.states());
  rows.states = dense.values.widened().to_vector();
  return rows;
}

void check_golden(const std::string& domain, std::size_t dimension) {
  const LoggedRows log = golden_rows(domain);
  const std::vector<double>& states = log.states;
  const std::vector<std::int64_t>& lengths = log.lengths;
  const auto d = static_cast<std::int64_t>(dimension);
  const Problem problem = dense_problem(d, states, lengths);
  std::optional<Problem> packed;  // where all features are 0 or 1
  if (std::all_of(states.begin(), states.end(), [](double x) { return x == 0.0 || x == 1.0; })) {
    std::vector<std::uint64_t> bits;
    for (std::size_t i = 0; i < states.size(); i += dimension)
      append_bits(bits, std::span(states).subspan(i, dimension));
    packed = testing::problem_of(BinaryStates{.dimension = d, .words = std::move(bits)}, lengths);
  }
  EXPECT_EQ(packed.has_value(), domain == "asterix");
  for (const std::string family : {"kmeans", "official_random"}) {
    for (const int k : {1, 2, 4, 8, 16, 32}) {
      const std::string name = "golden/abstractions/" + domain + "_" + family + "_K" + std::to_string(k) + ".csv";
      const bool large = domain == "asterix" && family == "official_random" && k >= 8;  // in the shared folder only
      const std::optional<std::string> path = large ? testing::shared_file(name) : testing::committed_file(name);
      if (!path) continue;
      CentroidTable table{.dimension = d, .source = *path};
      for (const auto& row : read_numbers(table.source)) {
        table.values.insert(table.values.end(), row.begin(), row.end());
      }
      ASSERT_EQ(table.values.size(), static_cast<std::size_t>(k) * dimension) << table.source;
      EXPECT_EQ(fit_centroids(table, problem).labels.of_row, naive_labels(states, table.values, d)) << table.source;
      if (packed) {
        EXPECT_EQ(fit_centroids(table, *packed).labels.of_row, naive_labels(states, table.values, d)) << table.source;
      }
    }
  }
}

TEST(Centroids, CartPoleReferenceAbstractions) {
  check_golden("cartpole", 4);
}

TEST(Centroids, AsterixReferenceAbstractions) {
  check_golden("asterix", 400);
}

TEST(Centroids, OfAnotherDimensionThanTheBits) {
  const Problem problem = testing::problem_of(BinaryStates{.dimension = 2, .words = {2, 3}}, {2});
  EXPECT_THROW(fit_centroids({.dimension = 3, .values = {0, 0, 0}}, problem), InvalidArgument);
  EXPECT_THAT(fit_centroids({.dimension = 2, .values = {1, 1, 0, 1}}, problem).labels.of_row,
              ::testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace starope
