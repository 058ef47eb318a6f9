#include "starope/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/inference/simultaneous.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

constexpr const char* max_t_method = "influence, max-t";

const Answer* find_naive(const std::vector<PolicyEvaluation>& evaluations) {
  const Answer* failed = nullptr;
  for (const PolicyEvaluation& each : evaluations) {
    for (const Answer& answer : each.evaluation.estimates) {
      if (role_of(answer.estimator) != EstimatorRole::uncorrected) continue;
      const auto* estimate = std::get_if<Estimate>(&answer.result);
      if (estimate == nullptr) {
        failed = &answer;
      } else if (!estimate->influence.empty()) {
        return &answer;
      }
    }
  }
  return failed;
}

Answer no_answer(const Evaluation& evaluation) {
  for (const Answer& answer : evaluation.estimates) {
    if (std::holds_alternative<Failure>(answer.result)) return answer;
  }
  return {.estimator = {},
          .result = Failure{.code = "no_answer",
                            .message = "no estimator that corrects for the difference of the policies was asked"}};
}

// Of the findings about the logs those without which a value cannot be read: where its ratios come from.
void keep_behavior_findings(const Evaluation::Data& data, Answer& answer) {
  auto* const estimate = std::get_if<Estimate>(&answer.result);
  if (estimate == nullptr) return;
  for (const Finding& finding : data.findings) {
    if (finding.code == "behavior_estimated" || finding.code == "behavior_filled")
      estimate->findings.push_back(finding);
  }
}

std::vector<ComparedPolicy> listed(std::vector<PolicyEvaluation>& evaluations, Answer logged) {
  std::vector<ComparedPolicy> policies;
  const std::int64_t episodes = evaluations.front().evaluation.data.episodes;
  const auto* naive = std::get_if<Estimate>(&logged.result);
  const bool known = naive != nullptr;
  const double earned = known ? naive->value : 0.0;
  policies.push_back({.policy = "logged", .answer = std::move(logged)});
  for (PolicyEvaluation& each : evaluations) {
    const Evaluation& evaluation = each.evaluation;
    const auto& difference = evaluation.difference;
    const bool other_logs = evaluation.data.episodes != episodes ||
                            (difference && known && std::abs(difference->logged - earned) > 1e-9 * std::abs(earned));
    if (other_logs) {
      throw InvalidArgument(fmt::format(
          "policy '{}' was evaluated on other logs than the first one: policies are compared episode by episode",
          each.policy));
    }
    policies.push_back({.policy = each.policy,
                        .answer = evaluation.answer ? evaluation.estimates[*evaluation.answer] : no_answer(evaluation),
                        .verdict = evaluation.verdict});
    keep_behavior_findings(evaluation.data, policies.back().answer);
  }
  return policies;
}

// A number that these logs cannot answer for is not the best, and is told apart from nothing.
bool answerable(const ComparedPolicy& policy) {
  return std::holds_alternative<Estimate>(policy.answer.result) &&
         !(policy.verdict && policy.verdict->grade == Grade::not_answerable);
}

// The policies whose errors are known, as far as they can be compared. The logged one comes last: a difference from it
// is what a policy adds.
struct Joint {
  std::vector<std::size_t> places{};  // in the list of policies
  JointEstimates estimates{};
};

template <class Take>
Joint joined(const std::vector<ComparedPolicy>& policies, std::size_t episodes, const Take& take) {
  Joint joint;
  std::vector<Estimate> known;
  const auto* const logged = std::get_if<Estimate>(&policies.front().answer.result);
  const bool logged_alike = logged != nullptr && logged->std_error == 0.0;
  for (std::size_t k = 1; k <= policies.size(); ++k) {
    const std::size_t i = k % policies.size();
    if (!take(policies[i])) continue;
    const auto* estimate = std::get_if<Estimate>(&policies[i].answer.result);
    if (estimate == nullptr || !estimate->std_error || estimate->influence.size() != episodes) continue;
    // Without spread nothing is known of its error. (The logged returns may be all alike; they are what they are.)
    if (i != 0 && *estimate->std_error == 0.0 && !logged_alike) continue;
    joint.places.push_back(i);
    known.push_back(*estimate);
  }
  joint.estimates = join_estimates(known);
  return joint;
}

