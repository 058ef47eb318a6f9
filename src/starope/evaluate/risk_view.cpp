#include "starope/evaluate/risk_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "starope/base/numbers.hpp"
#include "starope/evaluate/answer_json.hpp"
#include "starope/layout/layout.hpp"

namespace starope {
namespace {

struct RiskKind {
  const char* name;
  std::vector<RiskNumber> ReturnDistribution::*numbers;
};
constexpr std::array kinds{RiskKind{"quantiles", &ReturnDistribution::quantiles},
                           RiskKind{"cvar", &ReturnDistribution::cvar}, RiskKind{"below", &ReturnDistribution::below}};

Json number_json(const RiskNumber& number) {
  return {{"at", json_number(number.at)},
          {"value", json_number(number.value)},
          {"interval", interval_json(number.interval)},
          {"ess", json_number(number.ess)}};
}

RiskNumber number_of(const Json& json) {
  RiskNumber number;
  number.at = number_from(json.at("at"));
  number.value = number_from(json.at("value"));
  number.ess = optional_number_from(member_or_null(json, "ess"));
  number.interval = interval_from(json.at("interval"));
  return number;
}

std::string shown_risk(const RiskNumber& number) {
  std::string text = format_number(number.value, 4);
  if (number.interval)
    text +=
        fmt::format(" ({} to {})", format_number(number.interval->lower, 4), format_number(number.interval->upper, 4));
  return text;
}

std::string label(const RiskKind& kind, double at) {
  const std::string number = format_number(at, 4);
  if (kind.numbers == &ReturnDistribution::quantiles) return fmt::format("quantile {}", number);
  if (kind.numbers == &ReturnDistribution::cvar) return fmt::format("mean of the worst {}", number);
  return fmt::format("probability below {}", number);
}

}  // namespace

std::string belief(const std::vector<ReturnDistribution>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const ReturnDistribution& each) { return each.believed; });
  const bool cut = std::any_of(all.begin(), all.end(), [](const ReturnDistribution& each) {
    return std::any_of(each.findings.begin(), each.findings.end(),
                       [](const Finding& finding) { return finding.code == "returns_cut"; });
  });
  if (found == all.end() && cut) {
    return "Do not believe any of them here: recordings were cut off before the last step that counts, and no abstract "
           "process stands in for what would have followed.";
  }
  if (found == all.end()) {
    return "Do not believe any of them here: too few effective episodes carry the weights, and no abstract process "
           "stands in for them.";
  }
  if (found->method == "arp") {
    const std::string why = cut ? "recordings were cut off before the last step that counts"
                                : "too few effective episodes carry the weights of whole episodes";
    return "Believe arp (>): " + why +
           ", and the process has the logged returns where it is asked about the logged policy. This is the answer of "
           "a model: if the target policy visits states that are rare in the logs, its intervals may be too short.";
  }
  return fmt::format("Believe {} (>): {} effective episodes carry its weights.", found->method,
                     format_ess(found->ess.value_or(0.0)));
}

std::vector<std::string> risk_labels(const ReturnDistribution& distribution) {
  std::vector<std::string> labels;
  for (const RiskKind& kind : kinds) {
    for (const RiskNumber& number : distribution.*kind.numbers) labels.push_back(label(kind, number.at));
  }
  return labels;
}

Json distributions_json(const std::vector<ReturnDistribution>& all) {
  Json json = Json::array();
  for (const ReturnDistribution& each : all) {
    Json entry{{"method", each.method}, {"mean", json_number(each.mean)}};
    for (const RiskKind& kind : kinds) {
      entry[kind.name] = Json::array();
      for (const RiskNumber& number : each.*kind.numbers) entry[kind.name].push_back(number_json(number));
    }
    entry["ess"] = json_number(each.ess);
    entry["believed"] = each.believed;
    entry["findings"] = json_findings(each.findings);
    entry["points"] = each.points;
    entry["cdf"] = each.cdf;
    json.push_back(std::move(entry));
  }
  return json;
}

std::vector<ReturnDistribution> distributions_from(const Json& json) {
  std::vector<ReturnDistribution> all;
  for (const Json& entry : json) {
    ReturnDistribution each;
    each.method = entry.at("method");
    each.mean = number_from(entry.at("mean"));
    each.ess = optional_number_from(member_or_null(entry, "ess"));
    each.believed = member_or_null(entry, "believed") == Json(true);
    each.findings = findings_from(member_or_null(entry, "findings"));
    for (const RiskKind& kind : kinds) {
      for (const Json& number : entry.at(kind.name)) (each.*kind.numbers).push_back(number_of(number));
    }
    for (const Json& x : entry.at("points")) each.points.push_back(number_from(x));
    for (const Json& p : entry.at("cdf")) each.cdf.push_back(number_from(p));
    all.push_back(std::move(each));
  }
  return all;
}

std::string distributions_text(const std::vector<ReturnDistribution>& all, const TextStyle& style) {
  if (all.empty()) return {};
  std::string out = wrap_indented(
      "Returns of single episodes: of the logged policy as they are (logged), and of the target policy by weighted "
      "episodes (wis), by rollouts of an abstract process (arp), and by both (dr).",
      style.width, "", "");
  out += wrap_indented(belief(all), style.width, "", "");
  for (const RiskKind& kind : kinds) {
    for (std::size_t k = 0; k < (all.front().*kind.numbers).size(); ++k) {
      out += label(kind, (all.front().*kind.numbers)[k].at) + "\n";
      for (const ReturnDistribution& each : all)
        out +=
            fmt::format("{} {:<7} {}\n", each.believed ? '>' : ' ', each.method, shown_risk((each.*kind.numbers)[k]));
    }
  }
  for (const ReturnDistribution& each : all) {
    for (const Finding& finding : each.findings)
      out += wrap_indented(fmt::format("{}: {}", each.method, sentence(finding)), style.width, "  - ", "    ");
  }
  return out;
}

}  // namespace starope
