#include "starope/study/estimator_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/study.hpp"

namespace starope {
namespace {

std::vector<std::string> alternatives(std::string_view text, std::string_view whole) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    parts.emplace_back(trimmed(text.substr(from, to - from)));
    if (parts.back().empty() && text.find('|') != std::string_view::npos) {
      throw InvalidArgument(fmt::format("estimator '{}': an alternative beside '|' is empty", whole));
    }
    from = to + 1;
  }
  return parts;
}

void expect_few(std::size_t estimators, std::string_view text) {
  if (estimators <= static_cast<std::size_t>(most_estimators)) return;
  throw InvalidArgument(
      fmt::format("estimator '{}{}': more than {} estimators; every one of them is evaluated in every "
                  "trial. Ask for fewer alternatives",
                  text.substr(0, 80), text.size() > 80 ? "..." : "", with_thousands(most_estimators)));
}

void expand(std::string_view call, std::vector<std::string>& out) {
  const std::size_t open = call.find('(');
  if (open == std::string_view::npos || call.find('|') == std::string_view::npos || call.back() != ')') {
    out.emplace_back(call);
    return;
  }
  std::vector<std::string> made{""};
  for (const std::string_view option : split_estimators(call.substr(open + 1, call.size() - open - 2))) {
    const std::size_t equals = option.find('=');
    const std::string key(option.substr(0, equals == std::string_view::npos ? 0 : equals + 1));
    std::vector<std::string> longer;
    for (const std::string& front : made) {
      for (const std::string& value : alternatives(option.substr(key.size()), call)) {
        longer.push_back(front + (front.empty() ? "" : ",") + key + value);
      }
    }
    made = std::move(longer);
    expect_few(made.size() + out.size(), call);
  }
  for (const std::string& inside : made) out.push_back(fmt::format("{}({})", call.substr(0, open), inside));
}

}  // namespace

std::vector<std::string> expand_estimators(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string_view call : split_estimators(list)) {
    if (call.empty()) throw InvalidArgument(fmt::format("the estimator list '{}' has an empty entry", list));
    expand(call, out);
    expect_few(out.size(), call);
  }
  return out;
}

GridPoint grid_point(std::string_view estimator) {
  GridPoint point{.family = std::string(estimator)};
  const std::size_t open = estimator.find('(');
  if (role_of(estimator) != EstimatorRole::process || open == std::string_view::npos || estimator.back() != ')')
    return point;
  const std::string_view name = estimator.substr(0, open);
  std::vector<std::string> others;
  std::string clusters, clip;
  for (const std::string_view option : split_estimators(estimator.substr(open + 1, estimator.size() - open - 2))) {
    if (option.rfind("clusters=", 0) == 0) {
      clusters = option.substr(9);
    } else if (option.rfind("clip=", 0) == 0) {
      clip = option.substr(5);
    } else {
      others.emplace_back(option);
    }
  }
  if (clusters.empty() || clip.empty()) return point;
  return {.family = others.empty() ? std::string(name) : fmt::format("{}({})", name, fmt::join(others, ",")),
          .clusters = clusters,
          .clip = clip};
}

}  // namespace starope
