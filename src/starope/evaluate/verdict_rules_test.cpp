#include "starope/evaluate/verdict_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "starope/base/finding_catalog.hpp"

namespace starope {
namespace {

// "{name" of every placeholder.
std::vector<std::string> placeholders(std::string_view sentence) {
  std::vector<std::string> names;
  for (std::size_t at = sentence.find('{'); at != std::string_view::npos; at = sentence.find('{', at + 1)) {
    names.emplace_back(sentence.substr(at, sentence.find_first_of(":}", at) - at));
  }
  return names;
}

TEST(VerdictRules, AreAboutFindingsThatThereAre) {
  for (const VerdictRule& rule : verdict_rules()) {
    const FindingKind* kind = find_kind(rule.code);
    ASSERT_NE(kind, nullptr) << rule.code;
    EXPECT_NE(kind->severity.find(name(rule.least)), std::string_view::npos)
        << rule.code << " is never a " << name(rule.least);
    for (const std::string& placeholder : placeholders(rule.reason))
      EXPECT_NE(kind->sentence.find(placeholder), std::string_view::npos) << rule.code << ' ' << placeholder;
    if (!rule.parameter.empty()) {
      EXPECT_NE(kind->sentence.find("{" + std::string(rule.parameter)), std::string_view::npos) << rule.code;
    }
  }
}

TEST(VerdictRules, AreForPeople) {
  for (const VerdictRule& rule : verdict_rules()) {
    EXPECT_FALSE(rule.reason.empty()) << rule.code;
    EXPECT_NE(rule.reason.back(), '.') << rule.code;
    EXPECT_EQ(rule.advice.back(), '.') << rule.code;
    EXPECT_NE(rule.grade, Grade::supported) << rule.code;
  }
}

// A rule behind one that always applies before it would never be heard.
TEST(VerdictRules, NoneIsHiddenByAnEarlierOne) {
  const auto rules = verdict_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool hidden =
          rules[j].code == rules[i].code && rules[j].least <= rules[i].least && rules[j].parameter.empty();
      EXPECT_FALSE(hidden) << rules[i].code;
    }
  }
}

// What can go wrong with an evaluation has a rule; what only `inspect` says needs none.
TEST(VerdictRules, CoverTheCatalog) {
  for (const FindingKind& kind : finding_catalog()) {
    if (kind.severity == "info" || kind.when.starts_with("`inspect`")) continue;
    // The verdict is about the mean; rows of the table of risks carry their own findings.
    if (kind.when.starts_with("questions about risk")) continue;
    const auto rules = verdict_rules();
    EXPECT_TRUE(
        std::any_of(rules.begin(), rules.end(), [&](const VerdictRule& rule) { return rule.code == kind.code; }))
        << "docs/answer.md: what does " << kind.code << " make of the verdict?";
  }
}

TEST(VerdictRules, ThePageHasARowForEach) {
  const std::string page = verdict_page();
  EXPECT_NE(page.find("| `unsupported_steps`, steps above 1 | not answerable | the target policy spends {steps} steps "
                      "where the logs show no outcome |"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("| `ratio_mean`, critical | not answerable |"), std::string::npos);
  // With its nouns.
  EXPECT_NE(page.find("| {cut} episodes that were cut off count as ended |"), std::string::npos) << page;
  EXPECT_NE(page.find("| the abstraction has {cells} cells for {states} logged states |"), std::string::npos) << page;
}

}  // namespace
}  // namespace starope
