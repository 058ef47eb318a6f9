#include "inputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include "failure.hpp"

namespace starope::cli {
namespace {

template <class Read>
Read noted_reader(Read read, const Inputs& inputs) {
  if (!read) return read;
  return [read = std::move(read), inputs](const std::string& path) {
    inputs.add(path);
    return read(path);
  };
}

}  // namespace

void Inputs::add(const std::string& path) const {
  paths_->push_back(path);
  std::error_code error;
  if (std::filesystem::exists(path, error) || path.find_first_of("*?[") == std::string::npos) return;
  glob_t found{};  // the files of a pattern, as DuckDB will read them
  if (::glob(path.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) paths_->emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
}

void Inputs::expect_not(const std::string& output, const std::string& command) const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return;  // pipes and terminals may well be both
  for (const std::string& path : *paths_) {
    if (!fs::equivalent(path, output, error)) continue;
    throw UsageError(
        fmt::format("{} is read by this command ({}), and what is read is never written over. Write to another file",
                    output, path),
        command);
  }
}

EstimatorFiles noted(EstimatorFiles files, const Inputs& inputs) {
  files.centroids = noted_reader(std::move(files.centroids), inputs);
  files.lookup = noted_reader(std::move(files.lookup), inputs);
  files.q_table = noted_reader(std::move(files.q_table), inputs);
  return files;
}

domains::ReadPolicyTable noted(domains::ReadPolicyTable read, const Inputs& inputs) {
  return noted_reader(std::move(read), inputs);
}

}  // namespace starope::cli
