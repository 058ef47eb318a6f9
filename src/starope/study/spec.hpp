#pragma once

#include <string>

#include "starope/data.hpp"
#include "starope/study.hpp"

namespace starope {

// Of the bytes of a file (FNV-1a, 64 bits, hexadecimal). FileError if it cannot be read.
std::string file_checksum(const std::string& path);
// Of own logs: of the bytes of their file, or of what was read where they are several files, a table or a query.
std::string logs_checksum(const StudyDomain& domain);
// Own logs, whole. An error tells the keys of a study, not only the flags of the program.
Dataset read_logs(const StudyDomain& domain);
// Of what study_differences compares.
std::string study_checksum(const StudySpec& spec);

}  // namespace starope
