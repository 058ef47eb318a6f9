// Writes docs/estimators.md, the registry of estimators for readers.

#include <cstdio>

#include "starope/evaluate/registry.hpp"

namespace {

constexpr const char* head = R"(# Estimators

<!-- written by `make docs`, do not edit -->

Every estimator and its options, as `--estimators` takes them: `name`, or `name(option=value,...)`. An empty default is
explained in the meaning. [What starope computes](methods.md) has the formulas and says when each can be trusted, and
[auto](auto.md) has a page of its own.

)";

}  // namespace

int main() {
  std::fputs(head, stdout);
  std::fputs(starope::estimator_page().c_str(), stdout);
}
