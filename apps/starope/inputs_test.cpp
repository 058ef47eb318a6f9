#include "inputs.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "failure.hpp"
#include "starope/io/testing_files.hpp"

namespace starope::cli {
namespace {

namespace fs = std::filesystem;

class InputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "sub");
    std::ofstream(folder_ / "logs.csv") << "x\n";
    std::ofstream(folder_ / "other.csv") << "x\n";
  }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  const starope::testing::TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(InputsTest, APatternIsAllItsFiles) {
  const Inputs inputs;
  inputs.add(at("lo*.csv"));
  EXPECT_THROW(inputs.expect_not(at("logs.csv"), "starope convert"), UsageError);
  EXPECT_NO_THROW(inputs.expect_not(at("other.csv"), "starope convert"));
}

TEST_F(InputsTest, AFolderAndAPatternOfFoldersAreWhatIsInThem) {
  std::ofstream(folder_ / "sub" / "deep.parquet") << "x\n";
  for (const std::string& name : {at("sub"), at("sub/"), at("**/*.parquet"), at("s*/**/*.parquet")}) {
    const Inputs inputs;
    inputs.add(name);
    EXPECT_THROW(inputs.expect_not(at("sub/deep.parquet"), "starope convert"), UsageError) << name;
    EXPECT_NO_THROW(inputs.expect_not(at("other.csv"), "starope convert")) << name;
  }
}

TEST_F(InputsTest, AQueryReadsTheFilesThatItNames) {
  for (const std::string& sql : {"select * from '" + at("logs.csv") + "'", "from \"" + at("logs.csv") + "\"",
                                 "from read_csv($$" + at("logs.csv") + "$$)", "from 'file://" + at("logs.csv") + "'",
                                 "-- it's one\nfrom '" + at("lo*.csv") + "'", "/* ' */ from '" + at("logs.csv") + "'",
                                 "select 'it''s' from '" + at("logs.csv") + "'"}) {
    const Inputs inputs;
    inputs.add_query(sql);
    EXPECT_THROW(inputs.expect_not(at("logs.csv"), "starope convert"), UsageError) << sql;
    EXPECT_NO_THROW(inputs.expect_not(at("other.csv"), "starope convert")) << sql;
  }
  const Inputs inputs;
  inputs.add_query("select 1 -- from '" + at("logs.csv") + "'");
  EXPECT_NO_THROW(inputs.expect_not(at("logs.csv"), "starope convert"));
}

TEST_F(InputsTest, AnInputIsKnownByAnyOfItsNames) {
  fs::create_symlink(folder_ / "logs.csv", folder_ / "link.csv");
  fs::create_hard_link(folder_ / "logs.csv", folder_ / "hard.csv");
  Inputs inputs;
  inputs.add(at("logs.csv"));
  for (const char* name : {"logs.csv", "link.csv", "hard.csv", "sub/../logs.csv", "./logs.csv"}) {
    EXPECT_THROW(inputs.expect_not(at(name), "starope evaluate"), UsageError) << name;
  }
  EXPECT_NO_THROW(inputs.expect_not(at("other.csv"), "starope evaluate"));
  EXPECT_NO_THROW(inputs.expect_not(at("new.html"), "starope evaluate"));
  EXPECT_NO_THROW(inputs.expect_not("-", "starope evaluate"));
}

TEST_F(InputsTest, ATerminalMayBeBoth) {
  Inputs inputs;
  inputs.add("/dev/null");
  EXPECT_NO_THROW(inputs.expect_not("/dev/null", "starope evaluate"));
}

TEST_F(InputsTest, FilesThatEstimatorsAndPoliciesNameAreInputs) {
  Inputs inputs;
  const EstimatorFiles files = noted({.centroids = [](const std::string&) { return CentroidTable{}; },
                                      .lookup = [](const std::string&) { return LookupTable{}; },
                                      .q_table = {}},
                                     inputs);
  EXPECT_FALSE(static_cast<bool>(files.q_table));  // what cannot be read stays so
  EXPECT_NO_THROW(inputs.expect_not(at("logs.csv"), "starope evaluate"));
  files.lookup(at("logs.csv"));
  EXPECT_THROW(inputs.expect_not(at("logs.csv"), "starope evaluate"), UsageError);
  const domains::ReadPolicyTable read = noted([](const std::string&) { return domains::PolicyTable{}; }, inputs);
  read(at("other.csv"));
  EXPECT_THROW(inputs.expect_not(at("other.csv"), "starope simulate"), UsageError);
}

}  // namespace
}  // namespace starope::cli
