#pragma once

#include <string>

namespace starope::io {

// Whether a packed file is there to its end: gzip unpacked once, with its checksums, where the system has zlib, and
// zstd by the sizes of its blocks. DataError where it was cut or damaged; any other file passes. DuckDB reads what is
// left of a file that was cut as if it were all.
void expect_whole(const std::string& path);

}  // namespace starope::io
