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
#include "starope/evaluate/verdict.hpp"
#include "starope/inference/difference.hpp"
#include "starope/inference/group_answers.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/parallel/stop.hpp"

namespace starope {
namespace {

// Without a horizon a model of the process goes on where the recordings stop, and answers another question.
Finding natural_horizon(std::int64_t steps) {
  return {Severity::info, "natural_horizon", {{"steps", steps}}};
}

// Cut before all the steps that count: logged returns lack what would have followed, and are no returns of the
// question.
std::optional<Finding> recordings_cut(const TruncatedLengths& cut, std::int64_t episodes,
                                      const std::optional<std::int64_t>& horizon, std::int64_t longest) {
  const std::int64_t steps = horizon.value_or(longest);
  if (cut.episodes == 0 || cut.common == steps) return std::nullopt;
  return Finding{Severity::info, "recordings_cut", {{"cut", cut.episodes}, {"episodes", episodes}, {"steps", steps}}};
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
  if (auto finding = recordings_cut(truncated_lengths(problem), data.episodes, data.horizon, problem.longest()))
    data.findings.push_back(*std::move(finding));
  return data;
}

Evaluation::Data describe_data(const Source& source, const ProblemOptions& question, std::string file,
                               Threads threads) {
  const SeenLogs logs = seen_logs(source, question, threads);
  Evaluation::Data data = describe_data(logs, question, whole_weights(LogsInBlocks{source, question, threads}).ess);
  data.file = std::move(file);
  return data;
}

Evaluation::Data describe_data(const SeenLogs& logs, const ProblemOptions& question, double ess) {
  Evaluation::Data data{.file = {},
                        .episodes = logs.survey.episodes,
                        .steps = logs.survey.steps,
                        .truncated = logs.cut.episodes,
                        .gamma = question.discount.gamma(),
                        .horizon = {},
                        .ess = ess,
                        .findings = {}};
  if (question.horizon) data.horizon = question.horizon->steps();
  if (data.truncated > 0 && logs.cut.common == logs.survey.longest && !data.horizon)
    data.findings.push_back(natural_horizon(logs.survey.longest));
  if (auto finding = recordings_cut(logs.cut, data.episodes, data.horizon, logs.survey.longest))
    data.findings.push_back(*std::move(finding));
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

namespace {

// A standard error of the size of rounding is none: the episodes do not differ. Its digits would be those of the order
// of additions, and "worth" a million million episodes.
void drop_rounding(Estimate& estimate) {
  constexpr double rounding = 1e-12;
  if (!estimate.std_error || *estimate.std_error > rounding * std::abs(estimate.value)) return;
  estimate.std_error = 0.0;
  std::fill(estimate.influence.begin(), estimate.influence.end(), 0.0);
}

}  // namespace

Answer finished(std::string name, Estimate estimate, const EvaluateOptions& options, std::optional<MadeInterval> made) {
  estimate = finite(std::move(estimate));
  drop_rounding(estimate);
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
  if (!options.influence && !estimate.influence.empty()) {
    estimate.spread = {.episodes = scored_episodes(estimate), .effective_scores = effective_scores(estimate)};
    estimate.influence = {};
  }
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

namespace {

// Rewards that no number can hold are the failure of every estimator; then there is nothing to compare with.
template <class Work>
Estimate unless_it_fails(const EvaluateOptions& options, const Work& work) {
  if (!options.decision) return {};
  try {
    return work();
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

Estimate logged_policy(const Problem& problem, const EvaluateOptions& options) {
  return unless_it_fails(options, [&] { return estimate(Naive{}, problem, {.threads = options.threads}); });
}

Estimate logged_policy(const Source& source, const ProblemOptions& question, const EvaluateOptions& options) {
  return unless_it_fails(options, [&] {
    return estimate(Naive{}, source, question, {.threads = options.threads, .keep_influence = true});
  });
}

Decision::Decision(Estimate logged, const EvaluateOptions& options) : logged_(std::move(logged)), options_(options) {
  if (!options.groups || logged_.influence.empty()) return;
  const Grouping& groups = *options.groups;
  if (groups.group_of.size() == logged_.influence.size()) return;
  throw InvalidArgument(fmt::format("{} episodes have groups by {}, but the logs hold {} episodes",
                                    groups.group_of.size(), groups.by, logged_.influence.size()));
}

void Decision::compare(std::size_t place, const Estimate& estimate) {
  if (!options_.decision || logged_.influence.empty()) return;
  Compared& compared = compared_[place];
  compared.difference = paired_difference(estimate, logged_, options_.level);
  if (!options_.groups) return;
  const Grouping& groups = *options_.groups;
  compared.groups = group_answers(estimate, logged_, groups.group_of, groups.names, options_.level);
}

void Decision::decide(Evaluation& evaluation) const {
  if (!options_.decision) return;
  evaluation.answer = choose_answer(evaluation.estimates);
  if (options_.groups) evaluation.by = options_.groups->by;
  if (evaluation.answer) {
    const auto found = compared_.find(*evaluation.answer);
    if (found != compared_.end() && std::isfinite(found->second.difference.value)) {
      evaluation.difference = found->second.difference;
      evaluation.groups = found->second.groups;
    }
  }
  if (!logged_is_comparable(evaluation.data)) {
    evaluation.difference.reset();
    for (GroupAnswer& group : evaluation.groups) group.difference = {};
  }
  evaluation.verdict = judge(evaluation);
}

const Finding* find_recordings_cut(const Evaluation::Data& data) {
  const auto found = std::find_if(data.findings.begin(), data.findings.end(),
                                  [](const Finding& finding) { return finding.code == "recordings_cut"; });
  return found == data.findings.end() ? nullptr : &*found;
}

bool logged_is_comparable(const Evaluation::Data& data) {
  return !data.horizon || find_recordings_cut(data) == nullptr;
}

const Estimate* answer_of(const Evaluation& evaluation) {
  if (!evaluation.answer || *evaluation.answer >= evaluation.estimates.size()) return nullptr;
  return std::get_if<Estimate>(&evaluation.estimates[*evaluation.answer].result);
}

void add_findings(Evaluation::Data& data, std::vector<Finding> found) {
  std::move(found.begin(), found.end(), std::back_inserter(data.findings));
  std::stable_sort(data.findings.begin(), data.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

bool any_answered(const Evaluation& evaluation) {
  return std::any_of(evaluation.estimates.begin(), evaluation.estimates.end(),
                     [](const Answer& answer) { return std::holds_alternative<Estimate>(answer.result); });
}

}  // namespace starope
