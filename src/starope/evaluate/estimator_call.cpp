#include "starope/evaluate/estimator_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope {

std::vector<std::string_view> split_estimators(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trimmed(text.substr(from, i - from)));
      from = i + 1;
    }
  }
  return parts;
}

OptionSpec OptionSpec::whole(std::string name, std::int64_t least, std::string usual, std::string help) {
  return {std::move(name), OptionType::whole, static_cast<double>(least), {}, {}, std::move(usual), std::move(help)};
}
OptionSpec OptionSpec::number(std::string name, double least, std::string usual, std::string help) {
  return {std::move(name), OptionType::number, least, {}, {}, std::move(usual), std::move(help)};
}
OptionSpec OptionSpec::choice(std::string name, std::vector<std::string> words, std::string help) {
  std::string usual = words.front();
  return {std::move(name), OptionType::choice, 0.0, {}, std::move(words), std::move(usual), std::move(help)};
}
OptionSpec OptionSpec::file(std::string name, std::string help) {
  return {std::move(name), OptionType::file, 0.0, {}, {}, {}, std::move(help)};
}
OptionSpec OptionSpec::list(std::string name, std::string help) {
  return {std::move(name), OptionType::list, 1.0, {}, {}, {}, std::move(help)};
}
OptionSpec OptionSpec::text(std::string name, std::string usual, std::string help) {
  return {std::move(name), OptionType::text, 0.0, {}, {}, std::move(usual), std::move(help)};
}
OptionSpec OptionSpec::or_word(std::string word) && {
  words.push_back(std::move(word));
  return std::move(*this);
}

OptionSpec OptionSpec::at_most(std::int64_t bound) && {
  most = bound;
  return std::move(*this);
}

std::string OptionSpec::values() const {
  std::string text;
  if (type == OptionType::whole) text = "N";
  if (type == OptionType::number) text = "X";
  if (type == OptionType::file) text = "FILE.csv";
  if (type == OptionType::list) text = "N-N-N";
  if (type == OptionType::text) text = "Q";
  for (const std::string& word : words) text += (text.empty() ? "" : "|") + word;
  return text;
}

EstimatorCall::EstimatorCall(std::string_view text) : text_(trimmed(text)) {
  const std::string_view whole = text_;
  const std::size_t open = whole.find('(');
  name_ = trimmed(whole.substr(0, open));
  if (open == std::string_view::npos) return;
  if (whole.back() != ')') fail("the parenthesis is not closed");
  const std::string_view inside = trimmed(whole.substr(open + 1, whole.size() - open - 2));
  if (inside.empty()) return;
  for (const std::string_view part : split_estimators(inside)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      fail(fmt::format("'{}' is not of the form option=value", part));
    }
    std::string key(trimmed(part.substr(0, equals)));
    if (get(key)) fail(fmt::format("option '{}' is given twice", key));
    options_.emplace_back(std::move(key), std::string(trimmed(part.substr(equals + 1))));
  }
}

void EstimatorCall::check(const std::vector<OptionSpec>& known) const {
  std::vector<std::string> names;
  for (const OptionSpec& option : known) names.push_back(option.name);
  allow_only(names);
  for (const OptionSpec& option : known) {
    const auto value = get(option.name);
    if (!value) continue;
    const bool word = std::find(option.words.begin(), option.words.end(), *value) != option.words.end();
    if (option.type == OptionType::choice) choice(option.name, option.words);
    if (option.type == OptionType::whole && !word) {
      whole_number(option.name, static_cast<std::int64_t>(option.least), option.most);
    }
    if (option.type == OptionType::number && !word) number(option.name, option.least);
    if (option.type == OptionType::list) list(option.name);
  }
}

void EstimatorCall::allow_only(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : options_) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (known.empty()) fail(fmt::format("{} takes no options", name_));
    fail(unknown_name("option", key, known));
  }
}

void EstimatorCall::forbid(const std::vector<std::string>& keys, std::string_view with) const {
  for (const std::string& key : keys) {
    if (get(key)) fail(fmt::format("{} means nothing together with {}", key, with));
  }
}

std::optional<std::string> EstimatorCall::get(const std::string& key) const {
  for (const auto& [k, value] : options_) {
    if (k == key) return value;
  }
  return std::nullopt;
}

std::optional<std::int64_t> EstimatorCall::whole_number(const std::string& key, std::int64_t least,
                                                        std::optional<std::int64_t> most) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || number < least) {
    fail(fmt::format("{} = '{}' must be a whole number of at least {}", key, *value, least));
  }
  if (most && number > *most) {
    fail(
        fmt::format("{} = {} is more than {}: the time or memory for it grows with the number, and this is far beyond "
                    "use",
                    key, with_thousands(number), with_thousands(*most)));
  }
  return number;
}

std::optional<double> EstimatorCall::number(const std::string& key, double least) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  const auto number = number_of(*value);
  if (!number || *number < least) {
    fail(fmt::format("{} = '{}' must be a number of at least {}", key, *value, least));
  }
  return number;
}

std::size_t EstimatorCall::choice(const std::string& key, const std::vector<std::string>& names) const {
  const auto value = get(key);
  if (!value) return 0;
  const auto found = std::find(names.begin(), names.end(), *value);
  if (found == names.end()) fail(unknown_name(fmt::format("value of {}", key), *value, names));
  return static_cast<std::size_t>(found - names.begin());
}

Seed EstimatorCall::seed(Seed usual) const {
  if (const auto given = whole_number("seed", 0)) return Seed{static_cast<std::uint64_t>(*given)};
  return usual;
}

std::vector<std::int64_t> EstimatorCall::list(const std::string& key) const {
  std::vector<std::int64_t> numbers;
  if (!get(key)) return numbers;
  const std::string whole = *get(key);
  std::string_view rest = whole;
  while (true) {
    const std::size_t dash = rest.find('-');
    const std::string_view part = rest.substr(0, dash);
    std::int64_t& number = numbers.emplace_back();
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc{} || end != part.data() + part.size() || number < 1) {
      fail(fmt::format("{} = '{}' must be whole numbers of at least 1 with dashes between them, like 16-32-64", key,
                       whole));
    }
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 1);
  }
  return numbers;
}

void EstimatorCall::fail(const std::string& why) const {
  throw InvalidArgument(fmt::format("estimator '{}': {}", text_, why));
}

}  // namespace starope
