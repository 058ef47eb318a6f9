#pragma once

#include <cstddef>
#include <string>

namespace starope::io {

// A whole text file: a specification, an evaluation. FileError if it is missing, a directory, not readable, or larger
// than such a file can be (a device that never ends).
std::string read_text(const std::string& path, std::size_t most_bytes = std::size_t{1} << 28);

}  // namespace starope::io
