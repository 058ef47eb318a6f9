#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/base/types.hpp"

namespace starope {

// One source of logs of a study: a simulated world, or a file of own logs.
struct StudyDomain {
  std::string name{};                  // unique within the study; stands in every result
  std::string domain{};                // of starope/domains; empty: own logs
  std::string behavior{}, target{};    // policies; empty: the domain's own
  std::optional<Horizon> horizon{};    // none: the domain's own, or for own logs none
  std::optional<Discount> discount{};  // none: the domain's own, or 1
  std::string file{};                  // own logs, or the tables that the domain needs (its dynamics)
  std::string checksum{};              // of the file: what a study was made with, wherever the file lies
  std::optional<double> truth{};       // own logs: the true value, if it is known
  std::vector<std::int64_t> sizes{};   // numbers of episodes
  std::int64_t trials = 1;
  std::vector<std::string> estimators{};  // strings, each for one estimator
};

// Domains x sizes x trials x estimators. Together with the program, it determines every number of the results.
struct StudySpec {
  std::string name{};
  Seed seed{};
  std::int64_t truth_episodes = 1'000'000;  // simulated where the true value is not known exactly
  Level level{0.95};                        // of the intervals
  std::vector<StudyDomain> domains{};
};

// InvalidArgument names what cannot be meant: no sizes, a name or an estimator given twice, an unknown estimator, ...
void check_study(const StudySpec& spec);

// Everything spelled out: policies, horizons and discounts of the domains, checksums of the files. Checks the result.
StudySpec complete_study(StudySpec spec);

// One text for one specification: the keys in fixed order, indented for people.
std::string study_json(const StudySpec& spec);
StudySpec parse_study_json(std::string_view text, const std::string& file);  // DataError

// One line per difference, empty if both describe the same results: "seed: 1, now 2". Where files lie does not count.
std::vector<std::string> study_differences(const StudySpec& stored, const StudySpec& given);

// Of the bytes of a file (FNV-1a, 64 bits, hexadecimal). FileError if it cannot be read.
std::string file_checksum(const std::string& path);
// Of what study_differences compares.
std::string study_checksum(const StudySpec& spec);

}  // namespace starope
