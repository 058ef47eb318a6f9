#pragma once

#include <string>

#include "starope/data.hpp"
#include "starope/io.hpp"

namespace starope::io {

// Whether a file of this name is written block by block, with memory for one of them. NumPy archives are not: what
// their arrays have for a shape stands before the values.
bool writes_blocks(const std::string& path);

// Writes logs that come in blocks as `write` writes them in one piece, to the byte for texts.
void write(const Source& source, const std::string& path, const WriteOptions& options = {});
void write_csv(const Source& source, const TextSink& sink, const WriteOptions& options = {});

}  // namespace starope::io
