#include "starope/io/numeric_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "support/test_data.hpp"

namespace starope::io {
namespace {

using ::starope::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Read>
std::string error_of(const Read& read, std::string_view content) {
  const TemporaryFolder folder;
  try {
    read(folder.write("c.csv", content));
  } catch (const Error& error) {
    return error.code() + ": " + error.what();
  }
  return "no error";
}

TEST(NumericTable, ReadsNumbersWithAndWithoutAHeader) {
  const TemporaryFolder folder;
  const NumericTable bare = read_numeric_table(folder.write("a.csv", "0.5,-1\n2,3e-2\n4,5"));
  EXPECT_THAT(bare.names, IsEmpty());
  EXPECT_EQ(bare.rows, 3);
  EXPECT_EQ(bare.columns, 2);
  EXPECT_THAT(bare.values, ElementsAre(0.5, -1, 2, 0.03, 4, 5));
  const NumericTable named = read_numeric_table(folder.write("b.csv", "state,q_0\r\n7,0.25\r\n"));
  EXPECT_THAT(named.names, ElementsAre("state", "q_0"));
  EXPECT_THAT(named.values, ElementsAre(7, 0.25));
}

TEST(NumericTable, SaysWhatIsWrong) {
  EXPECT_THAT(error_of(read_numeric_table, "1,2\n3,x\n"), HasSubstr("bad_number: "));
  EXPECT_THAT(error_of(read_numeric_table, "1,2\n3,x\n"), HasSubstr("c.csv, row 2, column '2': 'x' is not a number"));
  EXPECT_THAT(error_of(read_numeric_table, "a,b\n3,inf\n"), HasSubstr("row 2, column 'b': 'inf' is not a finite"));
  EXPECT_THAT(error_of(read_numeric_table, "1,2\n3\n"), HasSubstr("row 2: has 1 field, but the first row has 2"));
  EXPECT_THAT(error_of(read_numeric_table, "1,2\n3,\n"), HasSubstr("missing_value"));
  EXPECT_THAT(error_of(read_numeric_table, "a,b\n"), HasSubstr("no_rows"));
  EXPECT_THAT(error_of(read_numeric_table, ""), HasSubstr("empty_file"));
}

TEST(Centroids, HaveNoHeaderOrTheirOwn) {
  const TemporaryFolder folder;
  EXPECT_THAT(read_centroids(folder.write("a.csv", "1,2\n3,4\n")).values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read_centroids(folder.write("b.csv", "c_0,c_1\n1,2\n")).values, ElementsAre(1, 2));
  EXPECT_THAT(error_of(read_centroids, "state,z\n1,2\n"), AllOf(HasSubstr("row 1: 'state'"), HasSubstr("c_0,c_1,...")));
}

TEST(Lookup, ReadsStatesAndLabels) {
  const TemporaryFolder folder;
  const LookupTable table = read_lookup(folder.write("a.csv", "z,note,state\n1,x,70\n0,y,-2\n"));
  EXPECT_THAT(table.states, ElementsAre(70, -2));
  EXPECT_THAT(table.labels, ElementsAre(1, 0));
}

TEST(Lookup, SaysWhatIsWrong) {
  EXPECT_THAT(error_of(read_lookup, "state,a\n1,2\n"), HasSubstr("missing_column: "));
  EXPECT_THAT(error_of(read_lookup, "State,z\n1,2\n"), HasSubstr("Rename the column 'State'"));
  EXPECT_THAT(error_of(read_lookup, "0,1\n1,2\n"), HasSubstr("'state,z'"));
  EXPECT_THAT(error_of(read_lookup, "state,z\n1,0.5\n"), HasSubstr("row 2, column 'z': '0.5' is not an integer"));
  EXPECT_THAT(error_of(read_lookup, "state,z\n1,-1\n"), HasSubstr("row 2, column 'z': '-1' is negative"));
  EXPECT_THAT(error_of(read_lookup, "state,z\n1,0\n9,0\n5,1\n9,1\n5,0\n1,1\n"),
              HasSubstr("row 5, column 'state': '9' is already in row 3"));
}

TEST(StateRows, OfAQFunction) {
  const TemporaryFolder folder;
  const StateRows rows = read_q_rows(folder.write("q.csv", "state,q_0,q_1\n7,0.5,-1\n-2,3,4\n"));
  EXPECT_EQ(rows.columns, 2);
  EXPECT_THAT(rows.states, ElementsAre(7, -2));
  EXPECT_THAT(rows.values, ElementsAre(0.5, -1.0, 3.0, 4.0));
  for (const char* bad : {"state,q_1\n7,0.5\n", "1,2\n7,0.5\n", "state\n7\n", "state,q_0\n7.5,0.5\n"}) {
    EXPECT_THROW(read_q_rows(folder.write("bad.csv", bad)), DataError) << bad;
  }
}

TEST(StateRows, InTheOrderOfTheStates) {
  const TemporaryFolder folder;
  const StateRows named = read_rows_by_state(folder.write("p.csv", "left,state,right\n0.1,1,0.9\n0.5,0,0.25\n"));
  EXPECT_EQ(named.columns, 2);
  EXPECT_THAT(named.states, ElementsAre(0, 1));
  EXPECT_THAT(named.values, ElementsAre(0.5, 0.25, 0.1, 0.9));
  EXPECT_THAT(read_rows_by_state(folder.write("p.csv", "0.25,0.75\n1,0\n")).values, ElementsAre(0.25, 0.75, 1.0, 0.0));
  for (const char* bad :
       {"state,a\n0,1\n0,1\n", "state,a\n0,1\n2,1\n", "state,a\n-1,1\n0,1\n", "state,a\n0,1\n0.5,1\n"}) {
    EXPECT_THROW(read_rows_by_state(folder.write("bad.csv", bad)), DataError) << bad;
  }
}

TEST(Golden, AbstractionFilesAreRead) {
  const auto path = [](const char* name) {
    return starope::testing::committed_file(std::string("golden/abstractions/") + name);
  };
  const NumericTable centroids = read_centroids(path("cartpole_kmeans_K16.csv"));
  EXPECT_EQ(centroids.rows, 16);
  EXPECT_EQ(centroids.columns, 4);
  EXPECT_EQ(centroids.values[0], -0.013140894886891187);
  const LookupTable lookup = read_lookup(path("sepsis_kmeans_K16.csv"));
  EXPECT_EQ(lookup.states.size(), lookup.labels.size());
  EXPECT_EQ(*std::max_element(lookup.labels.begin(), lookup.labels.end()), 15);
}

}  // namespace
}  // namespace starope::io
