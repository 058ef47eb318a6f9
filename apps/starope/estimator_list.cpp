#include "estimator_list.hpp"

#include <variant>

#include "failure.hpp"
#include "starope/base/error.hpp"
#include "starope/evaluate/estimator_call.hpp"

namespace starope::cli {
namespace {

// Reads a table; if that fails, remembers why and goes on with an empty one that knows its file.
template <class Table>
std::function<Table(const std::string&)> forgiving(const std::function<Table(const std::string&)>& read,
                                                   std::map<std::string, Failure>& broken) {
  if (!read) return {};
  return [&read, &broken](const std::string& path) {
    try {
      return read(path);
    } catch (const InvalidArgument&) {
      throw;
    } catch (const Error& error) {
      broken[path] = {.code = error.code(), .message = error.what()};
      Table empty;
      empty.source = path;
      return empty;
    }
  };
}

// The file that an estimator was read from; empty: none.
struct SourceOf {
  std::string operator()(const Star& star) const {
    if (const auto* table = std::get_if<CentroidTable>(&star.phi)) return table->source;
    if (const auto* table = std::get_if<LookupTable>(&star.phi)) return table->source;
    return {};
  }
  std::string operator()(const DoublyRobust& dr) const { return of(dr.q); }
  std::string operator()(const Magic& magic) const { return of(magic.q); }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
  static std::string of(const QSource& q) {
    const auto* table = std::get_if<QTable>(&q);
    return table == nullptr ? std::string() : table->source;
  }
};

}  // namespace

EstimatorList parse_estimator_lists(const std::vector<std::string>& lists, const EstimatorFiles& files, Seed seed) {
  EstimatorList result;
  const EstimatorFiles readers{.centroids = forgiving<CentroidTable>(files.centroids, result.broken_files),
                               .lookup = forgiving<LookupTable>(files.lookup, result.broken_files),
                               .q_table = forgiving<QTable>(files.q_table, result.broken_files)};
  try {
    for (const std::string& list : lists) {
      for (NamedEstimator& named : parse_estimators(list, readers, seed)) result.estimators.push_back(std::move(named));
    }
  } catch (const InvalidArgument& error) {
    throw UsageError(error.what(), "starope evaluate");
  }
  return result;
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

const Failure* broken_file(const EstimatorList& list, const NamedEstimator& named) {
  const auto found = list.broken_files.find(std::visit(SourceOf{}, named.estimator));
  return found == list.broken_files.end() ? nullptr : &found->second;
}

}  // namespace starope::cli
