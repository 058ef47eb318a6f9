#include "starope/base/finding_catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "starope/base/finding_sentence.hpp"

namespace starope {
namespace {

using ::testing::MatchesRegex;

TEST(FindingCatalog, CodesAreUniqueAndSorted) {
  const auto all = finding_catalog();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(),
                             [](const FindingKind& a, const FindingKind& b) { return a.code <= b.code; }));
  for (const FindingKind& kind : all) EXPECT_EQ(find_kind(kind.code), &kind);
  EXPECT_EQ(find_kind("no_such_code"), nullptr);
  EXPECT_EQ(find_kind(""), nullptr);
}

TEST(FindingCatalog, EveryEntryIsComplete) {
  const std::set<std::string_view> severities = {"info", "warning", "critical", "info warning", "warning critical"};
  for (const FindingKind& kind : finding_catalog()) {
    EXPECT_THAT(std::string(kind.code), MatchesRegex("[a-z_]+"));
    EXPECT_EQ(severities.count(kind.severity), 1u) << kind.code;
    EXPECT_FALSE(kind.when.empty()) << kind.code;
    EXPECT_EQ(std::count(kind.sentence.begin(), kind.sentence.end(), '{'),
              std::count(kind.sentence.begin(), kind.sentence.end(), '}'))
        << kind.code;
  }
}

// A value of each placeholder that its format accepts.
Finding example(const FindingKind& kind) {
  Finding finding{Severity::info, std::string(kind.code), {}};
  fill(kind.sentence, [&](std::string_view names, std::string_view format) {
    const std::size_t dots = names.find("..");
    for (const std::string_view name :
         {names.substr(0, dots), names.substr(dots == std::string_view::npos ? 0 : dots + 2)}) {
      FindingParameter made{std::string(name), std::int64_t{2}};
      if (format.find(" -> ") != std::string_view::npos)
        made.value = std::string(format.substr(0, format.find(" -> ")));
      finding.parameters.push_back(std::move(made));
    }
    return std::string();
  });
  return finding;
}

TEST(FindingCatalog, EverySentenceCanBeSaidAndNamesNoPlaceholder) {
  for (const FindingKind& kind : finding_catalog()) {
    const Finding finding = example(kind);
    ASSERT_TRUE(can_be_said(finding)) << kind.code;
    const std::string said = text(finding);
    EXPECT_EQ(said.find_first_of("{}|#"), std::string::npos) << said;
    EXPECT_EQ(said.find("->"), std::string::npos) << said;
  }
}

TEST(FindingCatalog, WhatLacksAParameterCannotBeSaid) {
  for (const FindingKind& kind : finding_catalog()) {
    Finding finding = example(kind);
    if (finding.parameters.empty()) continue;
    const std::string gone = finding.parameters.front().name;
    std::erase_if(finding.parameters, [&](const FindingParameter& each) { return each.name == gone; });
    EXPECT_FALSE(can_be_said(finding)) << kind.code;
  }
  EXPECT_FALSE(can_be_said({Severity::info, "of_another_version", {}}));
  EXPECT_FALSE(can_be_said({Severity::info, "zero_ratios", {{"share", "half"}}}));
  EXPECT_FALSE(can_be_said({Severity::info, "final_state_unused", {{"states", 1.5}}}));
  EXPECT_FALSE(can_be_said({Severity::info, "fixed_length", {{"steps", 3}, {"ends", "kep"}}}));
  EXPECT_FALSE(can_be_said({Severity::info, "fixed_length", {{"steps", 3}, {"ends", 1}}}));
}

}  // namespace
}  // namespace starope
