#include "starope/evaluate/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

// A value that the option may have, other ones for other numbers.
std::string some_value(const OptionSpec& option, Random& random) {
  const auto number = static_cast<std::int64_t>(option.least) + static_cast<std::int64_t>(random.below(40)) + 1;
  switch (option.type) {
    case OptionType::whole:
      return !option.words.empty() && random.uniform() < 0.3 ? option.words.front() : std::to_string(number);
    case OptionType::number:
      return option_text(option.least + random.uniform());
    case OptionType::choice:
      return option.words[random.below(option.words.size())];
    case OptionType::list:
      return std::to_string(number) + "-" + std::to_string(number + 5);
    case OptionType::file:
      return "table.csv";
    case OptionType::text:
      break;
  }
  return std::vector<std::string>{"fqe", "qreg", "mrdr", "mb", "q.csv"}[random.below(5)];
}

EstimatorFiles any_file() {
  return {.centroids =
              [](const std::string& path) { return CentroidTable{.dimension = 1, .values = {1.0}, .source = path}; },
          .lookup = [](const std::string& path) { return LookupTable{.state = {0}, .z = {0}, .source = path}; },
          .q_table =
              [](const std::string& path) { return QTable{.actions = 1, .state = {0}, .q = {1.0}, .source = path}; }};
}

// Any options in any combination: whatever is accepted is written as a string that means the same.
TEST(Registry, TextIsWhatParsesBack) {
  Random random(Seed{1}, Stream::test_data, 0);
  std::map<std::string, int> accepted;
  for (const EstimatorSpec& spec : estimator_registry()) {
    for (int i = 0; i < 400; ++i) {
      std::string given;
      for (const OptionSpec& option : spec.options) {
        if (random.uniform() < 0.8) continue;
        given += (given.empty() ? "" : ",") + option.name + "=" + some_value(option, random);
      }
      given = spec.name + (given.empty() ? "" : "(" + given + ")");
      std::optional<Estimator> estimator;
      try {
        estimator = parse_estimator(given, any_file()).estimator;
      } catch (const InvalidArgument&) {
        continue;  // options that mean nothing together
      }
      ++accepted[spec.name];
      const std::string written = text(*estimator);
      EXPECT_EQ(parse_estimator(written, any_file()).estimator, *estimator) << given << " -> " << written;
      EXPECT_EQ(text(parse_estimator(written, any_file()).estimator), written);
    }
  }
  for (const EstimatorSpec& spec : estimator_registry()) EXPECT_GE(accepted[spec.name], 20) << spec.name;
}

TEST(Registry, DefaultsAreWhatIsMeantWithoutTheOption) {
  for (const EstimatorSpec& spec : estimator_registry()) {
    const std::string base = spec.name == "star" || spec.name == "mis" ? "clusters=8" : "";
    const Estimator plain = parse_estimator(spec.name + "(" + base + ")").estimator;
    for (const OptionSpec& option : spec.options) {
      if (option.usual.empty() || option.name == "clusters" || option.name == "phi") continue;
      const std::string given =
          fmt::format("{}({}{}{}={})", spec.name, base, base.empty() ? "" : ",", option.name, option.usual);
      try {
        const Estimator same = parse_estimator(given).estimator;
        // Of features, naming the options of one kind chooses it.
        if (option.name != "waves" && option.name != "hidden") {
          EXPECT_EQ(same, plain) << given;
        }
      } catch (const InvalidArgument&) {  // of another method or abstraction
      }
    }
  }
}

TEST(Registry, EveryNameIsThereOnceAndExplained) {
  std::set<std::string> names;
  for (const EstimatorSpec& spec : estimator_registry()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.summary.empty());
    EXPECT_FALSE(spec.listed.empty()) << spec.name;
    for (const ListedEstimator& listed : spec.listed) EXPECT_NO_THROW(parse_estimator(listed.text));
    std::set<std::string> options;
    for (const OptionSpec& option : spec.options) {
      EXPECT_TRUE(options.insert(option.name).second) << spec.name << " " << option.name;
      EXPECT_FALSE(option.help.empty());
    }
  }
}

TEST(Registry, KnowsTheRoleOfAString) {
  EXPECT_EQ(role_of("auto(seeds=3)"), EstimatorRole::automatic);
  EXPECT_EQ(role_of("naive"), EstimatorRole::uncorrected);
  EXPECT_EQ(role_of("star(clusters=8,clip=2)"), EstimatorRole::process);
  EXPECT_EQ(role_of("wpdis"), EstimatorRole::baseline);
  EXPECT_EQ(role_of("starry"), EstimatorRole::baseline);  // of another version
  EXPECT_EQ(named_estimator("starry"), nullptr);
  EXPECT_EQ(named_estimator("mb(model=mlp)")->name, "mb");
}

TEST(Registry, HelpNamesEveryEstimatorAndOptionInItsWidth) {
  const std::string help = estimator_help(80);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  for (const EstimatorSpec& spec : estimator_registry()) {
    EXPECT_THAT(help, HasSubstr("  " + spec.name + " "));
    for (const OptionSpec& option : spec.options) EXPECT_THAT(help, HasSubstr(option.name + "="));
  }
}

TEST(Registry, ThePageHasEveryOption) {
  const std::string page = estimator_page();
  EXPECT_THAT(page, HasSubstr("| `wpdis` |"));
  EXPECT_THAT(page, HasSubstr("\n## Options of `star`"));
  EXPECT_THAT(page, HasSubstr("| `truncation=end\\|censor` | end |"));
}

}  // namespace
}  // namespace starope
