#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/evaluate.hpp"
#include "starope/inference/interval_of.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// Everything about the data but what their reader had to say.
Evaluation::Data describe_data(const Problem& problem, std::string file, Threads threads = Threads::all());

// The same for logs that come in blocks.
Evaluation::Data describe_data(const Source& source, const ProblemOptions& question, std::string file, Threads threads);

// The same of sums over logs; `ess` is that of whole episodes.
Evaluation::Data describe_data(const SeenLogs& logs, const ProblemOptions& question, double ess);

// Does the work of an evaluation, which ends with Interrupted where stop() says so.
Evaluation until_stopped(const std::function<bool()>& stop, const std::function<Evaluation()>& work);

// What an exception says that an estimator threw. Stopped is thrown on.
Failure failure_of(const std::exception_ptr& thrown);

// The answer under a name, with what the options ask for: an interval, and what is to be said about it. `made`: an
// interval that was made by other means than the standard error; none: it is made here.
Answer finished(std::string name, Estimate estimate, const EvaluateOptions& options,
                std::optional<MadeInterval> made = {});

// What their reader found as well; the worst first.
void add_findings(Evaluation::Data& data, std::vector<Finding> found);

// What the logged policy earned, with its influence values; empty where no decision is asked for.
Estimate logged_policy(const Problem& problem, const EvaluateOptions& options);
Estimate logged_policy(const Source& source, const ProblemOptions& question, const EvaluateOptions& options);

// What the logged policy earned, to which every estimate is compared while its influence values are there; at the end
// the decision. Without influence values of the logged policy there is no difference.
class Decision {
 public:
  Decision(Estimate logged, const EvaluateOptions& options);
  void compare(std::size_t place, const Estimate& estimate);
  void decide(Evaluation& evaluation) const;

 private:
  struct Compared {
    Difference difference{};
    std::vector<GroupAnswer> groups{};
  };
  Estimate logged_;
  const EvaluateOptions& options_;
  std::map<std::size_t, Compared> compared_{};  // by the place of the estimate
};

// That recordings end before the steps that count; null if none does.
const Finding* find_recordings_cut(const Evaluation::Data& data);

// Whether what was logged is what the logged policy earns in the steps that count. Not if recordings were cut before:
// the difference from it would be one of two questions. Without a horizon both are about what was recorded.
bool logged_is_comparable(const Evaluation::Data& data);

// What the checks found stands before what the description says.
void put_first(std::vector<Finding>& all, std::vector<Finding> found);

// An answer that has numbers in it: an infinite or undefined value is a failure, and an undefined standard error or
// interval is left out with a finding.
Answer make_answer(Estimate estimate);

}  // namespace starope
