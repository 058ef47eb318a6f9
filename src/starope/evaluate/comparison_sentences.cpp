#include "starope/evaluate/comparison_sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "starope/base/numbers.hpp"
#include "starope/evaluate/answer_text.hpp"

namespace starope {
namespace {

bool not_answerable(const ComparedPolicy& policy) {
  return policy.verdict && policy.verdict->grade == Grade::not_answerable;
}

// Of those that have an answer.
std::optional<std::string> best_sentence(const Comparison& comparison) {
  const auto place = std::find_if(comparison.ranking.begin(), comparison.ranking.end(),
                                  [&](std::size_t i) { return !not_answerable(comparison.policies[i]); });
  if (place == comparison.ranking.end()) return std::nullopt;
  const ComparedPolicy& best = comparison.policies[*place];
  const bool others = std::any_of(comparison.ranking.begin(), comparison.ranking.end(),
                                  [&](std::size_t i) { return not_answerable(comparison.policies[i]); });
  const auto& estimate = std::get<Estimate>(best.answer.result);
  const bool measured = estimate.std_error && *estimate.std_error > 0.0;
  std::string sentence = fmt::format(
      "{}{} has the largest value, {} per episode", others ? "Of the others, " : "", best.policy,
      measured ? format_fixed(estimate.value, decimals_of(*estimate.std_error)) : format_number(estimate.value, 6));
  if (best.probability_best) {
    sentence += fmt::format("; the probability that it is the best{} is {}", others ? " of these" : "",
                            probability_text(*best.probability_best));
  }
  return sentence + ".";
}

// What speaks against the answers with this grade.
void add_doubts(std::vector<std::string>& sentences, const Comparison& comparison, Grade grade) {
  for (const ComparedPolicy& policy : comparison.policies) {
    if (!policy.verdict || policy.verdict->grade != grade || policy.verdict->reasons.empty()) continue;
    if (std::holds_alternative<Failure>(policy.answer.result)) continue;
    const std::string& reason = policy.verdict->reasons.front().reason;
    sentences.push_back(
        grade == Grade::doubtful
            ? fmt::format("The answer for {} is doubtful: {}.", policy.policy, reason)
            : fmt::format("What {} earns is not answerable from these logs: {}.", policy.policy, reason));
  }
}

}  // namespace

std::vector<std::string> comparison_sentences(const Comparison& comparison) {
  std::vector<std::string> sentences;
  add_doubts(sentences, comparison, Grade::not_answerable);
  if (auto sentence = best_sentence(comparison)) sentences.push_back(*std::move(sentence));
  for (const auto& group : comparison.not_told_apart) {
    std::vector<std::string> names;
    for (const std::size_t place : group) names.push_back(comparison.policies[place].policy);
    sentences.push_back(fmt::format("These logs do not tell apart: {}.", fmt::join(names, ", ")));
  }
  for (const ComparedPolicy& policy : comparison.policies) {
    if (const auto* failure = std::get_if<Failure>(&policy.answer.result))
      sentences.push_back(fmt::format("{} has no answer: {}.", policy.policy, failure->message));
  }
  add_doubts(sentences, comparison, Grade::doubtful);
  return sentences;
}

std::optional<std::string> behavior_note(const Comparison& comparison) {
  for (const std::size_t place : comparison.ranking) {
    for (const Finding& finding : std::get<Estimate>(comparison.policies[place].answer.result).findings) {
      if (finding.code == "behavior_estimated" || finding.code == "behavior_filled") return text(finding);
    }
  }
  return std::nullopt;
}

}  // namespace starope
