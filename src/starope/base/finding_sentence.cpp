#include "starope/base/finding_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace starope {

std::string_view next_part(std::string_view& phrases) {
  const std::size_t end = std::min(phrases.find('|'), phrases.size());
  const std::string_view part = phrases.substr(0, end);
  phrases.remove_prefix(std::min(end + 1, phrases.size()));
  return part;
}

std::optional<std::string_view> phrase_of(std::string_view word, std::string_view phrases) {
  constexpr std::string_view arrow = " -> ";
  while (!phrases.empty()) {
    const std::string_view part = next_part(phrases);
    if (part.starts_with(word) && part.substr(word.size()).starts_with(arrow))
      return part.substr(word.size() + arrow.size());
  }
  return std::nullopt;
}

std::string fill(std::string_view sentence,
                 const std::function<std::string(std::string_view name, std::string_view format)>& put) {
  std::string filled;
  while (true) {
    const std::size_t open = std::min(sentence.find('{'), sentence.size());
    filled += sentence.substr(0, open);
    if (open == sentence.size()) return filled;
    const std::size_t close = sentence.find('}', open);
    const std::string_view inside = sentence.substr(open + 1, close - open - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    filled += put(inside.substr(0, colon), inside.substr(std::min(colon + 1, inside.size())));
    sentence.remove_prefix(close + 1);
  }
}

namespace {

std::string shown_placeholder(std::string_view names, std::string_view format) {
  if (const std::size_t dots = names.find(".."); dots != std::string_view::npos)
    return fmt::format("{{{}}} to {{{}}}", names.substr(0, dots), names.substr(dots + 2));
  if (format.find(" -> ") != std::string_view::npos) {
    std::string choices;
    while (!format.empty()) {
      const std::string_view part = next_part(format);
      const std::size_t arrow = part.find(" -> ");
      choices += fmt::format("{}{}={}: {}", choices.empty() ? "[" : " / ", names, part.substr(0, arrow),
                             part.substr(arrow + 4));
    }
    return choices + "]";
  }
  if (format.find_first_of("#|") == std::string_view::npos) return fmt::format("{{{}}}", names);
  const std::string_view singular = next_part(format);
  const std::string_view plural = next_part(format);
  std::string phrase;
  for (const char c : plural.empty() ? singular : plural) {
    if (c == '#')
      phrase += fmt::format("{{{}}}", names);
    else
      phrase += c;
  }
  return plural.empty() ? phrase + "s" : phrase;
}

}  // namespace

std::string shown_to_readers(std::string_view sentence) {
  return fill(sentence, shown_placeholder);
}

}  // namespace starope
