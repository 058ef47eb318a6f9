#include "starope/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#if STAROPE_FILES
#include <filesystem>
#endif

#include "starope/error.hpp"
#include "starope/io/arrow_reader.hpp"
#include "starope/io/csv_reader.hpp"
#include "starope/io/duckdb_logs.hpp"
#include "starope/io/input_file.hpp"
#include "starope/io/log_reader.hpp"
#include "starope/io/npz_logs.hpp"

namespace starope::io {
namespace {

// The end of the name from its last dot on; a dot that begins the name begins no extension.
std::string lower_extension(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.find_last_of('.');
  std::string extension = dot == std::string::npos || dot == 0 || name == ".." ? "" : name.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

[[noreturn]] void fail_unknown(const std::string& path, const std::string& extension) {
  throw FileError(
      fmt::format("{}: files of the kind '{}' cannot be read. Convert it to .csv, .parquet, .jsonl or .npz, "
                  "or rename it if it is one",
                  path, extension));
}

// Of a text whose name says nothing: what its first line has most of. None: it is no table of text.
std::optional<char> delimiter_in(std::string_view begin) {
  const std::string_view line = begin.substr(0, begin.find('\n'));
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r'; };
  if (std::any_of(line.begin(), line.end(), control)) return std::nullopt;
  const auto commas = std::count(line.begin(), line.end(), ','), tabs = std::count(line.begin(), line.end(), '\t');
  if (commas == 0 && tabs == 0) return std::nullopt;
  return tabs > commas ? '\t' : ',';
}

}  // namespace

std::optional<char> delimiter_of(const std::string& name, std::string_view begin) {
  if (begins_a_zip(begin)) return std::nullopt;
  const std::string extension = lower_extension(name);
  if (extension == ".csv" || extension.empty()) return ',';
  if (extension == ".tsv") return '\t';
  return extension == ".npz" ? std::nullopt : delimiter_in(begin);
}

std::optional<char> delimiter_of(const std::string& path) {
#if STAROPE_FILES
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) return ',';  // who reads it says so
#endif
  return delimiter_of(path, first_bytes(path, 4096));
}

ReadResult read(const std::string& path, const ReadOptions& options) {
  if (needs_duckdb(path, options)) return read_duckdb(path, options);
  if (path == "-") return read_csv("/dev/stdin", options);
  if (const auto delimiter = delimiter_of(path)) {
    return *delimiter == '\t' ? read_tsv(path, options) : read_csv(path, options);
  }
  const std::string extension = lower_extension(path);
  if (extension == ".npz" || is_zip(path)) return read_npz(path, options);
  const InputFile there(path);  // says so where there is no such file: then its name is no reason
  fail_unknown(path, extension);
}

ReadResult read_bytes(std::string_view bytes, const std::string& name, const ReadOptions& options) {
  if (const auto delimiter = delimiter_of(name, bytes)) {
    return *delimiter == '\t' ? read_tsv(InputFile(bytes, name), options) : read_csv(InputFile(bytes, name), options);
  }
  const std::string extension = lower_extension(name);
  if (extension == ".npz" || begins_a_zip(bytes)) return read_npz(InputFile(bytes, name), options);
  fail_unknown(name, extension);
}

ReadResult read(ArrowArrayStream* stream, const std::string& name, const ReadOptions& options) {
  ArrowTableReader table(stream, name);
  return borrow_batches(table, options).logs;
}

}  // namespace starope::io
