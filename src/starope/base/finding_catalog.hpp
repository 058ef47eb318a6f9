#pragma once

#include <span>
#include <string>
#include <string_view>

#include "starope/finding.hpp"

namespace starope {

// One entry of the catalog of findings. docs/findings.md lists all of them.
struct FindingKind {
  std::string_view code{};
  std::string_view severity{};  // one, or several separated by blanks where the numbers decide
  std::string_view when{};      // in which case it is found
  // With placeholders {parameter:format}. Formats of numbers: none (four digits), ".2" (two digits), "d" (digits to
  // type), "%" (of a share), "ess" (an effective number of episodes), "# step" ("1 step", "2,000 steps"), "# step is|#
  // steps are", "is|are". Of words: none, or "word -> phrase|word -> phrase". {shortest..longest} shows two numbers, or
  // one if they are equal.
  std::string_view sentence{};
};

// All findings there are, by code.
std::span<const FindingKind> finding_catalog();

// Another sentence with the same placeholders, filled with the numbers of a finding that has all of them.
std::string say(std::string_view sentence, const Finding& finding);

// Null if there is no such code.
const FindingKind* find_kind(std::string_view code);

// Whether `text` can say it: the code is in the catalog and no parameter of its sentence is missing. True for all
// findings of this program; files of another version may hold others.
bool can_be_said(const Finding& finding);

}  // namespace starope
