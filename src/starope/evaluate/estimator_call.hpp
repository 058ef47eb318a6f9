#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starope {

// Splits at commas that stand outside all parentheses, and trims the parts.
std::vector<std::string_view> split_estimators(std::string_view list);

// "name(key=value,...)" taken apart: who builds an estimator from it asks for the options it knows. Every complaint is
// an InvalidArgument that repeats the whole call.
class EstimatorCall {
 public:
  explicit EstimatorCall(std::string_view text);

  const std::string& text() const noexcept { return text_; }  // as given, trimmed
  const std::string& name() const noexcept { return name_; }

  // An option that is not among these would be ignored silently: it is an error, with the nearest name that is known.
  void allow_only(const std::vector<std::string>& known) const;
  // These options make no sense here, because of `with`.
  void forbid(const std::vector<std::string>& keys, std::string_view with) const;

  std::optional<std::string> get(const std::string& key) const;
  std::optional<std::int64_t> whole_number(const std::string& key, std::int64_t least) const;
  std::optional<double> number(const std::string& key, double least) const;
  // The value of `key` as one of the names; the first is the default.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names) const;

  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string text_;
  std::string name_;
  std::vector<std::pair<std::string, std::string>> options_;
};

}  // namespace starope
