// Writes docs/findings.md, the catalog of findings for readers.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "starope/base/finding_catalog.hpp"
#include "starope/base/finding_sentence.hpp"

namespace {

// How the page shows a placeholder: {name}, with its noun; a choice as [name=word: phrase / name=word: phrase].
std::string shown(std::string_view names, std::string_view format) {
  if (const std::size_t dots = names.find(".."); dots != std::string_view::npos)
    return fmt::format("{{{}}} to {{{}}}", names.substr(0, dots), names.substr(dots + 2));
  if (format.find(" -> ") != std::string_view::npos) {
    std::string choices;
    while (!format.empty()) {
      const std::string_view part = starope::next_part(format);
      const std::size_t arrow = part.find(" -> ");
      choices += fmt::format("{}{}={}: {}", choices.empty() ? "[" : " / ", names, part.substr(0, arrow),
                             part.substr(arrow + 4));
    }
    return choices + "]";
  }
  if (format.find_first_of("#|") == std::string_view::npos) return fmt::format("{{{}}}", names);
  const std::string_view singular = starope::next_part(format);
  const std::string_view plural = starope::next_part(format);
  std::string phrase = plural.empty() ? std::string(singular) + "s" : std::string(plural);
  if (const std::size_t at = phrase.find('#'); at != std::string::npos)
    phrase.replace(at, 1, fmt::format("{{{}}}", names));
  return phrase;
}

constexpr const char* head = R"(# Findings

<!-- written by `make docs`, do not edit -->

A finding says what is weak or suspicious about the logs or an estimate, and what to do. It has a code, which is stable, a
severity (`info`, `warning` or `critical`) and named parameters; `--json` prints all of them and the sentence. Where several
severities are listed, the numbers decide. In the table, `{name}` is a parameter, and `[name=word: ...]` is a phrase that is
chosen by a parameter. If several estimators have the same finding, the table of `evaluate` shows it once, with the least and the
most of the numbers that differ.

| code | severity | found if | sentence |
|---|---|---|---|
)";

}  // namespace

int main() {
  std::fputs(head, stdout);
  for (const starope::FindingKind& kind : starope::finding_catalog()) {
    std::string severity(kind.severity);
    std::replace(severity.begin(), severity.end(), ' ', '/');
    std::puts(
        fmt::format("| `{}` | {} | {} | {} |", kind.code, severity, kind.when, starope::fill(kind.sentence, shown))
            .c_str());
  }
}
