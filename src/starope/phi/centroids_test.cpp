#include "starope/phi/centroids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include "starope/clustering/testing.hpp"

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
                            centroids = normal_numbers(2 * 6, 2);
  const FeatureScaling scaling{.centre = {0.5, -1.0}, .scale = {2.0, 0.25}};
  std::vector<double> scaled(values.size());
  scaling.apply(values, scaled);
  const Problem problem = dense_problem(2, values, {points_per_block + 50});
  const Phi phi(CentroidCells{.dimension = 2, .centroids = centroids, .scaling = scaling});
  const Labels labels = phi.label(problem.data(), Threads{1});
  EXPECT_EQ(labels.of_row, naive_labels(scaled, centroids, 2));
  EXPECT_EQ(labels, phi.label(problem.data(), Threads{3}));
}

TEST(Centroids, ErrorsNameTheFile) {
  const Problem problem = dense_problem(2, {1, 2}, {1});
  const auto message = [&](const CentroidTable& table, const Problem& p) {
    try {
      fit_centroids(table, p).labels;
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
    fit_centroids({.dimension = 2, .values = {1, 2, 3, bad}, .source = "c.csv"}, problem).labels;
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(error.problem().at.file, "c.csv");
    EXPECT_THAT(error.what(), HasSubstr("coordinate 1 of centroid 1"));
  }
}

// ---- Reference data ------------------------------------------------------------------------------------------------

std::vector<std::vector<double>> read_numbers(const std::string& path, bool header) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  std::string line, cell;
  if (header) std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double>& row = rows.emplace_back();
    while (std::getline(cells, cell, ',')) row.push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}

void check_golden(const std::string& domain, std::size_t first_state, std::size_t dimension) {
  const std::string folder = std::string(STAROPE_SHARED_DIR) + "/golden/";
  if (!std::filesystem::exists(folder + domain + ".csv")) GTEST_SKIP() << "no " << folder << domain << ".csv";
  std::vector<double> states;
  std::vector<std::int64_t> lengths;
  double episode = -1.0;
  for (const auto& row : read_numbers(folder + domain + ".csv", true)) {
    if (row[0] != episode) lengths.push_back(0);
    episode = row[0];
    ++lengths.back();
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(first_state);
    states.insert(states.end(), at, at + static_cast<std::ptrdiff_t>(dimension));
  }
  const auto d = static_cast<std::int64_t>(dimension);
  const Problem problem = dense_problem(d, states, lengths);
  std::optional<Problem> packed;  // where all features are 0 or 1
  if (std::all_of(states.begin(), states.end(), [](double x) { return x == 0.0 || x == 1.0; })) {
    BinaryStates bits{.dimension = d};
    for (std::size_t i = 0; i < states.size(); i += dimension)
      append_bits(bits.words, std::span(states).subspan(i, dimension));
    packed = testing::problem_of(std::move(bits), lengths);
  }
  EXPECT_EQ(packed.has_value(), domain == "asterix");
  for (const std::string family : {"kmeans", "official_random"}) {
    for (const int k : {1, 2, 4, 8, 16, 32}) {
      CentroidTable table{
          .dimension = d,
          .source = folder + "abstractions/" + domain + "_" + family + "_K" + std::to_string(k) + ".csv"};
      for (const auto& row : read_numbers(table.source, false)) {
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
  check_golden("cartpole", 2, 4);
}

TEST(Centroids, AsterixReferenceAbstractions) {
  check_golden("asterix", 2, 400);
}

TEST(Centroids, OfAnotherDimensionThanTheBits) {
  const Problem problem = testing::problem_of(BinaryStates{.dimension = 2, .words = {2, 3}}, {2});
  EXPECT_THROW(fit_centroids({.dimension = 3, .values = {0, 0, 0}}, problem).labels, InvalidArgument);
  EXPECT_THAT(fit_centroids({.dimension = 2, .values = {1, 1, 0, 1}}, problem).labels.of_row,
              ::testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace starope
