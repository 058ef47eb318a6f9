#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/evaluate/evaluation.hpp"
#include "starope/study/case_data.hpp"
#include "starope/study/spec.hpp"

namespace starope {

struct StudyAnswer {
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  std::vector<std::string> findings{};  // their codes
};

// What one estimator answered on one data set.
struct StudyResult {
  std::string domain{};
  std::int64_t size = 0;
  std::int64_t trial = 0;
  std::string estimator{};
  std::variant<StudyAnswer, Failure> answer{};
  double seconds = 0.0;
};

StudyResult make_result(const StudyDomain& domain, const StudyCell& cell, const std::string& estimator, Answer answer);

// The first line of a file of results: which study they belong to.
struct StudyHeader {
  std::string study{};                 // its name
  std::vector<std::string> domains{};  // in its order
  std::string checksum{};              // of its specification
};

using StudyLine = std::variant<StudyHeader, StudyTruth, StudyResult>;

// A line of JSON (schema "starope.study/1") with the newline. Numbers keep all their digits.
std::string result_line(const StudyLine& line);
// DataError, with file and row, where the text is no such line.
StudyLine parse_result_line(std::string_view text, const std::string& file, std::int64_t row);

}  // namespace starope
