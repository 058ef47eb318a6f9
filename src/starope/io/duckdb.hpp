#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "starope/io/arrow_array.hpp"
#include "starope/types.hpp"

namespace starope::io {

struct DuckDbOptions {
  std::string library{};   // the file of the library; empty: the variable STAROPE_DUCKDB, or else the usual places
  std::string database{};  // opened for reading; empty: one in memory
  std::int64_t memory = std::int64_t{1} << 30;  // bytes that a query may take before it writes to the folder
  std::string folder{};                         // for temporary files; empty: TMPDIR, or else /tmp
  Threads threads = Threads::all();
};

// DuckDB's C library, loaded when it is needed: nothing of starope is linked to it. FileError in one line if there is
// none, with how to get it.
class DuckDb {
 public:
  explicit DuckDb(const DuckDbOptions& options);

  std::string version() const;
  // The result as it comes, in batches. The stream keeps the database open. DataError with DuckDB's words where the
  // query is wrong; `name` is what messages call the table.
  ArrowArrayStream query(const std::string& sql, const std::string& name) const;
  // What writes the file `name` and has no result. FileError with DuckDB's words.
  void run(const std::string& sql, const std::string& name) const;
  std::vector<std::string> texts(const std::string& sql,
                                 const std::string& name) const;  // of the first column; repeats once

 private:
  struct Session;
  std::shared_ptr<Session> session_;
};

// Where the library is looked for, in this order.
std::vector<std::string> duckdb_places(const std::string& given);

std::string sql_text(const std::string& text);  // 'it''s'
std::string sql_name(const std::string& name);  // "a ""name"""

}  // namespace starope::io