void widen(std::vector<ComparedPolicy>& policies, const Joint& joint, const CompareOptions& options) {
  if (!options.level) return;
  const double single =
      single_level(joint.estimates.covariance, joint.estimates.size(), *options.level, {.seed = options.seed});
  for (const std::size_t place : joint.places) {
    auto& estimate = std::get<Estimate>(policies[place].answer.result);
    estimate.interval = influence_interval(estimate, Level{single});
    if (!estimate.interval) continue;
    estimate.interval->level = options.level->probability();
    estimate.interval->method = max_t_method;
  }
}

// The difference of a pair as an estimate of its own.
Estimate pair_estimate(const Joint& joint, const PairedContrasts& contrasts, std::size_t pair) {
  constexpr double rounding = 1e-12;
  const JointEstimates& estimates = joint.estimates;
  const auto [i, j, variance] = contrasts.pairs[pair];
  const bool nothing = variance <= rounding * (estimates.variance(i) + estimates.variance(j));
  Estimate estimate{.value = estimates.values[i] - estimates.values[j],
                    .std_error = nothing ? 0.0 : std::sqrt(variance),
                    .influence = estimates.influence[i]};
  for (std::size_t e = 0; e < estimate.influence.size(); ++e) estimate.influence[e] -= estimates.influence[j][e];
  const double size = std::abs(estimates.values[i]) + std::abs(estimates.values[j]);
  if (std::abs(estimate.value) <= rounding * size) estimate.value = 0.0;
  return estimate;
}

std::vector<PolicyDifference> differences_of(const std::vector<ComparedPolicy>& policies, const Joint& joint,
                                             const CompareOptions& options) {
  const PairedContrasts contrasts = all_pairs(joint.estimates);
  const std::size_t pairs = contrasts.pairs.size();
  std::optional<Level> single;
  if (options.level && pairs > 0)
    single.emplace(single_level(joint.estimates, contrasts, *options.level, {.seed = options.seed}));
  std::vector<PolicyDifference> differences;
  for (std::size_t p = 0; p < pairs; ++p) {
    const std::size_t i = contrasts.pairs[p].first, j = contrasts.pairs[p].second;
    const Estimate estimate = pair_estimate(joint, contrasts, p);
    PolicyDifference each{.first = joint.places[i], .second = joint.places[j]};
    each.difference = {.value = estimate.value,
                       .std_error = estimate.std_error,
                       .logged = joint.estimates.values[j],
                       .logged_std_error = std::sqrt(joint.estimates.variance(j))};
    if (*estimate.std_error > 0.0) {
      each.difference.probability_better =
          student_t_probability(estimate.value / *estimate.std_error, degrees_of_freedom(estimate));
    }
    if (single) each.difference.interval = influence_interval(estimate, *single);
    if (auto& interval = each.difference.interval) {
      interval->level = options.level->probability();
      interval->method = max_t_method;
      each.told_apart = (interval->lower > 0.0 || interval->upper < 0.0) && answerable(policies[each.first]) &&
                        answerable(policies[each.second]);
    }
    differences.push_back(std::move(each));
  }
  // Against the logged policy first; within these, and within the others, in the order given.
  std::stable_sort(differences.begin(), differences.end(), [](const PolicyDifference& a, const PolicyDifference& b) {
    const auto key = [](const PolicyDifference& d) { return std::pair(d.second != 0, std::pair(d.first, d.second)); };
    return key(a) < key(b);
  });
  return differences;
}

// Numbers that are no answers stand behind those that are.
void rank(Comparison& comparison, const Joint& joint, const CompareOptions& options) {
  std::vector<ComparedPolicy>& policies = comparison.policies;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (std::holds_alternative<Estimate>(policies[i].answer.result)) comparison.ranking.push_back(i);
  }
  const auto key = [&](std::size_t i) {
    return std::pair(answerable(policies[i]), std::get<Estimate>(policies[i].answer.result).value);
  };
  std::stable_sort(comparison.ranking.begin(), comparison.ranking.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  for (std::size_t r = 0; r < comparison.ranking.size(); ++r)
    policies[comparison.ranking[r]].rank = static_cast<std::int64_t>(r + 1);
  double freedom = 1e6;
  for (const std::size_t place : joint.places)
    freedom = std::min(freedom, degrees_of_freedom(std::get<Estimate>(policies[place].answer.result)));
  const std::vector<double> best = probability_of_best(joint.estimates, freedom, {.seed = options.seed});
  for (std::size_t k = 0; k < joint.places.size(); ++k) policies[joint.places[k]].probability_best = best[k];
}

