// Writes docs/verdict.md, the rules of the verdict for readers.

#include <cstdio>

#include "starope/evaluate/verdict_rules.hpp"

namespace {

constexpr const char* head = R"(# The verdict

<!-- written by `make docs`, do not edit -->

`evaluate` grades its answer: **supported**, **doubtful** or **not answerable** from these logs. The grade follows from the
[findings](findings.md) about the logs and those of the estimate that answers, by the rules below. The worst grade of the rules
that apply counts; the first two rules of that grade, in the order of the table, are the reasons that are given. A finding that is
no more than `info` never counts. A finding without a rule makes the answer doubtful where it is a warning, and not answerable where
it is critical. An answer against which no rule speaks is supported. [How to read an answer](answer.md) says what that means.

)";

}  // namespace

int main() {
  std::fputs(head, stdout);
  std::fputs(starope::verdict_page().c_str(), stdout);
}
