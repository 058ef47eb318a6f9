#include "starope/domains/icu_sepsis_domain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/domains/made_up_sepsis.hpp"
#include "starope/error.hpp"
#include "starope/io/npz.hpp"
#include "support/test_data.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;

using starope::testing::MadeUpSepsis;
using starope::testing::shared_file;

const MadeUpSepsis made_up_v2{.states = 716};

ReadIcuSepsis made_up_reader() {
  return [] { return made_up_v2.tables(); };
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
  EXPECT_THROW(icu_sepsis_domain(made_up_reader(), IcuSepsisVersion::v0).value("expert", {}), DataError);
}

TEST(IcuSepsisDomain, ATableOfTheExpertIsTheExpert) {
  const auto read_table = [](const std::string&) {  // all 716 states: the terminal ones have rows, too
    return PolicyTable{.actions = 25, .values = made_up_v2.tables().expert_policy, .source = "expert.csv"};
  };
  const NamedDomain d = icu_sepsis_domain(made_up_reader(), IcuSepsisVersion::v2, {}, read_table);
  const auto expected = [](const auto& policy) { return made_up_v2.expected(policy, 150).value; };
  EXPECT_NEAR(d.value("expert.csv", {}).value, expected([](auto s, auto a) { return made_up_v2.expert(s, a); }), 1e-12);
  EXPECT_NEAR(d.value("greedy(expert.csv,1)", {}).value, expected([](auto, auto) { return 1.0 / 25; }), 1e-12);
}

TEST(IcuSepsisDomain, ATableOfThePublishedExpertIsTheExpert) {
  const auto file = shared_file("data/icu_sepsis/v2/dynamics.npz");
  if (!file) return;  // ATableOfTheExpertIsTheExpert has shown it with made-up tables
  const auto read_table = [&](const std::string&) {
    std::vector<double> rows = io::NpzReader(*file).read_numbers("expert_policy");
    for (std::size_t i = rows.size() - 75; i < rows.size(); i += 25) rows[i] = 1.0;
    return PolicyTable{.actions = 25, .values = std::move(rows), .source = "expert.csv"};
  };
  const NamedDomain d =
      icu_sepsis_domain([&] { return read_icu_sepsis(io::NpzReader(*file)); }, IcuSepsisVersion::v2, {}, read_table);
  EXPECT_NEAR(d.value("expert.csv", {}).value, 0.7818447574, 1e-9);
  EXPECT_LT(d.value("greedy(expert.csv,1)", {}).value, 0.7801);  // uniform
}

}  // namespace
}  // namespace starope::domains
