#pragma once

// What estimators say together about one problem.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "starope/behavior.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/finding.hpp"
#include "starope/interval.hpp"
#include "starope/problem.hpp"
#include "starope/risk.hpp"
#include "starope/text.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

struct Answer {
  std::string estimator{};  // the string that was given
  std::variant<Estimate, Failure> result{};
  std::optional<double> seconds{};  // of processor time, of shared work an equal part; empty: not measured
};

// An abstract state in terms that its owner understands.
struct CellView {
  std::int64_t cell = 0;
  double share = 0.0;   // of the logged steps
  double visits = 0.0;  // expected under the target policy
  double value = 0.0;   // of what is still to come
  double reward = 0.0;  // of a step
  double exit = 0.0;    // probability that the episode ends with a step
  double start = 0.0;   // share of the episodes that start here
  // What tells its states from the others: the features whose mean differs most from that of all states, in standard
  // deviations, with that mean; or for discrete states the most frequent ids, with their share of the cell.
  std::vector<std::pair<std::string, double>> features{};
  std::vector<std::pair<std::string, double>> ids{};
};

struct MoveView {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double probability = 0.0;
};

// The abstract reward process behind a STAR estimate, for looking at.
struct ProcessView {
  std::string estimator{};
  std::int64_t cells = 0;         // of the process
  std::vector<CellView> shown{};  // the ones the target policy visits most, most visited first
  std::vector<MoveView> moves{};  // between those
};

// May the answer be trusted? The worst grade of the rules that apply (docs/verdict.md has all of them).
enum class Grade { supported, doubtful, not_answerable };

constexpr const char* name(Grade grade) {
  switch (grade) {
    case Grade::supported:
      return "supported";
    case Grade::doubtful:
      return "doubtful";
    case Grade::not_answerable:
      break;
  }
  return "not_answerable";
}

struct VerdictReason {
  std::string code{};    // of the finding that the rule is about
  std::string reason{};  // for people
  std::string advice{};  // what to log or to change; may be empty
  friend bool operator==(const VerdictReason&, const VerdictReason&) = default;
};

struct Verdict {
  Grade grade = Grade::supported;
  std::vector<VerdictReason> reasons{};  // the one or two that decided
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// How the behavior policy was estimated, where it was: by which method, how well each method foretells actions of
// episodes it did not see, and what an estimator would say with it.
struct BehaviorView {
  struct Method {
    std::string method{};
    std::string setting{};
    double log_likelihood = 0.0;  // of a held-out step, on average
    std::optional<double> value{};
  };
  std::string method{};
  std::string setting{};
  std::vector<Method> methods{};  // the best first
  std::string estimator{};        // whose values these are; empty: none answered
  std::vector<CalibrationBin> calibration{};
  std::int64_t filled =
      0;  // steps whose probability was not logged, where the others keep theirs; 0: all are estimates
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
    double ess = 0.0;                 // of the weights of whole episodes
    std::vector<Finding> findings{};  // about the logs themselves, the worst first
  };
  Data data{};
  std::vector<Answer> estimates{};
  std::optional<double> level{};  // of the intervals; none were asked for if empty
  // The decision: which of the estimates answers, how it compares with the logged policy, and whether to trust it.
  // Empty where none was asked for, or a file of an older version has none.
  std::optional<std::size_t> answer{};  // `auto`, or else the first that corrects for the policies and has no critical
                                        // finding, or else the first that corrects for them
  std::optional<Difference> difference{};
  std::optional<Verdict> verdict{};
  // For whom: what answers and its difference, by groups of episodes. Empty unless they were asked for.
  std::string by{};  // the column that tells them apart
  std::vector<GroupAnswer> groups{};
  std::optional<BehaviorView> behavior{};           // where the behavior policy was estimated
  std::vector<ReturnDistribution> distributions{};  // of returns, where risks were asked for
  // Empty unless details were asked for.
  std::vector<double> ess_by_step{};  // after 1, 2, ... steps
  std::vector<ProcessView> processes{};
};

STAROPE_API bool any_answered(const Evaluation& evaluation);

// The estimate that answers; null if none does.
STAROPE_API const Estimate* answer_of(const Evaluation& evaluation);

// For people: the answer and whether to trust it, what was read, one row per estimator, what there is to know about
// them, how to read it.
STAROPE_API std::string text(const Evaluation& evaluation, const TextStyle& style = {});
// How every estimator that keeps a record came to its answer: name, number and meaning of each detail. Empty if none
// does.
STAROPE_API std::string explanation(const Evaluation& evaluation, const TextStyle& style = {});

// Which group each episode belongs to. Groups must be known before the first action of an episode is taken: what
// happens later depends on the policy.
struct Grouping {
  std::string by{};
  std::vector<std::string> names{};
  std::vector<std::int32_t> group_of{};  // one per episode
};

