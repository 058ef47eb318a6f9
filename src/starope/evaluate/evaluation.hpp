#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/evaluate/estimator.hpp"
#include "starope/evaluate/process_view.hpp"

namespace starope {

struct Answer {
  std::string estimator{};  // the string that was given
  std::variant<Estimate, Failure> result{};
  std::optional<double> seconds{};  // of processor time, of shared work an equal part; empty: not measured
};

// What estimators say about one problem: for programs, and for the texts and pages that people read.
struct Evaluation {
  struct Data {
    std::string file{};
    std::int64_t episodes = 0;
    std::int64_t steps = 0;  // that count, up to the horizon
    std::int64_t truncated = 0;
    double gamma = 1.0;
    std::optional<std::int64_t> horizon{};
    double ess = 0.0;  // of the weights of whole episodes
    std::vector<Finding> findings{};
  };
  Data data{};
  std::vector<Answer> estimates{};
  std::optional<double> level{};  // of the intervals; none were asked for if empty
  // Empty unless details were asked for.
  std::vector<double> ess_by_step{};  // after 1, 2, ... steps
  std::vector<ProcessView> processes{};
};

// Everything about the data but what their reader had to say.
Evaluation::Data describe_data(const Problem& problem, std::string file, Threads threads = Threads::all());

// An answer that has numbers in it: an infinite or undefined value is a failure, and an undefined standard error or
// interval is left out with a finding.
Answer make_answer(Estimate estimate);

bool any_answered(const Evaluation& evaluation);

}  // namespace starope
