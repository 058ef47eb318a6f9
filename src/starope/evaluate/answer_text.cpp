#include "starope/evaluate/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/layout/layout.hpp"
#include "starope/layout/style.hpp"
#include "starope/layout/table.hpp"

namespace starope {
namespace {

// With the digits that the standard error leaves a meaning.
std::string value_sentence(const std::string& estimator, const Estimate& answer, bool answerable) {
  std::string interval;
  if (answer.interval) {
    interval = fmt::format(" ({:.6g} % interval {} to {})", 100.0 * answer.interval->level,
                           format_estimate(answer.interval->lower, answer.std_error),
                           format_estimate(answer.interval->upper, answer.std_error));
  }
  return fmt::format("{} {} per episode{}, says {}.",
                     answerable ? "The target policy earns" : "This number is not an answer:",
                     format_estimate(answer.value, answer.std_error), interval, estimator);
}

// `other_method`: of the interval of the value, where it is not that of the difference. What is no answer is not
// better with any probability, either.
std::string difference_sentence(const Difference& difference, bool other_method, bool answerable) {
  const std::string logged = format_estimate(difference.logged, difference.logged_std_error);
  const char* const that = answerable ? "That is" : "It would be";
  if (difference.value == 0.0 && difference.std_error == 0.0)
    return fmt::format("{} what the logged policy earned ({}), episode by episode.", that, logged);
  const std::string by = fmt::format("{} {}", format_estimate(std::abs(difference.value), difference.std_error),
                                     difference.value < 0.0 ? "less" : "more");
  std::string sentence = fmt::format("{} {} than the {} of the logged policy", that, by, logged);
  const auto& interval = difference.interval;
  if (interval) {
    sentence += fmt::format(" (difference {} to {}{})", format_estimate(interval->lower, difference.std_error),
                            format_estimate(interval->upper, difference.std_error),
                            other_method ? ", by " + interval->method : "");
  }
  if (!difference.probability_better || !answerable) return sentence + ".";
  const std::string better = probability_text(*difference.probability_better);
  const bool open = interval && interval->lower <= 0.0 && interval->upper >= 0.0;
  return fmt::format("{}; {}the probability that it is better is {}.", sentence,
                     open ? "these logs do not tell them apart: " : "", better);
}

Emphasis emphasis_of(Grade grade) {
  if (grade == Grade::supported) return Emphasis::strong;
  return grade == Grade::doubtful ? Emphasis::warning : Emphasis::error;
}

// "a; b. Do this. Do that."
std::string reasons_sentence(const std::vector<VerdictReason>& reasons) {
  std::string all, advice;
  for (const VerdictReason& reason : reasons) {
    std::string words = reason.reason;
    while (!words.empty() && words.back() == '.') words.pop_back();
    all += (all.empty() ? "" : "; ") + words;
    if (!reason.advice.empty() && advice.find(reason.advice) == std::string::npos) advice += " " + reason.advice;
  }
  return all + "." + advice;
}

// "f" of "sex = f", below the title "sex".
std::string without_column(const std::string& group, const std::string& column) {
  std::string rest = group.starts_with(column + " ") ? group.substr(column.size() + 1) : group;
  return rest.starts_with("= ") ? rest.substr(2) : rest;
}

}  // namespace

std::string words(Grade grade) {
  switch (grade) {
    case Grade::supported:
      return "Supported";
    case Grade::doubtful:
      return "Doubtful";
    case Grade::not_answerable:
      break;
  }
  return "Not answerable from these logs";
}

std::string probability_text(double probability) {
  return format_share(std::clamp(probability, 1e-9, 1.0 - 1e-9));
}

AnswerSentences answer_sentences(const Evaluation& evaluation) {
  AnswerSentences sentences;
  sentences.verdict_first = evaluation.verdict && evaluation.verdict->grade == Grade::not_answerable;
  if (const Estimate* const answer = answer_of(evaluation)) {
    const std::string& estimator = evaluation.estimates[*evaluation.answer].estimator;
    sentences.value = value_sentence(estimator, *answer, !sentences.verdict_first);
  }
  if (evaluation.difference) {
    const Estimate* const answer = answer_of(evaluation);
    const auto& interval = evaluation.difference->interval;
    const bool other_method =
        answer != nullptr && interval && (!answer->interval || answer->interval->method != interval->method);
    sentences.difference = difference_sentence(*evaluation.difference, other_method, !sentences.verdict_first);
  }
  if (!sentences.value.empty() && !logged_is_comparable(evaluation.data)) {
    sentences.difference =
        fmt::format("How much more or less that is than the logged policy is not known: recordings were cut before {}.",
                    counted(*evaluation.data.horizon, "step"));
  }
  if (evaluation.verdict) {
    sentences.grade = words(evaluation.verdict->grade);
    sentences.reasons = reasons_sentence(evaluation.verdict->reasons);
  }
  return sentences;
}

std::string answer_text(const Evaluation& evaluation, const TextStyle& style) {
  if (!evaluation.verdict) return {};
  const AnswerSentences sentences = answer_sentences(evaluation);
  std::string numbers;
  for (const std::string& sentence : {sentences.value, sentences.difference}) {
    if (!sentence.empty()) numbers += wrap_indented(sentence, style.width, "", "");
  }
  const std::string grade = paint(style, emphasis_of(evaluation.verdict->grade), sentences.grade);
  const std::string verdict = wrap_indented(grade + ": " + sentences.reasons, style.width, "", "");
  return (sentences.verdict_first ? verdict + numbers : numbers + verdict) + '\n';
}

std::string groups_text(const Evaluation& evaluation, const TextStyle& style) {
  if (evaluation.groups.empty()) return {};
  std::vector<TableColumn> columns = {{.title = evaluation.by, .breakable = true},
                                      {.title = "episodes", .align = Align::right},
                                      {.title = "value", .align = Align::decimal}};
  const std::string level =
      evaluation.level ? fmt::format("{:.6g} % interval", 100.0 * *evaluation.level) : std::string();
  if (evaluation.level) columns.push_back({.title = level, .align = Align::right});
  const bool compared = evaluation.difference.has_value();
  if (compared) columns.push_back({.title = "more than\nlogged", .align = Align::decimal});
  if (compared && evaluation.level) columns.push_back({.title = level, .align = Align::right});
  Table table(std::move(columns));
  const auto interval_text = [](const std::optional<Interval>& interval, const std::optional<double>& error) {
    return interval ? fmt::format("{} to {}", format_estimate(interval->lower, error),
                                  format_estimate(interval->upper, error))
                    : std::string();
  };
  for (const GroupAnswer& group : evaluation.groups) {
    const Difference& difference = group.difference;
    std::vector<std::string> cells = {without_column(group.group, evaluation.by), with_thousands(group.episodes)};
    cells.push_back(group.episodes == 0 ? "" : format_estimate(group.value, group.std_error));
    if (evaluation.level) cells.push_back(group.too_few ? "too few" : interval_text(group.interval, group.std_error));
    if (compared) cells.push_back(group.episodes == 0 ? "" : format_estimate(difference.value, difference.std_error));
    if (compared && evaluation.level)
      cells.push_back(group.too_few ? "too few" : interval_text(difference.interval, difference.std_error));
    table.add_row(std::move(cells));
  }
  const std::string who = fmt::format(
      "For whom: the value of the target policy by {}, says {}. Intervals hold for all groups at once.", evaluation.by,
      evaluation.answer ? evaluation.estimates[*evaluation.answer].estimator : std::string("nobody"));
  return '\n' + wrap_indented(who, style.width, "", "") + '\n' +
         table.render(style.width, 0, paint_begin(style, Emphasis::strong), paint_end(style));
}

}  // namespace starope
