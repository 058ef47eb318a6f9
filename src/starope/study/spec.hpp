#pragma once

#include <string>

#include "starope/study.hpp"

namespace starope {

// Of the bytes of a file (FNV-1a, 64 bits, hexadecimal). FileError if it cannot be read.
std::string file_checksum(const std::string& path);
// Of what study_differences compares.
std::string study_checksum(const StudySpec& spec);

}  // namespace starope
