#include "starope/evaluate/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <utility>

#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/parallel/stop.hpp"

namespace starope {
namespace {

// Without a horizon a model of the process goes on where the recordings stop, and answers another question.
Finding natural_horizon(std::int64_t steps) {
  return {Severity::info, "natural_horizon", {{"steps", steps}}};
}

}  // namespace

Evaluation::Data describe_data(const Problem& problem, std::string file, Threads threads) {
  Evaluation::Data data{.file = std::move(file),
                        .episodes = problem.episodes(),
                        .steps = problem.steps(),
                        .truncated = 0,
                        .gamma = problem.discount().gamma(),
                        .horizon = {},
                        .ess = effective_episodes(problem, threads),
                        .findings = {}};
  if (problem.horizon()) data.horizon = problem.horizon()->steps();
  bool cut_at_the_longest = true;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.end != EpisodeEnd::truncated) continue;
    ++data.truncated;
    cut_at_the_longest = cut_at_the_longest && episode.length() == problem.longest();
  }
  if (data.truncated > 0 && cut_at_the_longest && !data.horizon) {
    data.findings.push_back(natural_horizon(problem.longest()));
  }
  return data;
}

Evaluation::Data describe_data(const Source& source, const ProblemOptions& question, std::string file,
                               Threads threads) {
  const SeenLogs logs = seen_logs(source, question, threads);
  Evaluation::Data data{.file = std::move(file),
                        .episodes = logs.survey.episodes,
                        .steps = logs.survey.steps,
                        .truncated = logs.cut.episodes,
                        .gamma = question.discount.gamma(),
                        .horizon = {},
                        .ess = whole_weights(LogsInBlocks{source, question, threads}).ess,
                        .findings = {}};
  if (question.horizon) data.horizon = question.horizon->steps();
  if (data.truncated > 0 && logs.cut.common == logs.survey.longest && !data.horizon)
    data.findings.push_back(natural_horizon(logs.survey.longest));
  return data;
}

Evaluation until_stopped(const std::function<bool()>& stop, const std::function<Evaluation()>& work) {
  const StopScope scope(stop);
  try {
    return work();
  } catch (const Stopped&) {
    throw Interrupted();
  }
}

Failure failure_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Stopped&) {  // is nobody's failure
    throw;
  } catch (const Error& error) {
    return {.code = error.code(), .message = error.what()};
  } catch (const std::bad_alloc&) {
    return {.code = "out_of_memory", .message = "there is not enough memory for this estimator"};
  } catch (const std::exception& error) {
    return {.code = "internal_error", .message = error.what()};
  } catch (...) {
    return {.code = "internal_error", .message = "something that is no exception was thrown"};
  }
}

Answer finished(std::string name, Estimate estimate, const EvaluateOptions& options, std::optional<MadeInterval> made) {
  estimate = finite(std::move(estimate));
  estimate.estimator = std::move(name);
  if (options.level) {
    const IntervalMethod method = options.interval.method;
    const bool from_error = method == IntervalMethod::influence || method == IntervalMethod::t;
    if (!made && from_error) made = interval_from_error(estimate, method, *options.level);
    if (!made) {
      made = MadeInterval{
          .interval = {},
          .findings = {{Severity::warning, "no_interval", {{"method", starope::name(method)}, {"reason", "blocks"}}}}};
    }
    estimate.interval = std::move(made->interval);
    if (options.interval_findings) {
      for (Finding& finding : made->findings) estimate.findings.push_back(std::move(finding));
      if (!is_bound(method)) {
        for (Finding& finding : interval_findings(estimate)) estimate.findings.push_back(std::move(finding));
      }
    }
  }
  if (!options.influence) estimate.influence = {};
  return make_answer(std::move(estimate));
}

void put_first(std::vector<Finding>& all, std::vector<Finding> found) {
  std::move(all.begin(), all.end(), std::back_inserter(found));
  all = std::move(found);
}

Answer make_answer(Estimate estimate) {
  std::string name = estimate.estimator;
  if (!std::isfinite(estimate.value)) {
    return {.estimator = std::move(name),
            .result = Failure{.code = "not_finite",
                              .message = fmt::format("the estimate is {}: the weights or the rewards leave the "
                                                     "range of double precision. Use an estimator with "
                                                     "smaller weights, such as wpdis or star with a clip",
                                                     estimate.value)}};
  }
  const bool wild_error = estimate.std_error && !std::isfinite(*estimate.std_error);
  const bool wild_interval =
      estimate.interval && !(std::isfinite(estimate.interval->lower) && std::isfinite(estimate.interval->upper));
  if (wild_error) estimate.std_error.reset();
  if (wild_error || wild_interval) {
    estimate.interval.reset();
    estimate.findings.push_back({Severity::critical, "not_finite_error"});
  }
  return {.estimator = std::move(name), .result = std::move(estimate)};
}

bool any_answered(const Evaluation& evaluation) {
  return std::any_of(evaluation.estimates.begin(), evaluation.estimates.end(),
                     [](const Answer& answer) { return std::holds_alternative<Estimate>(answer.result); });
}

}  // namespace starope
