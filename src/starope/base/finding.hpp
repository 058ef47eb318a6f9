#pragma once

#include <string>

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

// Weak statistics are not errors: they travel with the result, in plain words, and the reader decides.
struct Finding {
  Severity severity = Severity::info;
  std::string code;     // stable, for programs: "low_ess"
  std::string message;  // one or two sentences, for people
  friend bool operator==(const Finding&, const Finding&) = default;
};

}  // namespace starope
