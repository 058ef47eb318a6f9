#include "starope/evaluate/json.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <new>
#include <utility>
#include <variant>

#include "starope/base/data_location.hpp"
#include "starope/base/finding_catalog.hpp"
#include "starope/error.hpp"

namespace starope {

namespace {

constexpr const char* sentence_parameter = "sentence";

const std::string* stored_sentence(const Finding& finding) {
  for (const FindingParameter& parameter : finding.parameters) {
    if (parameter.name == sentence_parameter) return std::get_if<std::string>(&parameter.value);
  }
  return nullptr;
}

std::variant<std::int64_t, double, std::string> parameter_from(const Json& json) {
  if (json.is_number_integer()) return whole_from(json);
  if (json.is_string()) return json.get<std::string>();
  return number_from(json);
}

// Memory for trees that are destroyed where there is none: enough for some 20,000 members. Pieces are handed out one
// behind the other, and all is free again when the last one came back.
class Reserve {
 public:
  void* take(std::size_t bytes) noexcept {
    const Lock lock(busy_);
    bytes = (bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
    if (bytes > memory_.size() - used_) return nullptr;
    void* const piece = memory_.data() + used_;
    used_ += bytes;
    ++pieces_;
    return piece;
  }

  bool give_back(const void* piece) noexcept {
    const auto* const byte = static_cast<const std::byte*>(piece);
    const std::less<const std::byte*> before;
    if (before(byte, memory_.data()) || !before(byte, memory_.data() + memory_.size())) return false;
    const Lock lock(busy_);
    if (--pieces_ == 0) used_ = 0;
    return true;
  }

 private:
  struct Lock {
    explicit Lock(std::atomic_flag& flag) noexcept : busy(flag) {
      while (busy.test_and_set(std::memory_order_acquire)) {
      }
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() { busy.clear(std::memory_order_release); }
    std::atomic_flag& busy;
  };

  std::atomic_flag busy_{};
  std::size_t used_ = 0;
  std::int64_t pieces_ = 0;
  alignas(std::max_align_t) std::array<std::byte, 1 << 20> memory_{};
};

Reserve reserve;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): it must be there before it is needed

}  // namespace

void* take_json_memory(std::size_t bytes) {
  if (void* const memory = ::operator new(bytes, std::nothrow); memory != nullptr) return memory;
  if (void* const memory = reserve.take(bytes); memory != nullptr) return memory;
  throw std::bad_alloc();
}

void return_json_memory(void* memory) noexcept {
  if (!reserve.give_back(memory)) ::operator delete(memory);
}

std::string sentence(const Finding& finding) {
  if (can_be_said(finding)) return text(finding);
  const std::string* stored = stored_sentence(finding);
  return stored == nullptr ? finding.code : *stored;
}

Json json_number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json json_number(const std::optional<double>& x) {
  return x ? json_number(*x) : Json(nullptr);
}

Json json_findings(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json parameters = Json::object();
    for (const FindingParameter& parameter : finding.parameters) {
      if (const auto* number = std::get_if<double>(&parameter.value)) {
        parameters[parameter.name] = json_number(*number);
      } else if (const auto* whole = std::get_if<std::int64_t>(&parameter.value)) {
        parameters[parameter.name] = *whole;
      } else {
        parameters[parameter.name] = std::get<std::string>(parameter.value);
      }
    }
    list.push_back({{"severity", name(finding.severity)},
                    {"code", finding.code},
                    {"parameters", std::move(parameters)},
                    {"message", sentence(finding)}});
  }
  return list;
}

double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::optional<double> optional_number_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

std::int64_t whole_from(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return static_cast<std::int64_t>(number);
    }
  } else if (json.is_number_integer()) {
    return json.get<std::int64_t>();
  } else if (json.is_number_float()) {
    const auto number = json.get<double>();
    if (std::abs(number) <= 0x1p53 && std::trunc(number) == number) return static_cast<std::int64_t>(number);
  }
  throw Json::type_error::create(302, "type must be a whole number below 2^63, but is " + json.dump(), &json);
}

std::uint64_t seed_from(const Json& json) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  const std::int64_t number = whole_from(json);
  if (number < 0)
    throw Json::type_error::create(302, "type must be a number of at least 0, but is " + json.dump(), &json);
  return static_cast<std::uint64_t>(number);
}

std::vector<Finding> findings_from(const Json& json) {
  std::vector<Finding> findings;
  for (const Json& each : json) {
    Finding finding;
    const std::string severity = each.at("severity");
    for (const Severity known : {Severity::info, Severity::warning, Severity::critical}) {
      if (severity == name(known)) finding.severity = known;
    }
    finding.code = each.at("code");
    for (const auto& [key, value] : member_or_null(each, "parameters").items()) {
      auto read = parameter_from(value);  // before the aggregate is begun: it may throw
      finding.parameters.push_back({.name = key, .value = std::move(read)});
    }
    // Of another version, or without its numbers: the sentence is all there is.
    if (!can_be_said(finding) && stored_sentence(finding) == nullptr) {
      auto message = each.at("message").get<std::string>();
      finding.parameters.push_back({.name = sentence_parameter, .value = std::move(message)});
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

const Json& member_or_null(const Json& json, const char* name) {
  static const Json null;
  const auto found = json.find(name);
  return found == json.end() ? null : *found;
}

void refuse_document(const JsonDocument& document, const std::string& source, const std::string& rule) {
  throw DataError({.code = document.code, .at = in_file(source), .value = {}, .rule = rule, .remedy = document.remedy});
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace starope
