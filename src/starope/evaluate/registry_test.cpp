#include "starope/evaluate/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

constexpr std::array q_values{"fqe", "qreg", "mrdr", "mb", "q.csv"};

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
  return q_values[random.below(q_values.size())];
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

std::optional<Estimator> parsed(const std::string& text) {
  try {
    return parse_estimator(text, any_file()).estimator;
  } catch (const InvalidArgument&) {
    return std::nullopt;
  }
}

// Every word of every option, and every value of the others: alone, or beside one word or value of another option, as
// bins=4 beside phi=grid. Whoever reads of an option can use it.
TEST(Registry, WhatIsListedIsAccepted) {
  const auto values = [](const OptionSpec& option) {
    std::vector<std::string> all = option.words;
    Random random(Seed{2}, Stream::test_data, 0);
    if (option.type == OptionType::text) return std::vector<std::string>(q_values.begin(), q_values.end());
    if (option.type != OptionType::choice) all.push_back(some_value(option, random));
    return all;
  };
  for (const EstimatorSpec& spec : estimator_registry()) {
    for (const OptionSpec& option : spec.options) {
      for (const std::string& value : values(option)) {
        const std::string alone = fmt::format("{}={}", option.name, value);
        bool accepted = parsed(fmt::format("{}({})", spec.name, alone)).has_value();
        for (const OptionSpec& other : spec.options) {
          if (accepted || other.name == option.name) continue;
          for (const std::string& beside : values(other)) {
            accepted = accepted || parsed(fmt::format("{}({},{}={})", spec.name, alone, other.name, beside));
          }
        }
        EXPECT_TRUE(accepted) << spec.name << " lists " << alone;
      }
    }
  }
}

// What an explanation names is a word or an option of the same estimator.
TEST(Registry, ExplanationsNameWhatThereIs) {
  for (const EstimatorSpec& spec : estimator_registry()) {
    const auto has = [&](const std::string& name, const std::string& value) {
      return std::any_of(spec.options.begin(), spec.options.end(), [&](const OptionSpec& option) {
        return option.name == name &&
               (value.empty() || std::find(option.words.begin(), option.words.end(), value) != option.words.end());
      });
    };
    for (const OptionSpec& option : spec.options) {
      if (option.help.find("rollouts") != std::string::npos) {
        EXPECT_TRUE(has("rollouts", "")) << spec.name << ' ' << option.name;
      }
      if (option.name == "phi" || option.name == "clusters" || option.name == "seed") {
        if (option.help.find("value") != std::string::npos) {
          EXPECT_TRUE(has("phi", "value")) << spec.name << ' ' << option.name;
        }
      }
      for (const char* named : {"features", "model"}) {
        const std::size_t at = option.help.find(std::string(named) + "=");
        if (at == std::string::npos) continue;
        const std::size_t from = at + std::string(named).size() + 1;
        const std::string value = option.help.substr(from, option.help.find_first_of(" ;,", from) - from);
        EXPECT_TRUE(has(named, value)) << spec.name << ' ' << option.name << ": " << option.help;
      }
    }
  }
}

TEST(Registry, HelpExplainsAnOptionOnce) {
  const std::string help = estimator_help(200);
  EXPECT_THAT(help, HasSubstr("qreg      Q by regression of weighted returns. Options: as fqe\n"));
  EXPECT_THAT(help,
              HasSubstr("mrdr      the Q that gives dr the least variance. Options: anchor=X, and those of fqe\n"));
  EXPECT_THAT(help, HasSubstr("Options: q=Q, folds=N, and those of mrdr\n"));
  EXPECT_THAT(help, HasSubstr("wdr       doubly robust with weights that sum to one. Options: as dr\n"));
  EXPECT_THAT(help, HasSubstr("Options: returns=N, replicates=N, and those of dr\n"));
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
