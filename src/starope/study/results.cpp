#include "starope/study/results.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/study/checksum.hpp"
#include "starope/study/plan.hpp"

namespace starope {
namespace {

constexpr const char* results_schema = "starope.study/1";

Json number(const std::optional<double>& x) {
  return x && std::isfinite(*x) ? Json(*x) : Json(nullptr);
}

std::optional<double> optional_number(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return json.get<double>();
}

Json to_json(const StudyHeader& header) {
  return {{"schema", results_schema},
          {"kind", "study"},
          {"study", header.study},
          {"domains", header.domains},
          {"checksum", header.checksum}};
}

Json to_json(const StudyTruth& truth) {
  return {{"kind", "truth"},
          {"domain", truth.domain},
          {"value", truth.value},
          {"std_error", truth.std_error},
          {"episodes", truth.episodes},
          {"seed", truth.seed.value}};
}

Json to_json(const StudyResult& result) {
  Json json{{"kind", "result"},
            {"domain", result.domain},
            {"size", result.size},
            {"trial", result.trial},
            {"estimator", result.estimator}};
  if (const auto* failure = std::get_if<Failure>(&result.answer)) {
    json["error"] = {{"code", failure->code}, {"message", failure->message}};
  } else {
    const auto& answer = std::get<StudyAnswer>(result.answer);
    json["value"] = answer.value;
    json["std_error"] = number(answer.std_error);
    if (answer.interval) {
      json["interval"] = {{"lower", number(answer.interval->lower)},
                          {"upper", number(answer.interval->upper)},
                          {"level", answer.interval->level},
                          {"method", answer.interval->method}};
    } else {
      json["interval"] = nullptr;
    }
    json["findings"] = answer.findings;
  }
  json["seconds"] = result.seconds;
  return json;
}

std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of all that a line says but how long it took: two runs of a study have the same checks.
std::string check_of(Json json) {
  json.erase("check");
  json.erase("seconds");
  return fmt::format("{:016x}", fnv1a(compact(json)));
}

StudyHeader header_of(const Json& json) {
  return {.study = json.at("study"), .domains = json.at("domains"), .checksum = json.at("checksum")};
}

StudyTruth truth_of(const Json& json) {
  return {.domain = json.at("domain"),
          .value = json.at("value"),
          .std_error = json.at("std_error"),
          .episodes = whole_from(json.at("episodes")),
          .seed = Seed{seed_from(json.at("seed"))}};
}

StudyResult result_of(const Json& json) {
  StudyResult result{.domain = json.at("domain"),
                     .size = whole_from(json.at("size")),
                     .trial = whole_from(json.at("trial")),
                     .estimator = json.at("estimator")};
  result.seconds = json.value("seconds", 0.0);
  if (json.contains("error")) {
    result.answer = Failure{.code = json.at("error").at("code"), .message = json.at("error").at("message")};
    return result;
  }
  StudyAnswer answer{.value = json.at("value"), .std_error = optional_number(json.at("std_error"))};
  if (const Json& interval = json.at("interval"); !interval.is_null()) {
    const auto lower = optional_number(interval.at("lower")), upper = optional_number(interval.at("upper"));
    if (lower && upper) {
      answer.interval =
          Interval{.lower = *lower, .upper = *upper, .level = interval.at("level"), .method = interval.at("method")};
    }
  }
  answer.findings = json.at("findings").get<std::vector<std::string>>();
  result.answer = std::move(answer);
  return result;
}

}  // namespace

StudyResult make_result(const StudyDomain& domain, const StudyCell& cell, const std::string& estimator, Answer answer) {
  StudyResult result{.domain = domain.name, .size = cell.size, .trial = cell.trial, .estimator = estimator};
  // Microseconds are enough, and short.
  result.seconds = std::round(answer.seconds.value_or(0.0) * 1e6) / 1e6;
  if (auto* failure = std::get_if<Failure>(&answer.result)) {
    result.answer = std::move(*failure);
    return result;
  }
  auto& estimate = std::get<Estimate>(answer.result);
  StudyAnswer made{.value = estimate.value};
  if (estimate.std_error && std::isfinite(*estimate.std_error)) made.std_error = estimate.std_error;
  if (estimate.interval && std::isfinite(estimate.interval->lower) && std::isfinite(estimate.interval->upper)) {
    made.interval = estimate.interval;
  }
  for (const Finding& finding : estimate.findings) made.findings.push_back(finding.code);
  result.answer = std::move(made);
  return result;
}

std::string result_line(const StudyLine& line) {
  Json json = std::visit([](const auto& each) { return to_json(each); }, line);
  json["check"] = check_of(json);
  return compact(json) + '\n';
}

bool has_check(std::string_view line) {
  return line.find("\"check\":") != std::string_view::npos;
}

bool may_succeed_later(const Failure& failure) {
  return failure.code == "out_of_memory";
}

StudyLine parse_result_line(std::string_view text, const std::string& file, std::int64_t row, bool must_have_check) {
  const auto wrong = [&](const std::string& rule) {
    return DataError({.code = "bad_result",
                      .at = in_file(file, row),
                      .value = {},
                      .rule = rule,
                      .remedy = "Remove the line, or start the study again in an empty folder"});
  };
  try {
    const Json json = Json::parse(text);
    const std::string kind = json.at("kind");
    const Json& check = member_or_null(json, "check");
    if (check.is_null() && must_have_check)
      throw wrong("has no check, although the first line has one: was it edited?");
    if (!check.is_null() && check != check_of(json)) {
      throw wrong("was changed after it was written: its check does not fit");
    }
    if (kind == "study") {
      if (json.at("schema") != results_schema) {
        throw wrong(
            fmt::format("this program reads results of schema {}, not {}", results_schema, json.at("schema").dump()));
      }
      return header_of(json);
    }
    if (kind == "truth") return truth_of(json);
    if (kind == "result") return result_of(json);
    throw wrong(fmt::format("the kind of a line is study, truth or result, not '{}'", kind));
  } catch (const Json::exception& error) {
    throw wrong(fmt::format("must be a result as starope writes it ({})", error.what()));
  }
}

}  // namespace starope
