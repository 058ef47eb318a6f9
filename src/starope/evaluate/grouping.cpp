#include "starope/evaluate/grouping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr std::size_t most_values = 8;   // numbers with more of them become quartiles
constexpr std::size_t most_groups = 30;  // more are no answer that anybody reads
constexpr int quartiles = 4;

std::optional<double> as_number(const std::string& text) {
  const std::string trim(trimmed(text));
  char* end = nullptr;
  const double x = std::strtod(trim.c_str(), &end);
  if (trim.empty() || end != trim.c_str() + trim.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

// Missing values are usual among numbers, and no reason to take the others for texts.
using Numbers = std::vector<std::optional<double>>;

bool is_missing(const std::string& text) {
  const std::string_view trim = trimmed(text);
  return trim.empty() || trim == "nan" || trim == "NaN";
}

// Of all that are not missing; none where one of them is a text, or all are missing.
std::optional<Numbers> as_numbers(std::span<const std::string> labels) {
  Numbers numbers;
  numbers.reserve(labels.size());
  bool any = false;
  for (const std::string& label : labels) {
    numbers.push_back(as_number(label));
    if (!numbers.back() && !is_missing(label)) return std::nullopt;
    any = any || numbers.back();
  }
  return any ? std::optional(std::move(numbers)) : std::nullopt;
}

struct SignPair {
  const char* sign;
  const char* opposite;
  bool ordered;
};
// Longer signs first: "<=" begins with "<".
constexpr SignPair comparisons[] = {{"<=", ">", true}, {">=", "<", true}, {"!=", "=", false}, {"==", "!=", false},
                                    {"<", ">=", true}, {">", "<=", true}, {"=", "!=", false}};

const SignPair& comparison_of(const std::string& sign) {
  return *std::find_if(std::begin(comparisons), std::end(comparisons),
                       [&](const SignPair& each) { return sign == each.sign; });
}

bool holds(const std::string& sign, double order) {
  if (sign == "<") return order < 0.0;
  if (sign == "<=") return order <= 0.0;
  if (sign == ">") return order > 0.0;
  if (sign == ">=") return order >= 0.0;
  return sign == "!=" ? order != 0.0 : order == 0.0;
}

Grouping split_by(const GroupRule& rule, std::span<const std::string> labels) {
  const auto limit = as_number(rule.value);
  const auto numbers = as_numbers(labels);
  if (comparison_of(rule.comparison).ordered && !(limit && numbers)) {
    throw InvalidArgument(
        fmt::format("--by {}{}{}: < and > need numbers, and {}. Use = or !=", rule.column, rule.comparison, rule.value,
                    limit ? "the values of " + rule.column + " are not numbers" : rule.value + " is not a number"));
  }
  Grouping grouping{.by = rule.column};
  for (const char* sign : {comparison_of(rule.comparison).sign, comparison_of(rule.comparison).opposite})
    grouping.names.push_back(
        fmt::format("{} {} {}", rule.column, std::string_view(sign) == "==" ? "=" : sign, rule.value));
  const bool ordered = comparison_of(rule.comparison).ordered;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (ordered && !(*numbers)[i]) {  // neither larger nor smaller
      if (grouping.names.size() == 2) grouping.names.push_back(rule.column + " = (empty)");
      grouping.group_of.push_back(2);
      continue;
    }
    const double order = limit && numbers && (*numbers)[i]
                             ? *(*numbers)[i] - *limit
                             : static_cast<double>(std::string(trimmed(labels[i])).compare(rule.value));
    grouping.group_of.push_back(holds(rule.comparison, order) ? 0 : 1);
  }
  return grouping;
}

// Four groups of about equal size, cut between different values, and one of those that are missing.
Grouping quartile_groups(const std::string& column, const Numbers& numbers) {
  std::vector<double> sorted;
  for (const auto& x : numbers) {
    if (x) sorted.push_back(*x);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> upper;  // the largest value of each group
  for (int q = 1; q <= quartiles; ++q) {
    const auto place = static_cast<std::size_t>(
        std::ceil(static_cast<double>(q) / quartiles * static_cast<double>(sorted.size())) - 1.0);
    if (upper.empty() || sorted[place] > upper.back()) upper.push_back(sorted[place]);
  }
  Grouping grouping{.by = column};
  for (std::size_t g = 0; g < upper.size(); ++g) {
    const double least = g == 0 ? sorted.front() : *std::upper_bound(sorted.begin(), sorted.end(), upper[g - 1]);
    grouping.names.push_back(fmt::format("{} {} to {}", column, format_number(least, 4), format_number(upper[g], 4)));
  }
  if (sorted.size() < numbers.size()) grouping.names.push_back(column + " = (empty)");
  for (const auto& x : numbers) {
    const auto place = x ? std::lower_bound(upper.begin(), upper.end(), *x) : upper.end();
    grouping.group_of.push_back(static_cast<std::int32_t>(place - upper.begin()));
  }
  return grouping;
}

// One group for each value; numbers in their order, texts in that of the alphabet.
Grouping value_groups(const std::string& column, std::span<const std::string> labels,
                      const std::optional<Numbers>& numbers) {
  std::map<std::tuple<bool, double, std::string>, std::int32_t> places;  // numbers before what is missing
  const auto key = [&](std::size_t i) {
    if (!numbers) return std::tuple{false, 0.0, std::string(trimmed(labels[i]))};
    return std::tuple{!(*numbers)[i], (*numbers)[i].value_or(0.0), std::string()};
  };
  for (std::size_t i = 0; i < labels.size(); ++i) places.emplace(key(i), 0);
  if (places.size() > most_groups) {
    throw InvalidArgument(
        fmt::format("--by {}: the column has {} different values, and more than {} groups are not shown. Compare with "
                    "one of them, as in '{}=VALUE'",
                    column, places.size(), most_groups, column));
  }
  Grouping grouping{.by = column};
  for (auto& [value, place] : places) {
    place = static_cast<std::int32_t>(grouping.names.size());
    const auto& [missing, number, words] = value;
    const bool empty = missing || (!numbers && words.empty());
    grouping.names.push_back(
        fmt::format("{} = {}", column, empty ? "(empty)" : (numbers ? format_number(number, 6) : words)));
  }
  for (std::size_t i = 0; i < labels.size(); ++i) grouping.group_of.push_back(places.at(key(i)));
  return grouping;
}

}  // namespace

GroupRule parse_group_rule(std::string_view text) {
  GroupRule rule;
  std::size_t at = std::string_view::npos;
  for (const SignPair& each : comparisons) {
    const std::size_t found = text.find(each.sign);
    if (found == std::string_view::npos || found > at) continue;
    if (found == at && std::string_view(each.sign).size() <= rule.comparison.size()) continue;
    at = found;
    rule.comparison = each.sign;
  }
  rule.column = trimmed(text.substr(0, at));
  if (at != std::string_view::npos) rule.value = trimmed(text.substr(at + rule.comparison.size()));
  if (rule.column.empty() || (!rule.comparison.empty() && rule.value.empty())) {
    throw InvalidArgument(
        fmt::format("--by '{}' is neither a column nor a comparison of one with a value, such as age or age<65", text));
  }
  return rule;
}

Grouping make_grouping(std::string_view by, std::span<const std::string> labels) {
  const GroupRule rule = parse_group_rule(by);
  if (!rule.comparison.empty()) return split_by(rule, labels);
  const auto numbers = as_numbers(labels);
  if (numbers && std::set<std::optional<double>>(numbers->begin(), numbers->end()).size() > most_values)
    return quartile_groups(rule.column, *numbers);
  return value_groups(rule.column, labels, numbers);
}

std::string group_column(std::string_view by) {
  return parse_group_rule(by).column;
}

}  // namespace starope
