#pragma once

// Evaluating, as `evaluate` and `compare` of Python ask for it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/inspect.hpp"

namespace starope::python {

// The options of the call, checked.
struct Asked {
  ProblemOptions question{};
  std::optional<double> level{};
  IntervalRecipe interval{};
  std::optional<BehaviorRecipe> behavior{};  // none: the logged probabilities are used
  RiskQuestion risk{};
  Seed seed{};
  std::optional<int> threads{};
  bool details = false;
  bool influence = false;
  std::string file{};
  std::optional<Grouping> groups{};
};
Asked asked_of(const nb::dict& options);

// An estimator whose abstraction or Q-function was computed in Python: the same episodes, in states that are what it
// said, under an estimator that takes these as they are.
struct Plugged {
  std::size_t place = 0;  // among all estimators
  std::string name{};
  Column<std::int64_t> rows{};  // the states
  Estimator estimator;
};
std::vector<Plugged> plugged_of(const nb::list& plugs, Seed seed);

// Which of all estimators, those of other policies included, come next.
struct Places {
  std::size_t before = 0;
  std::size_t total = 0;
};

// The lists that `texts` stand for, one after the other; without `texts` the usual ones.
std::vector<RequestedEstimator> requested_of(const Logs& logs, const std::optional<std::vector<std::string>>& texts,
                                             const Asked& asked);

std::vector<RequestedEstimator> requested_of(const Blocks& logs, const std::optional<std::vector<std::string>>& texts,
                                             const Asked& asked);

Evaluation evaluate_asked(const Logs& logs, const std::vector<RequestedEstimator>& requested,
                          const std::vector<Plugged>& plugged, const Asked& asked, const Places& places,
                          const Listening::Tell& tell, const Listening::Stop& stop);

// Of logs in blocks. What Python computes for every state is none of their estimators.
Evaluation evaluate_asked(const Blocks& logs, const std::vector<RequestedEstimator>& requested, const Asked& asked,
                          const Places& places, const Listening::Tell& tell, const Listening::Stop& stop);

// What an inspection says of the columns of the logs, as their reader saw them.
void describe_columns(Inspection& inspection, const io::ReadSummary& summary, const std::vector<Finding>& findings,
                      const std::string& file);

template <class Result>
std::string shown(const Result& result, std::size_t width, bool color) {
  return text(result, TextStyle{.width = width, .color = color});
}

}  // namespace starope::python
