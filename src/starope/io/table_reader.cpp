#include "starope/io/table_reader.hpp"

#include <utility>

namespace starope::io {

void TextRuns::own() {
  std::vector<std::unique_ptr<std::string>> owned;
  for (std::string_view& each : text) {
    owned.push_back(std::make_unique<std::string>(each));
    each = *owned.back();
  }
  unescaped = std::move(owned);
}

DataLocation TableSource::at(std::int64_t row, std::string column) const {
  DataLocation location;
  location.file = file;
  location.row = first_row + row;
  location.column = std::move(column);
  return location;
}

}  // namespace starope::io
