#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "starope/version.hpp"

namespace starope {

enum class Severity { info, warning, critical };

constexpr const char* name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::critical:
      break;
  }
  return "critical";
}

// A number or a word that a finding is about, under the name that its sentence and the JSON use.
struct FindingParameter {
  std::string name{};
  std::variant<std::int64_t, double, std::string> value{};
  friend bool operator==(const FindingParameter&, const FindingParameter&) = default;
};

// Weak statistics are not errors: they travel with the result, and the reader decides. A finding is data; its sentence
// is in the catalog (docs/findings.md).
struct Finding {
  Severity severity = Severity::info;
  std::string code{};  // stable, for programs: "low_ess"
  std::vector<FindingParameter> parameters{};
  friend bool operator==(const Finding&, const Finding&) = default;
};

// The sentence of the catalog: what was found, and what to do about it. The code must be in the catalog and all
// parameters of the sentence must be there.
STAROPE_API std::string text(const Finding& finding);

// Whether the two differ in numbers alone, so that one sentence can say both.
STAROPE_API bool same_sentence(const Finding& a, const Finding& b);

// One sentence for findings that all have the same one, as of several estimators: numbers that differ between them are
// shown from the least to the most, "1.2 to 1.5 of 300 episodes".
STAROPE_API std::string text(std::span<const Finding> findings);

}  // namespace starope
