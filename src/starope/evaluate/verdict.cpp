#include "starope/evaluate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "starope/base/finding_catalog.hpp"
#include "starope/base/numbers.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/evaluate/verdict_rules.hpp"

namespace starope {
namespace {

constexpr std::size_t most_reasons = 2;

bool corrects(const Answer& answer) {
  return std::holds_alternative<Estimate>(answer.result) && role_of(answer.estimator) != EstimatorRole::uncorrected;
}

bool has_critical(const Answer& answer) {
  const auto& findings = std::get<Estimate>(answer.result).findings;
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::critical; });
}

double parameter_of(const Finding& finding, std::string_view name) {
  for (const FindingParameter& parameter : finding.parameters) {
    if (parameter.name != name) continue;
    if (const auto* number = std::get_if<double>(&parameter.value)) return *number;
    if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) return static_cast<double>(*whole);
  }
  return 0.0;
}

// The place of the first rule that applies; the number of rules if none does.
std::size_t rule_for(const Finding& finding) {
  const auto rules = verdict_rules();
  const auto applies = [&](const VerdictRule& rule) {
    if (rule.code != finding.code || finding.severity < rule.least) return false;
    const double parameter = rule.parameter.empty() ? 0.0 : parameter_of(finding, rule.parameter);
    return rule.parameter.empty() || (parameter > rule.above && parameter < rule.below);
  };
  return static_cast<std::size_t>(std::find_if(rules.begin(), rules.end(), applies) - rules.begin());
}

struct Judged {
  std::size_t place = 0;  // of the rule: the weight of the reason
  Grade grade = Grade::doubtful;
  VerdictReason reason{};
};

// Whatever is only worth a note does not count.
std::optional<Judged> judge(const Finding& finding) {
  if (finding.severity == Severity::info) return std::nullopt;
  const auto rules = verdict_rules();
  const std::size_t place = rule_for(finding);
  if (place == rules.size()) {
    return Judged{.place = place,
                  .grade = finding.severity == Severity::critical ? Grade::not_answerable : Grade::doubtful,
                  .reason = {.code = finding.code, .reason = text(finding)}};
  }
  const VerdictRule& rule = rules[place];
  return Judged{
      .place = place,
      .grade = rule.grade,
      .reason = {.code = finding.code, .reason = say(rule.reason, finding), .advice = std::string(rule.advice)}};
}

std::optional<Finding> worth_finding(const Evaluation& evaluation) {
  constexpr double few = 10.0;
  const std::optional<double> worth = worth_of(evaluation);
  if (!worth || *worth >= few) return std::nullopt;
  return Finding{*worth < 1.0 ? Severity::critical : Severity::warning,
                 "worth_few_episodes",
                 {{"worth", *worth}, {"episodes", evaluation.data.episodes}}};
}

// A standard error of a handful of episodes is a guess, whatever else agrees.
std::optional<Finding> few_finding(const Evaluation& evaluation) {
  constexpr std::int64_t few = 10;
  if (evaluation.data.episodes >= few) return std::nullopt;
  return Finding{Severity::warning, "few_episodes", {{"episodes", evaluation.data.episodes}}};
}

bool one_model(const Answer& answer) {
  const EstimatorSpec* const spec = named_estimator(answer.estimator);
  return spec != nullptr && spec->one_model;
}

bool adds_recorded(const Answer& answer) {
  const EstimatorSpec* const spec = named_estimator(answer.estimator);
  return spec != nullptr && spec->adds_recorded;
}

bool overlap(const Interval& a, const Interval& b) {
  return a.lower <= b.upper && b.lower <= a.upper;
}

// What the other estimates say of the one that answers. Only those without a warning count: the intervals of the others
// are known to be too short. A single model is no evidence against an answer that weighs models or needs none.
void add_what_others_say(const Evaluation& evaluation, std::vector<Finding>& findings) {
  const Answer& answer = evaluation.estimates[*evaluation.answer];
  const auto& own = std::get<Estimate>(answer.result);
  const bool cut = find_recordings_cut(evaluation.data) != nullptr;
  bool tested = !one_model(answer);
  const Answer* against = nullptr;
  for (const Answer& other : evaluation.estimates) {
    if (&other == &answer || !corrects(other) || !own.interval) continue;
    const auto& estimate = std::get<Estimate>(other.result);
    const bool warned = std::any_of(estimate.findings.begin(), estimate.findings.end(),
                                    [](const Finding& finding) { return finding.severity != Severity::info; });
    if (warned || !estimate.interval || (cut && adds_recorded(other))) continue;
    const bool agrees = overlap(*own.interval, *estimate.interval);
    if (!agrees && against == nullptr && (one_model(answer) || !one_model(other))) against = &other;
    // An interval that is much wider would agree with nearly anything.
    const double wide = estimate.interval->upper - estimate.interval->lower;
    if (agrees && !one_model(other) && wide <= 2.0 * (own.interval->upper - own.interval->lower)) tested = true;
  }
  if (against != nullptr) {
    findings.push_back({Severity::warning,
                        "estimators_disagree",
                        {{"value", own.value},
                         {"other", against->estimator},
                         {"lower", std::get<Estimate>(against->result).interval->lower},
                         {"upper", std::get<Estimate>(against->result).interval->upper}}});
  }
  if (!tested) findings.push_back({Severity::warning, "untested_model", {{"estimator", answer.estimator}}});
}

