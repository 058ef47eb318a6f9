#include "starope/evaluate/estimator_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "starope/base/error.hpp"
#include "starope/base/text.hpp"

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

std::optional<std::int64_t> EstimatorCall::whole_number(const std::string& key, std::int64_t least) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || number < least) {
    fail(fmt::format("{} = '{}' must be a whole number of at least {}", key, *value, least));
  }
  return number;
}

std::optional<double> EstimatorCall::number(const std::string& key, double least) const {
  const auto value = get(key);
  if (!value) return std::nullopt;
  double number = 0.0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || !std::isfinite(number) || number < least) {
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

void EstimatorCall::fail(const std::string& why) const {
  throw InvalidArgument(fmt::format("estimator '{}': {}", text_, why));
}

}  // namespace starope