// Runs of the ranking in which no two are told apart, as long as they can be.
std::vector<std::vector<std::size_t>> groups_of(const Comparison& comparison) {
  const auto apart = [&](std::size_t a, std::size_t b) {
    return std::any_of(comparison.differences.begin(), comparison.differences.end(), [&](const PolicyDifference& d) {
      return d.told_apart && ((d.first == a && d.second == b) || (d.first == b && d.second == a));
    });
  };
  std::vector<std::size_t> ranking = comparison.ranking;
  std::erase_if(ranking, [&](std::size_t i) { return !answerable(comparison.policies[i]); });
  std::vector<std::vector<std::size_t>> groups;
  std::size_t covered = 0;  // the end of the last group
  for (std::size_t first = 0; first < ranking.size(); ++first) {
    std::size_t end = first + 1;
    const auto fits = [&](std::size_t next) {
      for (std::size_t k = first; k < next; ++k)
        if (apart(ranking[k], ranking[next])) return false;
      return true;
    };
    while (end < ranking.size() && fits(end)) ++end;
    if (end - first > 1 && end > covered)
      groups.emplace_back(ranking.begin() + static_cast<std::ptrdiff_t>(first),
                          ranking.begin() + static_cast<std::ptrdiff_t>(end));
    covered = std::max(covered, end);
  }
  return groups;
}

}  // namespace

Comparison compare(std::vector<PolicyEvaluation> evaluations, const CompareOptions& options) {
  const Answer* const naive = find_naive(evaluations);
  if (naive == nullptr) {
    throw InvalidArgument(
        "to compare policies with the logged one, evaluate naive as well, and keep the influence values "
        "(EvaluateOptions::influence)");
  }
  Comparison comparison;
  comparison.data = evaluations.front().evaluation.data;
  comparison.data.ess = 0.0;
  comparison.data.findings.clear();
  if (options.level) comparison.level = options.level->probability();
  comparison.policies = listed(evaluations, *naive);
  const auto episodes = static_cast<std::size_t>(comparison.data.episodes);
  if (!logged_is_comparable(evaluations.front().evaluation.data)) {
    comparison.policies.front().answer.result =
        Failure{.code = "recordings_cut",
                .message = fmt::format("recordings were cut before {}, so what the logged policy earns until then is "
                                       "not known. Give its probabilities as one of the targets, as in --target-prob "
                                       "behavior_prob",
                                       counted(*comparison.data.horizon, "step"))};
  }
  const Joint joint = joined(comparison.policies, episodes, [](const ComparedPolicy&) { return true; });
  widen(comparison.policies, joint, options);
  comparison.differences = differences_of(comparison.policies, joint, options);
  rank(comparison, joined(comparison.policies, episodes, answerable), options);
  if (options.level) comparison.not_told_apart = groups_of(comparison);
  return comparison;
}

Comparison compare(const std::vector<PolicyProblem>& policies, const std::vector<NamedEstimator>& estimators,
                   const CompareOptions& options, const EvaluateOptions& evaluating) {
  if (policies.empty()) throw InvalidArgument("there is no policy to compare");
  std::vector<NamedEstimator> asked = estimators;
  const auto is_naive = [](const NamedEstimator& each) { return std::holds_alternative<Naive>(each.estimator); };
  if (std::none_of(asked.begin(), asked.end(), is_naive)) asked.push_back({.text = "naive", .estimator = Naive{}});
  EvaluateOptions keeping = evaluating;
  keeping.influence = keeping.decision = true;
  std::vector<PolicyEvaluation> evaluations;
  for (const PolicyProblem& each : policies)
    evaluations.push_back({.policy = each.policy, .evaluation = evaluate(each.problem, asked, keeping)});
  return compare(std::move(evaluations), options);
}

}  // namespace starope
