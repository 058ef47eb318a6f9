#include "starope/domains/icu_sepsis_domain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "starope/base/error.hpp"
#include "starope/io/npz.hpp"

namespace starope::envs {
namespace {

using ::testing::HasSubstr;

const std::string folder = STAROPE_SHARED_DIR "/data/icu_sepsis/";

ReadIcuSepsis reader(const std::string& file) {
  return [file] { return read_icu_sepsis(io::NpzReader(folder + file)); };
}

TEST(IcuSepsisDomain, SaysWhichTablesAreMissingAndWhereTheyAre) {
  const NamedDomain d = icu_sepsis_domain({}, IcuSepsisVersion::v0);
  try {
    d.simulate(d.behavior, d.target, {.episodes = 1});
    FAIL();
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("747 states"));
    EXPECT_THAT(error.what(), HasSubstr("sepsis_dynamics.npz of github.com/shreyasc-13/STAR"));
  }
  EXPECT_THAT(published_at(IcuSepsisVersion::v2), HasSubstr("github.com/icu-sepsis/icu-sepsis"));
  EXPECT_THROW(d.simulate("nonsense", d.target, {.episodes = 1}), InvalidArgument);  // said before the file is needed
}

TEST(IcuSepsisDomain, IsNamedByItsVariant) {
  EXPECT_EQ(icu_sepsis_domain({}, IcuSepsisVersion::v0).name, "icu-sepsis");
  EXPECT_EQ(icu_sepsis_domain({}, IcuSepsisVersion::v2).name, "icu-sepsis-v2");
  const NamedDomain both = icu_sepsis_domain({}, IcuSepsisVersion::v0, {.frozen_row = true, .features = true});
  EXPECT_EQ(both.name, "icu-sepsis-features-frozen");
  EXPECT_EQ(both.actions.size(), 25u);
  EXPECT_NEAR(find_known_value(both, "softened(2)")->value, 0.7476204197, 1e-12);
  EXPECT_FALSE(find_known_value(both, "softened(3)"));
}

TEST(IcuSepsisDomain, RefusesTheTablesOfTheOtherVersion) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no tables at " << folder;
  EXPECT_THROW(icu_sepsis_domain(reader("v2/dynamics.npz"), IcuSepsisVersion::v0).value("expert", {}), DataError);
}

TEST(IcuSepsisDomain, ATableOfTheExpertIsTheExpert) {
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no tables at " << folder;
  const auto read_table = [](const std::string&) {  // all 716 states: the terminal ones have rows, too
    std::vector<double> rows = io::NpzReader(folder + "v2/dynamics.npz").read_numbers("expert_policy");
    for (std::size_t i = rows.size() - 75; i < rows.size(); i += 25) rows[i] = 1.0;
    return PolicyTable{.actions = 25, .values = std::move(rows), .source = "expert.csv"};
  };
  const NamedDomain d = icu_sepsis_domain(reader("v2/dynamics.npz"), IcuSepsisVersion::v2, {}, read_table);
  EXPECT_NEAR(d.value("expert.csv", {}).value, 0.7818447574, 1e-9);
  EXPECT_LT(d.value("greedy(expert.csv,1)", {}).value, 0.7801);  // uniform
}

}  // namespace
}  // namespace starope::envs
