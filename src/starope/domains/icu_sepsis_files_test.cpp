#include "starope/domains/icu_sepsis_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "starope/domains/choose_domain.hpp"
#include "starope/domains/made_up_sepsis.hpp"
#include "starope/error.hpp"
#include "starope/io/testing_files.hpp"
#include "starope/io/testing_zip.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class IcuSepsisFiles : public ::testing::Test {
 protected:
  IcuSepsisFiles() {
    std::filesystem::create_directories(folder_ / "site" / "icu_sepsis" / "envs" / "assets");
    std::filesystem::create_directories(folder_ / "wheels");
    std::filesystem::create_directories(folder_ / "empty");
    const starope::testing::MadeUpSepsis sepsis{.states = 716};
    sepsis.write(tables_);
    for (const char* version : {"1.0.0", "2.0.1"}) {
      std::ofstream wheel(wheel_of(version), std::ios::binary);
      wheel << starope::testing::make_zip(
          {{.name = "icu_sepsis/__init__.py", .content = ""},
           {.name = "icu_sepsis/envs/assets/dynamics.npz", .content = content_of(tables_), .deflated = true}});
    }
  }

  std::string wheel_of(const std::string& version) const {
    return (folder_ / "wheels" / ("icu_sepsis-" + version + "-py3-none-any.whl")).string();
  }

  const starope::testing::TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
  std::string tables_ = (folder_ / "site" / "icu_sepsis" / "envs" / "assets" / "dynamics.npz").string();
};

TEST_F(IcuSepsisFiles, ThePackageIsFoundWhereItIs) {
  const std::string site = (folder_ / "site").string(), empty = (folder_ / "empty").string();
  const std::string wheels = (folder_ / "wheels").string();
  EXPECT_EQ(find_icu_sepsis({.folders = {empty, site}, .wheels = {wheels}}), tables_);
  EXPECT_EQ(find_icu_sepsis({.folders = {empty}, .wheels = {empty, wheels}}), wheel_of("2.0.1"));
  EXPECT_EQ(find_icu_sepsis({.folders = {empty, "/no/such/folder"}, .wheels = {empty}}), std::nullopt);
  EXPECT_EQ(find_icu_sepsis({.file = "named.npz", .folders = {site}, .wheels = {wheels}}), "named.npz");
}

TEST_F(IcuSepsisFiles, AWheelHasTheTablesOfTheFile) {
  EXPECT_EQ(icu_sepsis_version(tables_), IcuSepsisVersion::v2);
  EXPECT_EQ(icu_sepsis_version(wheel_of("2.0.1")), IcuSepsisVersion::v2);
  const auto value = [](const std::string& file) {
    const NamedDomain domain = choose_domain("icu-sepsis-v2", {.icu_sepsis = file});
    return domain.value("expert", {}).value;
  };
  EXPECT_EQ(value(wheel_of("1.0.0")), value(tables_));
  const starope::testing::MadeUpSepsis sepsis{.states = 716};
  const auto expert = [&](std::int32_t s, std::int32_t a) { return sepsis.expert(s, a); };
  EXPECT_NEAR(value(wheel_of("1.0.0")), sepsis.expected(expert, 150).value, 1e-9);
}

TEST_F(IcuSepsisFiles, AnotherWheelIsRefused) {
  const std::string other = (folder_ / "other-1.0-py3-none-any.whl").string();
  std::ofstream(other, std::ios::binary) << starope::testing::make_zip({{.name = "a", .content = "b"}});
  EXPECT_THAT([&] { icu_sepsis_version(other); }, ThrowsMessage<DataError>(HasSubstr("pip download")));
}

TEST_F(IcuSepsisFiles, TheVariableNamesThem) {
  ::setenv("STAROPE_ICU_SEPSIS", tables_.c_str(), 1);
  const NamedDomain domain = choose_domain("icu-sepsis-v2");
  EXPECT_GT(domain.value("uniform", {}).value, 0.0);
  ::unsetenv("STAROPE_ICU_SEPSIS");
}

}  // namespace
}  // namespace starope::domains
