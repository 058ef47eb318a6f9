#include "estimator_files.hpp"

#include <utility>

#include "starope/io/numeric_table.hpp"

namespace starope::cli {

EstimatorFiles estimator_files() {
  return {.centroids =
              [](const std::string& path) {
                io::NumericTable table = io::read_centroids(path);
                return CentroidTable{.dimension = table.columns, .values = std::move(table.values), .source = path};
              },
          .lookup =
              [](const std::string& path) {
                io::LookupTable table = io::read_lookup(path);
                return LookupTable{.state = std::move(table.states), .z = std::move(table.labels), .source = path};
              }};
}

}  // namespace starope::cli