VerdictReason nothing_against(const Evaluation& evaluation) {
  std::string reason = "nothing was found against it";
  constexpr double beyond_words = 100.0;
  const auto worth = worth_of(evaluation);
  if (worth && *worth > beyond_words * static_cast<double>(evaluation.data.episodes)) {
    reason +=
        ", and its standard error is below a tenth of what as many episodes of the target policy itself would leave";
  } else if (worth) {
    reason += fmt::format(", and it is worth about {} episodes of the target policy itself",
                          *worth < 10.0 ? format_ess(*worth) : format_number(*worth, 2));
  }
  return {.code = "nothing_against", .reason = std::move(reason)};
}

}  // namespace

std::optional<std::size_t> choose_answer(const std::vector<Answer>& estimates) {
  const auto first = [&](const auto& wanted) -> std::optional<std::size_t> {
    const auto found = std::find_if(estimates.begin(), estimates.end(),
                                    [&](const Answer& answer) { return corrects(answer) && wanted(answer); });
    if (found == estimates.end()) return std::nullopt;
    return static_cast<std::size_t>(found - estimates.begin());
  };
  auto chosen = first([](const Answer& answer) { return role_of(answer.estimator) == EstimatorRole::automatic; });
  if (!chosen) chosen = first([](const Answer& answer) { return !has_critical(answer); });
  if (!chosen) chosen = first([](const Answer&) { return true; });
  return chosen;
}

std::optional<double> worth_of(const Evaluation& evaluation) {
  const Estimate* const answer = answer_of(evaluation);
  if (answer == nullptr || !answer->std_error || !evaluation.difference) return std::nullopt;
  const double error = *answer->std_error;
  const double logged = evaluation.difference->logged_std_error.value_or(0.0);
  const double worth = logged / error * (logged / error) * static_cast<double>(evaluation.data.episodes);
  return error > 0.0 && logged > 0.0 && std::isfinite(worth) ? std::optional(worth) : std::nullopt;
}

Verdict judge(const Evaluation& evaluation) {
  std::vector<Finding> findings;
  if (const Estimate* const answer = answer_of(evaluation)) {
    findings = answer->findings;
    add_what_others_say(evaluation, findings);
  } else {
    findings.push_back({Severity::critical, "no_answer"});
  }
  findings.insert(findings.end(), evaluation.data.findings.begin(), evaluation.data.findings.end());
  if (evaluation.answer && find_recordings_cut(evaluation.data) != nullptr &&
      adds_recorded(evaluation.estimates[*evaluation.answer])) {
    findings.push_back(
        {Severity::warning,
         "only_recorded",
         {{"estimator", evaluation.estimates[*evaluation.answer].estimator}, {"cut", evaluation.data.truncated}}});
  }
  if (auto finding = worth_finding(evaluation)) findings.push_back(*std::move(finding));
  if (auto finding = few_finding(evaluation)) findings.push_back(*std::move(finding));

  std::vector<Judged> judged;
  for (const Finding& finding : findings) {
    if (auto each = judge(finding)) judged.push_back(*std::move(each));
  }
  if (judged.empty()) return {.grade = Grade::supported, .reasons = {nothing_against(evaluation)}};
  std::stable_sort(judged.begin(), judged.end(), [](const Judged& a, const Judged& b) {
    return a.grade != b.grade ? a.grade > b.grade : a.place < b.place;
  });
  Verdict verdict{.grade = judged.front().grade};
  for (const Judged& each : judged) {
    if (each.grade == verdict.grade && verdict.reasons.size() < most_reasons &&
        (verdict.reasons.empty() || verdict.reasons.back().reason != each.reason.reason))
      verdict.reasons.push_back(each.reason);
  }
  return verdict;
}

}  // namespace starope
