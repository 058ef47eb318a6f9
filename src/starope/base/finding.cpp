#include "starope/finding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/assert.hpp"
#include "starope/base/finding_catalog.hpp"
#include "starope/base/finding_sentence.hpp"
#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"

namespace starope {
namespace {

using Value = std::variant<std::int64_t, double, std::string>;

double as_number(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? 0.0 : *number;
}

std::string number_text(const Value& value, std::string_view format) {
  if (format == "%") return format_share(as_number(value));
  if (format == "d") return fmt::format("{}", std::get<std::int64_t>(value));
  if (format == "ess") return format_ess(as_number(value));
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return with_thousands(*whole);
  return format_number(as_number(value), format.empty() ? 4 : std::stoi(std::string(format.substr(1))));
}

std::string chosen_phrase(const std::string& word, std::string_view format) {
  if (format.empty()) return word;
  const std::optional<std::string_view> phrase = phrase_of(word, format);
  STAROPE_ASSERT(phrase.has_value());
  return std::string(phrase.value_or(word));
}

// "# episode" or "# episode ends|# episodes end", # being the figure.
std::string counted_phrase(const std::string& figure, bool one, std::string_view format) {
  const std::string_view singular = next_part(format);
  const std::string_view plural = next_part(format);
  std::string phrase(one || plural.empty() ? singular : plural);
  if (!one && plural.empty()) phrase += 's';
  if (const std::size_t at = phrase.find('#'); at != std::string::npos) phrase.replace(at, 1, figure);
  return phrase;
}

// The values that the findings have under the name, or under both names of "shortest..longest".
std::vector<Value> values_of(std::span<const Finding> findings, std::string_view names) {
  const std::size_t dots = names.find("..");
  const std::string_view first = names.substr(0, dots);
  const std::string_view second = dots == std::string_view::npos ? first : names.substr(dots + 2);
  std::vector<Value> values;
  for (const Finding& finding : findings) {
    for (const FindingParameter& parameter : finding.parameters) {
      if (parameter.name == first || parameter.name == second) values.push_back(parameter.value);
    }
  }
  return values;
}

std::string put(const std::vector<Value>& values, std::string_view format) {
  if (const auto* word = std::get_if<std::string>(&values.front())) return chosen_phrase(*word, format);
  const auto [least, most] = std::minmax_element(
      values.begin(), values.end(), [](const Value& a, const Value& b) { return as_number(a) < as_number(b); });
  const bool counts = format.find_first_of("#|") != std::string_view::npos;
  const std::string_view digits = counts ? std::string_view() : format;
  std::string figure = number_text(*least, digits);
  if (const std::string last = number_text(*most, digits); last != figure) figure += " to " + last;
  return counts ? counted_phrase(figure, as_number(*least) == 1.0 && as_number(*most) == 1.0, format) : figure;
}

std::string filled(std::string_view sentence, std::span<const Finding> findings) {
  return fill(sentence, [&](std::string_view names, std::string_view format) {
    const std::vector<Value> values = values_of(findings, names);
    STAROPE_ASSERT(!values.empty());
    return put(values, format);
  });
}

}  // namespace

bool same_sentence(const Finding& a, const Finding& b) {
  const auto alike = [](const FindingParameter& x, const FindingParameter& y) {
    const bool words = std::holds_alternative<std::string>(x.value) || std::holds_alternative<std::string>(y.value);
    return x.name == y.name && (!words || x.value == y.value);
  };
  return a.severity == b.severity && a.code == b.code &&
         std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(), alike);
}

std::string text(const Finding& finding) {
  return text(std::span(&finding, 1));
}

std::string say(std::string_view sentence, const Finding& finding) {
  return filled(sentence, std::span(&finding, 1));
}

std::string text(std::span<const Finding> findings) {
  STAROPE_ASSERT(!findings.empty());
  const FindingKind* kind = find_kind(findings.front().code);
  STAROPE_ASSERT(kind != nullptr);
  for (const Finding& finding : findings) STAROPE_ASSERT(same_sentence(finding, findings.front()));
  return filled(kind->sentence, findings);
}

}  // namespace starope
