#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/evaluate/evaluation.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"

namespace starope {

StudyResult make_result(const StudyDomain& domain, const StudyCell& cell, const std::string& estimator, Answer answer);

using StudyLine = std::variant<StudyHeader, StudyTruth, StudyResult>;

// A line of JSON (schema "starope.study/1") with the newline. Numbers keep all their digits. Its member `check` is a
// checksum of the others, `seconds` left out.
std::string result_line(const StudyLine& line);
// DataError, with file and row, where the text is no such line or was changed. Older files have no checks; a
// file whose first line has one has it in all of them.
StudyLine parse_result_line(std::string_view text, const std::string& file, std::int64_t row,
                            bool must_have_check = false);
bool has_check(std::string_view line);

// A failure of the moment: the same cell may have an answer where there is more memory.
bool may_succeed_later(const Failure& failure);

}  // namespace starope
