#pragma once

#include <optional>
#include <vector>

#include "starope/evaluate.hpp"

namespace starope {

// Which estimate answers: `auto`; or else the first that corrects for the difference of the policies and has no
// critical finding; or else the first that corrects for it. None if no such estimator has an answer.
std::optional<std::size_t> choose_answer(const std::vector<Answer>& estimates);

// How many episodes of the target policy itself would have the standard error of the answer, if their returns varied as
// the logged ones do. None where that is not known.
std::optional<double> worth_of(const Evaluation& evaluation);

// By the rules, from the findings about the logs and those of the estimate that answers.
Verdict judge(const Evaluation& evaluation);

}  // namespace starope
