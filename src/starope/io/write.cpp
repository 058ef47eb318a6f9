#include <fmt/format.h>

#include "starope/error.hpp"
#include "starope/io.hpp"
#include "starope/io/duckdb_writer.hpp"

namespace starope::io {

void write(const Dataset& data, const std::string& path, const WriteOptions& options) {
  const auto ends = [&](std::string_view end) {
    return path.size() > end.size() && std::string_view(path).substr(path.size() - end.size()) == end;
  };
  if (ends(".csv")) return write_csv(data, path, options);
  if (ends(".npz")) return write_npz(data, path, options);
  if (duckdb_writes(path)) return write_duckdb(dataset_source(data), path, options);
  throw FileError(fmt::format(
      "{}: the end of the name does not tell a kind of file that can be written: .csv, .npz, .parquet, .jsonl, .csv.gz "
      "or .csv.zst",
      path));
}

}  // namespace starope::io