// Groups of a column, from its value in the first row of every episode: by its values where these are texts or at most
// eight numbers, by quartiles where they are more numbers, or in two by a comparison: "age<65", "ward!=icu".
// InvalidArgument where the column has more than 30 texts, or < or > is asked of texts.
STAROPE_API Grouping make_grouping(std::string_view by, std::span<const std::string> first_values);
STAROPE_API std::string group_column(std::string_view by);  // "age" of "age<65"

struct EvaluateProgress {
  std::size_t number = 0;  // of the estimator that comes next, from 1
  std::size_t total = 0;
  std::string estimator{};
};

struct EvaluateOptions {
  std::optional<Level> level = Level{0.95};  // of the intervals; empty: none are made
  IntervalRecipe interval{};                 // how they are made
  RiskQuestion risk{};                       // what to say about the distribution of returns; empty: nothing
  // The behavior probabilities of the problem were estimated so; a bootstrap estimates them anew in every replicate.
  std::optional<BehaviorRecipe> behavior{};
  bool interval_findings = true;  // estimates say where their intervals are not to be trusted
  bool details = false;           // also effective sample sizes by step, and the processes behind each star
  bool checks = true;             // look for what is wrong with the logs, before anything is estimated
  bool decision = true;           // say which estimate answers, how it compares, and whether to trust it
  bool influence = false;         // estimates keep their influence values
  bool seconds = false;           // answers have the processor time they took
  Threads threads = Threads::all();
  std::string file{};                // where the logs come from, for who reads the answer
  std::vector<Finding> findings{};   // what their reader found
  std::optional<Grouping> groups{};  // also answer for each of these
  std::function<void(const EvaluateProgress&)> progress{};
  // Asked often, by any thread that works: once it is true, the evaluation ends soon, with Interrupted. Empty: never.
  std::function<bool()> stop{};
};

// Nothing is wrong: options.stop said so.
class STAROPE_API Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted", "the evaluation was stopped") {}
};

// What all estimators answer on one problem, in the order given. One that throws has a failure for an answer (memory
// that runs out included); the others go on.
//
// Work is shared where the answer is the same: all `star`s with the same abstraction (options, seed and states that
// count) use one labeling and one pass over the logs, so a grid of |Z| x clips costs one k-means per |Z|; all
// estimators with the same fitted Q-function use one fit, fits to the same features make them once, and features that
// are clusters are the labels of a `star`.
STAROPE_API Evaluation evaluate(const Problem& problem, const std::vector<RequestedEstimator>& estimators,
                                const EvaluateOptions& options = {});
STAROPE_API Evaluation evaluate(const Problem& problem, const std::vector<NamedEstimator>& estimators,
                                const EvaluateOptions& options = {});
// The same under the names that `text` gives them: evaluate(problem, {Auto{}, Star{Clusters{16}, Clip::last(2)}}).
STAROPE_API Evaluation evaluate(const Problem& problem, const std::vector<Estimator>& estimators,
                                const EvaluateOptions& options = {});

// The same for logs whose behavior probabilities are not known (or not believed): they are estimated first.
STAROPE_API Evaluation evaluate(const Dataset& data, const BehaviorRecipe& behavior, const ProblemOptions& question,
                                const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options = {});

// "estimate", "estimate(method=counts,folds=5,crossfit=yes)". InvalidArgument where that is none.
STAROPE_API BehaviorRecipe parse_behavior(std::string_view text, Seed seed = {});

// The same for logs that come in blocks, with the numbers of the same logs in memory, to the bit (star: where phi is
// fitted on all of them; intervals: up to rounding). Stars with the same phi share its fit. What needs all logs in
// memory has the failure "needs_memory" for an answer. Of the details, there are no processes.
STAROPE_API Evaluation evaluate(const Source& source, const ProblemOptions& question,
                                const std::vector<RequestedEstimator>& estimators, const EvaluateOptions& options = {});
STAROPE_API Evaluation evaluate(const Source& source, const ProblemOptions& question,
                                const std::vector<NamedEstimator>& estimators, const EvaluateOptions& options = {});
STAROPE_API Evaluation evaluate(const Source& source, const ProblemOptions& question,
                                const std::vector<Estimator>& estimators, const EvaluateOptions& options = {});

// Whether an estimator can answer on logs that come in blocks.
STAROPE_API bool takes_blocks(const Estimator& estimator);

// One JSON object, schema "starope.evaluate/1": numbers in full precision, never NaN or infinity.
STAROPE_API std::string to_json(const Evaluation& evaluation);

// The way back: what to_json wrote gives the same JSON again. (What JSON does not have is empty: influence values, the
// meanings of details.) `source` is where the text comes from, for the DataError where it is no such JSON.
STAROPE_API Evaluation evaluation_from_json(std::string_view text, const std::string& source = {});

}  // namespace starope
