#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// Splits at commas that stand outside all parentheses, and trims the parts.
std::vector<std::string_view> split_estimators(std::string_view text);

// How an option of an estimator is written, for the parser, for --help and for the documentation.
enum class OptionType { whole, number, choice, file, list, text };
struct OptionSpec {
  std::string name{};
  OptionType type = OptionType::text;
  double least = 0.0;                  // of numbers
  std::optional<std::int64_t> most{};  // of whole numbers: beyond, the work is absurd
  std::vector<std::string> words{};    // of a choice: all of them; of a number: what may stand in its place ("none")
  std::string usual{};                 // the default, as it would be written; empty: it depends on others
  std::string help{};

  static OptionSpec whole(std::string name, std::int64_t least, std::string usual, std::string help);
  static OptionSpec number(std::string name, double least, std::string usual, std::string help);
  static OptionSpec choice(std::string name, std::vector<std::string> words, std::string help);  // usual: the first
  static OptionSpec file(std::string name, std::string help);
  static OptionSpec list(std::string name, std::string help);  // of whole numbers: 16-32-64
  static OptionSpec text(std::string name, std::string usual, std::string help);
  OptionSpec or_word(std::string word) &&;
  OptionSpec at_most(std::int64_t bound) &&;

  std::string values() const;  // "N", "R", "a|b|c", "FILE.csv"
};

// A value of an enumeration with its name in estimator strings.
template <class Value>
struct Choice {
  const char* name;
  Value value;
};
template <class Choices>
std::vector<std::string> names_of(const Choices& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.name);
  return names;
}
template <class Choices, class Value>
std::string name_of(const Choices& choices, Value value) {
  std::string name;
  for (const auto& choice : choices) {
    if (choice.value == value) name = choice.name;
  }
  return name;
}

// "name(key=value,...)" taken apart: who builds an estimator from it asks for the options it knows. Every complaint is
// an InvalidArgument that repeats the whole call.
class EstimatorCall {
 public:
  explicit EstimatorCall(std::string_view text);

  const std::string& text() const noexcept { return text_; }  // as given, trimmed
  const std::string& name() const noexcept { return name_; }

  // All options are known and have values that they may have. The others below then ask for no bounds.
  void check(const std::vector<OptionSpec>& known) const;
  // An option that is not among these would be ignored silently: it is an error, with the nearest name that is known.
  void allow_only(const std::vector<std::string>& known) const;
  // These options make no sense here, because of `with`.
  void forbid(const std::vector<std::string>& keys, std::string_view with) const;

  std::optional<std::string> get(const std::string& key) const;
  std::optional<std::int64_t> whole_number(const std::string& key,
                                           std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                           std::optional<std::int64_t> most = {}) const;
  std::optional<double> number(const std::string& key, double least = -std::numeric_limits<double>::infinity()) const;
  // The value of `key` as one of the names; the first is the default.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names) const;

  // The same as a value; the first is the default.
  template <class Choices>
  auto one_of(const std::string& key, const Choices& choices) const {
    return choices[choice(key, names_of(choices))].value;
  }
  Seed seed(Seed usual) const;                                   // seed=N
  std::vector<std::int64_t> list(const std::string& key) const;  // "16-32-64": commas would end the option

  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string text_;
  std::string name_;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace starope
