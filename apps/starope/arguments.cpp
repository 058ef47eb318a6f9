#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "failure.hpp"
#include "starope/base/numbers.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/loading.hpp"

namespace starope::cli {
namespace {

std::string_view without_plus(std::string_view text) {
  return !text.empty() && text.front() == '+' ? text.substr(1) : text;
}

template <class Number>
bool read(std::string_view text, Number& number) {
  text = without_plus(text);
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last;
}

bool read(std::string_view text, double& number) {
  const auto read = number_of(without_plus(text));
  number = read.value_or(number);
  return read.has_value();
}

[[noreturn]] void fail(const std::string& flag, std::string_view text, const std::string& rule) {
  throw UsageError(fmt::format("{} {}: {}", flag, text, rule));
}

double number_between(const std::string& flag, std::string_view text, const std::string& rule, bool (*holds)(double)) {
  double number = 0.0;
  if (!read(text, number) || !holds(number)) fail(flag, text, rule);
  return number;
}

constexpr std::int64_t most_int64 = std::numeric_limits<std::int64_t>::max();

std::int64_t at_least_one(const std::string& flag, std::string_view text, const std::string& what, std::int64_t most) {
  std::int64_t number = 0;
  if (!read(text, number) || number < 1 || number > most) {
    fail(flag, text,
         most == most_int64
             ? fmt::format("{} must be a whole number of at least 1", what)
             : fmt::format("{} must be a whole number of at least 1 and at most {}", what, with_thousands(most)));
  }
  return number;
}

}  // namespace

Discount parse_discount(const std::string& flag, std::string_view text) {
  return Discount(number_between(flag, text, "the discount must be a number from 0 to 1, for example 0.99",
                                 [](double x) { return x >= 0.0 && x <= 1.0; }));
}

Horizon parse_horizon(const std::string& flag, std::string_view text) {
  return Horizon(at_least_one(flag, text, "the horizon (how many steps count)", Horizon::most));
}

Level parse_level(const std::string& flag, std::string_view text) {
  return Level(number_between(
      flag, text, "the confidence level must be a number between 0 and 1 (at most 0.999999999999), for example 0.95",
      [](double x) { return x > 0.0 && x <= 0.999999999999; }));
}

Threads parse_threads(const std::string& flag, std::string_view text) {
  return Threads(static_cast<int>(at_least_one(flag, text, "the number of threads", 100'000)));
}

Seed parse_seed(const std::string& flag, std::string_view text) {
  std::uint64_t number = 0;
  if (!read(text, number)) fail(flag, text, "the seed must be a whole number from 0 to 18446744073709551615");
  return Seed{number};
}

std::int64_t parse_count(const std::string& flag, std::string_view text) {
  return at_least_one(flag, text, "the count", most_int64);
}

std::int64_t parse_bytes(const std::string& flag, std::string_view text) {
  const auto size = parse_size(text);
  if (!size) fail(flag, text, size_rule);
  return *size;
}

std::size_t parse_choice(const std::string& flag, std::string_view text, const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) throw UsageError(fmt::format("{}: {}", flag, unknown_name("value", text, choices)));
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<std::string> parse_names(const std::string& flag, std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end == at) fail(flag, text, "a name is missing; write the names with commas between them, without blanks");
    names.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<double> parse_numbers(const std::string& flag, std::string_view text, const std::string& rule,
                                  bool (*holds)(double)) {
  std::vector<double> numbers;
  for (const std::string& part : parse_names(flag, text)) numbers.push_back(number_between(flag, part, rule, holds));
  return numbers;
}

}  // namespace starope::cli
