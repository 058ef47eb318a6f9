// Writes docs/findings.md, the catalog of findings for readers.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "starope/base/finding_catalog.hpp"
#include "starope/base/finding_sentence.hpp"

namespace {

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
        fmt::format("| `{}` | {} | {} | {} |", kind.code, severity, kind.when, starope::shown_to_readers(kind.sentence))
            .c_str());
  }
}
