#include "starope/evaluate/spec.hpp"

#include <fmt/format.h>

namespace starope {

CallText& CallText::add(const std::string& options) {
  if (options.empty()) return *this;
  text_ += (open_ ? "," : "(") + options;
  open_ = true;
  return *this;
}

CallText& CallText::add(const std::string& option, const std::string& value) {
  return add(option + "=" + value);
}

std::string option_text(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string option_text(double value) {
  return fmt::format("{}", value);
}

std::string option_text(Seed value) {
  return fmt::format("{}", value.value);
}

}  // namespace starope
