#pragma once

#include <string>

namespace starope::io {

// What DuckDB reads, by content and name.
enum class FileKind { parquet, json, text, database, unknown };

// The content of a file tells more than its name; only how packed text goes on is in the name alone. `unknown`: nothing
// for DuckDB.
FileKind kind_of(const std::string& path);
FileKind kind_of_name(const std::string& name);

bool is_pattern(const std::string& path);         // of several files; a file or folder of that name is itself
bool is_parquet_folder(const std::string& path);  // with Parquet files in it, or in folders in it

// How text is packed whose name does not tell, as an option of DuckDB's, which goes by the name.
std::string compression_option(const std::string& path);

bool has_ending(const std::string& name, const char* end);  // `end` in small letters, `name` in any

}  // namespace starope::io
