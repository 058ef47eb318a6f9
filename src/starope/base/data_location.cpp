#include "starope/base/data_location.hpp"

#include <utility>

namespace starope {

DataLocation in_file(std::string file, std::optional<std::int64_t> row) {
  return in_column({}, std::move(file), row);
}

DataLocation in_column(std::string column, std::string file, std::optional<std::int64_t> row) {
  DataLocation at;
  at.file = std::move(file);
  at.row = row;
  at.column = std::move(column);
  return at;
}

}  // namespace starope
