#include "starope/estimators.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "starope/error.hpp"
#include "starope/evaluate/registry.hpp"

namespace starope {
namespace {

LogColumns log_columns(const Dataset& data) {
  LogColumns columns;
  columns.states = !std::holds_alternative<std::monostate>(data.states());
  columns.ids = std::holds_alternative<DiscreteStates>(data.states());
  columns.discrete_actions = std::holds_alternative<DiscreteActions>(data.actions());
  columns.target_distribution = data.target_distribution().has_value();
  columns.behavior_distribution = data.behavior_distribution().has_value();
  return columns;
}

bool enough_for(const LogColumns& needs, const LogColumns& logs) {
  return (!needs.states || logs.states) && (!needs.discrete_actions || logs.discrete_actions) &&
         (!needs.target_distribution || logs.target_distribution) &&
         (!needs.behavior_distribution || logs.behavior_distribution);
}

}  // namespace

std::vector<RequestedEstimator> request_estimators(const std::vector<std::string>& lists, const EstimatorFiles& files,
                                                   Seed seed) {
  std::vector<RequestedEstimator> requested;
  for (const std::string& list : lists) {
    for (const std::string_view part : split_estimators(list)) {
      if (part.empty()) throw InvalidArgument(fmt::format("the estimator list '{}' has an empty entry", list));
      RequestedEstimator each{.text = std::string(part)};
      try {
        each.estimator = parse_estimator(part, files, seed).estimator;
      } catch (const InvalidArgument&) {
        throw;
      } catch (const Error& error) {  // of a file: nothing else reads
        each.estimator = Failure{.code = error.code(), .message = error.what()};
      }
      requested.push_back(std::move(each));
    }
  }
  return requested;
}

std::string default_estimators(const Dataset& data) {
  const bool states = log_columns(data).states;
  std::string list;
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (states ? spec.usual : spec.usual_without_states) list += (list.empty() ? "" : ",") + spec.name;
  }
  return list;
}

std::string all_estimators(const Problem& problem) {
  LogColumns logs = log_columns(problem.data());
  logs.target_distribution = problem.target_distribution().has_value();
  std::string list;
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (!enough_for(spec.needs, logs)) continue;
    for (const ListedEstimator& listed : spec.listed) {
      if (listed.when(logs)) list += (list.empty() ? "" : ",") + listed.text;
    }
  }
  return list;
}

bool asks_for_all(const std::vector<std::string>& lists) {
  for (const std::string& list : lists) {
    for (const std::string_view part : split_estimators(list)) {
      if (part == "all") return true;
    }
  }
  return false;
}

std::vector<std::string> expand_all(const std::vector<std::string>& lists, const Problem* problem) {
  std::vector<std::string> result;
  for (const std::string& list : lists) {
    for (const std::string_view part : split_estimators(list)) {
      if (part != "all") {
        result.emplace_back(part);
      } else if (problem != nullptr) {
        result.push_back(all_estimators(*problem));
      }
    }
  }
  return result;
}

}  // namespace starope
