#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/types.hpp"

namespace starope {

// What an estimator string is made into an estimator from.
struct EstimatorSource {
  const EstimatorCall& call;
  const EstimatorFiles& files;
  Seed seed{};  // for estimators that draw random numbers and name no seed of their own
};

// What the logs have, as far as it decides which estimators can answer.
struct LogColumns {
  bool states = false;
  bool ids = false;  // the states are ids, not numbers
  bool discrete_actions = false;
  bool target_distribution = false;
  bool behavior_distribution = false;
};

// A string that the word `all` stands for, and the columns it needs besides those of its estimator.
struct ListedEstimator {
  std::string text{};
  bool (*when)(const LogColumns&) = [](const LogColumns&) { return true; };
};

// What an estimator is to those who compare several.
enum class EstimatorRole {
  baseline,     // corrects for the difference of the policies
  uncorrected,  // does not: says what the logged policy earned
  process,      // an abstract reward process: comes in grids of cells and clips
  automatic,    // needs no tuning
};

// All that is known about an estimator but its mathematics. Parsing, the lists `all` and default, --help, the page of
// the documentation and the labels of reports are loops over these.
struct EstimatorSpec {
  std::string name{};     // "star"
  std::string summary{};  // one line
  std::vector<OptionSpec> options{};
  EstimatorRole role = EstimatorRole::baseline;
  bool one_model = false;      // rests on a model of the process that it does not test
  bool adds_recorded = false;  // adds up logged rewards: what would follow a cut is missing
  LogColumns needs{};
  std::vector<ListedEstimator> listed{};  // what `all` stands for
  bool usual = false;                     // evaluated if nothing is asked for and the logs have states
  bool usual_without_states = false;
  bool landmark = false;  // reports show it beside grids of configurations
  Estimator (*make)(const EstimatorSource&) = nullptr;
  // The string of an estimator, where it is one of this name: options that have their defaults are left out.
  std::optional<std::string> (*text)(const Estimator&) = nullptr;
};

// "name(a=1,b=2)", or the name alone. Options without a value are left out.
class CallText {
 public:
  explicit CallText(std::string name) : text_(std::move(name)) {}
  CallText& add(const std::string& option, const std::string& value);
  CallText& add(const std::string& options);  // "a=1,b=2"; empty: nothing
  // Where the value is not the usual one.
  template <class Value>
  CallText& add(const std::string& option, const Value& value, const Value& usual);
  std::string str() const { return open_ ? text_ + ")" : text_; }

 private:
  std::string text_;
  bool open_ = false;
};

std::string option_text(std::int64_t value);
std::string option_text(double value);  // the shortest that reads back as the same number
std::string option_text(Seed value);

template <class Value>
CallText& CallText::add(const std::string& option, const Value& value, const Value& usual) {
  return value == usual ? *this : add(option, option_text(value));
}

}  // namespace starope
