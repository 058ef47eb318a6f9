#include "starope/evaluate/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/estimators/effective_size.hpp"

namespace starope {

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
    // Without a horizon a model of the process goes on where the recordings stop, and answers another question.
    data.findings.push_back({Severity::info, "natural_horizon", {{"steps", problem.longest()}}});
  }
  return data;
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
