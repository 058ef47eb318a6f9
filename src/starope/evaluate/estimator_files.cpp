#include "starope/estimators.hpp"

#include <utility>

#include "starope/io/numeric_table.hpp"

namespace starope {

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
              },
          .q_table =
              [](const std::string& path) {
                io::StateRows rows = io::read_q_rows(path);
                return QTable{.actions = static_cast<std::int32_t>(rows.columns),
                              .state = std::move(rows.states),
                              .q = std::move(rows.values),
                              .source = path};
              }};
}

}  // namespace starope
