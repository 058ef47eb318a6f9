#pragma once

#include <string>

#include "starope/evaluate.hpp"
#include "starope/text.hpp"

namespace starope {

// What people ask first, in sentences: what the target policy earns, how that compares with the logged policy, and
// whether to trust it. Without emphasis and line breaks; empty where the evaluation has none. Where these logs cannot
// answer, that is said first: who reads no further must not take a number along.
struct AnswerSentences {
  bool verdict_first = false;
  std::string value{};       // "The target policy earns 39.08 per episode (95 % interval 37.74 to 40.43), says auto."
  std::string difference{};  // "That is 17.06 more than ..."
  std::string grade{};       // "Supported"
  std::string reasons{};     // "nothing was found against it."
};
AnswerSentences answer_sentences(const Evaluation& evaluation);

std::string words(Grade grade);  // "Supported"

// A probability from draws or a distribution: nothing is certain, so that it is never shown as 0 % or 100 %.
std::string probability_text(double probability);

// Lines of at most the width of the style.
std::string answer_text(const Evaluation& evaluation, const TextStyle& style);

// For whom: a table of the groups; empty where there are none.
std::string groups_text(const Evaluation& evaluation, const TextStyle& style);

}  // namespace starope
