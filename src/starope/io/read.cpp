#include "starope/io/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "starope/base/error.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/npz_logs.hpp"

namespace starope::io {
namespace {

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

}  // namespace

ReadResult read(const std::string& path, const ReadOptions& options) {
  if (path == "-") return read_csv("/dev/stdin", options);
  const std::string extension = lower_extension(path);
  if (extension == ".csv" || extension.empty() || std::filesystem::is_directory(path)) return read_csv(path, options);
  if (extension == ".tsv") return read_tsv(path, options);
  if (extension == ".npz") return read_npz(path, options);
  throw FileError(
      fmt::format("{}: files of the kind '{}' cannot be read. Convert it to .csv, .tsv or .npz, or rename it if it "
                  "is one",
                  path, extension));
}

}  // namespace starope::io
