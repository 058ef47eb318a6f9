#include "starope/study.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/text.hpp"
#include "starope/domains/icu_sepsis_domain.hpp"
#include "starope/error.hpp"
#include "starope/study/estimator_grid.hpp"

namespace starope {
namespace {

std::vector<std::string> expanded(const std::vector<std::string>& lists) {
  std::vector<std::string> all;
  for (const std::string& list : lists) {
    for (std::string& text : expand_estimators(list)) all.push_back(std::move(text));
  }
  return all;
}

// What the paper's Figure 3 compares, and more of the kind. On real-valued states a Q-function is linear in random
// features here; with `neural` it is a network as well, as in the paper.
std::vector<std::string> paper_estimators(const std::string& clusters, bool real_valued, bool neural) {
  const std::string fqe = real_valued ? "fqe(features=rbf)" : "fqe";
  // The paper left regressions out for ICU-Sepsis.
  const std::string q = real_valued ? "mb|fqe(features=rbf)|qreg|mrdr" : "mb|fqe";
  std::vector<std::string> lists{
      "naive,is,pdis,wis,wpdis",
      "auto",
      // Its processes have no horizon (horizon=none): truncated episodes end where they were cut.
      fmt::format("star(clusters={},clip=1|2|3|4|5,horizon=none)", clusters),
      fmt::format("star(phi=random,clusters={},clip=1|2|3|4|5,horizon=none)", clusters),
      "mb," + fqe,
      fmt::format("dr(q={0}),wdr(q={0}),magic(q={0})", q),
  };
  if (real_valued) lists.emplace_back("qreg,mrdr");
  if (neural && real_valued) lists.emplace_back("fqe,mb(model=mlp),dr(q=fqe),wdr(q=fqe),magic(q=fqe)");
  return expanded(lists);
}

constexpr std::int64_t paper_trials = 200;

StudyDomain cartpole(bool neural) {
  return {.name = "cartpole",
          .domain = "cartpole",
          .sizes = {50, 500, 1000, 10000},
          .trials = paper_trials,
          .estimators = paper_estimators("2|4|8|16|32|64|128", true, neural)};
}

StudyDomain asterix(bool neural) {
  return {.name = "asterix",
          .domain = "asterix",
          .sizes = {50, 500, 1000, 10000},
          .trials = paper_trials,
          .estimators = paper_estimators("2|4|8|16|32", true, neural)};
}

StudyDomain icu_sepsis(const std::string& name, const BuiltinStudyOptions& options) {
  if (options.dynamics.empty()) {
    throw InvalidArgument(
        "this study simulates ICU-Sepsis, whose tables (747 states) are not part of starope. Get the file " +
        domains::published_at(domains::IcuSepsisVersion::v0) +
        ", and name it: --dynamics FILE. Studies without it: paper-cartpole, paper-asterix");
  }
  return {.name = name,
          .domain = name,
          .file = options.dynamics,
          .sizes = {50, 100, 500, 5000},
          .trials = paper_trials,
          .estimators = paper_estimators("2|4|8|16|32", false, options.neural)};
}

StudySpec smoke() {
  StudySpec spec{.name = "smoke", .truth_episodes = 100'000};
  spec.domains.push_back(
      {.name = "cartpole",
       .domain = "cartpole",
       .sizes = {50, 200},
       .trials = 10,
       .estimators = expanded({"naive,is,pdis,wis,wpdis", "auto,mb", "star(clusters=2|8|32,clip=1|2|3,horizon=none)",
                               "star(clusters=2|8|32,clip=1|2|3,truncation=censor)"})});
  spec.domains.push_back({.name = "model-fail",
                          .domain = "model-fail",
                          .sizes = {50, 200},
                          .trials = 10,
                          .estimators = expanded({"naive,is,pdis,wis,wpdis", "auto,mb", "star(phi=identity,clip=1|2)",
                                                  "star(phi=time,clip=1|2)"})});
  return spec;
}

}  // namespace

std::vector<std::string> builtin_study_names() {
  return {"paper", "paper-cartpole", "paper-icu-sepsis", "paper-asterix", "smoke"};
}

StudySpec builtin_study(std::string_view name, const BuiltinStudyOptions& options) {
  const std::vector<std::string> names = builtin_study_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InvalidArgument(unknown_name("study", name, names));
  }
  if (name == "smoke") return smoke();
  // The true values must be far sharper than the estimates: the best errors of the paper are near 0.1.
  StudySpec spec{.name = std::string(name), .truth_episodes = 4'000'000};
  if (name == "paper" || name == "paper-cartpole") spec.domains.push_back(cartpole(options.neural));
  if (name == "paper" || name == "paper-icu-sepsis") spec.domains.push_back(icu_sepsis("icu-sepsis", options));
  if (name == "paper-icu-sepsis") spec.domains.push_back(icu_sepsis("icu-sepsis-frozen", options));
  if (name == "paper" || name == "paper-asterix") spec.domains.push_back(asterix(options.neural));
  return spec;
}

}  // namespace starope
