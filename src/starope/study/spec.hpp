#pragma once

#include <optional>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/study.hpp"

namespace starope {

// Of the bytes of a file (FNV-1a, 64 bits, hexadecimal). FileError if it cannot be read.
std::string file_checksum(const std::string& path);
// Own logs are told apart by the bytes of their file, or by what was read where they are several files, a table or a
// query; that is then kept for who needs it next.
struct LogsChecksum {
  std::string text{};
  std::optional<Dataset> logs{};
};
LogsChecksum logs_checksum(const StudyDomain& domain);

// What complete_study gives, and the logs that it had to read, by domain.
struct CompletedStudy {
  StudySpec spec{};
  std::vector<std::optional<Dataset>> logs{};
};
CompletedStudy complete(StudySpec spec);

// Own logs, whole. An error tells the keys of a study, not only the flags of the program.
Dataset read_logs(const StudyDomain& domain);
// Of what study_differences compares.
std::string study_checksum(const StudySpec& spec);

}  // namespace starope
