#include "starope/evaluate/estimator_list.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "starope/base/error.hpp"
#include "starope/evaluate/estimator_call.hpp"

namespace starope {

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
  if (std::holds_alternative<std::monostate>(data.states())) return "naive,is,pdis,wis,wpdis";
  return "auto,naive,wis,wpdis";
}

std::string all_estimators(const Problem& problem) {
  const Dataset& data = problem.data();
  const bool states = !std::holds_alternative<std::monostate>(data.states());
  std::string all = states ? "auto,naive,is,pdis,wis,wpdis" : "naive,is,pdis,wis,wpdis";
  const bool ids = std::holds_alternative<DiscreteStates>(data.states());
  if (states && std::holds_alternative<DiscreteActions>(data.actions()) && problem.target_distribution()) {
    const bool behavior = data.behavior_distribution().has_value();
    all += ids ? ",mb,fqe,qreg" : ",mb,mb(model=mlp),fqe,qreg";
    if (behavior) all += ",mrdr";
    all += ",dr(q=fqe)";
    if (behavior) all += ",dr(q=mrdr,folds=5)";  // in sample, regressions of returns flatter themselves
    all += ",wdr(q=fqe),magic(q=fqe)";
  }
  if (states) all += ids ? ",star(phi=identity,clip=1)" : ",star(clusters=32,clip=2)";
  return all;
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
