#include "starope/evaluate/inspection_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starope {
namespace {

using ::testing::ElementsAre;

TEST(InspectionSource, EndsAreLoggedByEitherColumn) {
  EXPECT_FALSE(ends_are_logged({.used = {{"episode", "id"}, {"reward", "terminated"}}}));
  EXPECT_TRUE(ends_are_logged({.used = {{"episode", "id"}, {"terminated", "done"}}}));
  EXPECT_TRUE(ends_are_logged({.used = {{"truncated", "cut"}}}));
}

TEST(InspectionSource, ColumnsAndFindingsOfTheReaderStandBesideThoseOfTheData) {
  Inspection inspection;
  inspection.recognized = {{.name = "old", .role = "t"}};
  inspection.findings = {{.severity = Severity::warning, .code = "a"}, {.severity = Severity::info, .code = "b"}};
  const std::vector<Finding> found{{.severity = Severity::critical, .code = "c"},
                                   {.severity = Severity::warning, .code = "d"}};
  describe_source(inspection, {.file = "logs.csv", .used = {{"episode", "id"}}, .ignored = {"ward"}}, found);
  EXPECT_EQ(inspection.file, "logs.csv");
  EXPECT_THAT(inspection.recognized, ElementsAre(Inspection::Column{.name = "id", .role = "episode"}));
  EXPECT_THAT(inspection.ignored, ElementsAre("ward"));
  std::vector<std::string> codes;
  for (const Finding& each : inspection.findings) codes.push_back(each.code);
  EXPECT_THAT(codes, ElementsAre("c", "a", "d", "b"));  // the worst first, otherwise as they came
}

}  // namespace
}  // namespace starope
