#pragma once

#include <string>

#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Everything about the data but what their reader had to say.
Evaluation::Data describe_data(const Problem& problem, std::string file, Threads threads = Threads::all());

// An answer that has numbers in it: an infinite or undefined value is a failure, and an undefined standard error or
// interval is left out with a finding.
Answer make_answer(Estimate estimate);

}  // namespace starope
