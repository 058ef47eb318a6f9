#include "starope/estimators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"

namespace starope {
namespace {

using ::testing::ElementsAre;

class EstimatorFilesTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) { return folder_.write("estimator.csv", text); }

  const starope::testing::TemporaryFolder folder_;
};

TEST_F(EstimatorFilesTest, Centroids) {
  const std::string path = file("c_0,c_1\n1,2\n3,4.5\n0,-1\n");
  const CentroidTable table = estimator_files().centroids(path);
  EXPECT_EQ(table.dimension, 2);
  EXPECT_THAT(table.values, ElementsAre(1.0, 2.0, 3.0, 4.5, 0.0, -1.0));
  EXPECT_EQ(table.source, path);
}

TEST_F(EstimatorFilesTest, Lookup) {
  const std::string path = file("state,z\n7,0\n9,1\n11,1\n");
  const LookupTable table = estimator_files().lookup(path);
  EXPECT_THAT(table.state, ElementsAre(7, 9, 11));
  EXPECT_THAT(table.z, ElementsAre(0, 1, 1));
  EXPECT_EQ(table.source, path);
}

TEST_F(EstimatorFilesTest, QTable) {
  const std::string path = file("state,q_0,q_1\n7,0.5,-1\n-2,3,4\n");
  const QTable table = estimator_files().q_table(path);
  EXPECT_EQ(table.actions, 2);
  EXPECT_THAT(table.state, ElementsAre(7, -2));
  EXPECT_THAT(table.q, ElementsAre(0.5, -1.0, 3.0, 4.0));
  EXPECT_EQ(table.source, path);
}

TEST_F(EstimatorFilesTest, AQTableNeedsItsHeaderAndIntegerStates) {
  EXPECT_THROW(estimator_files().q_table(file("state,q_1\n7,0.5\n")), DataError);
  EXPECT_THROW(estimator_files().q_table(file("1,2\n7,0.5\n")), DataError);
  EXPECT_THROW(estimator_files().q_table(file("state\n7\n")), DataError);
  EXPECT_THROW(estimator_files().q_table(file("state,q_0\n7.5,0.5\n")), DataError);
}

TEST_F(EstimatorFilesTest, MissingFiles) {
  EXPECT_THROW(estimator_files().centroids("/no/such/file.csv"), FileError);
  EXPECT_THROW(estimator_files().lookup("/no/such/file.csv"), FileError);
}

}  // namespace
}  // namespace starope
