#include "estimator_list.hpp"

#include <variant>

#include "failure.hpp"
#include "starope/base/error.hpp"

namespace starope::cli {
namespace {

// Reads a table; if that fails, remembers why and goes on with an empty one that knows its file.
template <class Table>
std::function<Table(const std::string&)> forgiving(const std::function<Table(const std::string&)>& read,
                                                   std::map<std::string, EstimatorFailure>& broken) {
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

}  // namespace

EstimatorList parse_estimator_lists(const std::vector<std::string>& lists, const EstimatorFiles& files, Seed seed) {
  EstimatorList result;
  const EstimatorFiles readers{.centroids = forgiving<CentroidTable>(files.centroids, result.broken_files),
                               .lookup = forgiving<LookupTable>(files.lookup, result.broken_files)};
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

const EstimatorFailure* broken_file(const EstimatorList& list, const NamedEstimator& named) {
  const auto* star = std::get_if<Star>(&named.estimator);
  if (star == nullptr) return nullptr;
  std::string path;
  if (const auto* table = std::get_if<CentroidTable>(&star->phi)) path = table->source;
  if (const auto* table = std::get_if<LookupTable>(&star->phi)) path = table->source;
  const auto found = list.broken_files.find(path);
  return found == list.broken_files.end() ? nullptr : &found->second;
}

}  // namespace starope::cli
