#include "starope/io/file_kind.hpp"

#include <algorithm>
#include <string_view>

#if STAROPE_FILES
#include <filesystem>
#endif

#include "starope/io/input_file.hpp"

namespace starope::io {
namespace {

bool is_folder([[maybe_unused]] const std::string& path) {
#if STAROPE_FILES
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
#else
  return false;
#endif
}

// What the first bytes of a file say.
FileKind kind_of_content(const std::string& path) {
  const std::string first = first_bytes(path, 12);
  const std::string_view bytes = first;
  if (bytes.substr(0, 4) == "PAR1") return FileKind::parquet;
  if (bytes.size() == 12 && bytes.substr(8, 4) == "DUCK") return FileKind::database;
  if (bytes.substr(0, 2) == "\x1f\x8b" || bytes.substr(0, 4) == "\x28\xb5\x2f\xfd") return FileKind::text;
  if (bytes.substr(0, 1) == "{") return FileKind::json;
  return path.empty() ? FileKind::text : FileKind::unknown;
}

}  // namespace

bool has_ending(const std::string& name, const char* end) {
  const std::string_view tail(end);
  if (name.size() < tail.size()) return false;
  return std::equal(tail.rbegin(), tail.rend(), name.rbegin(),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b); });
}

bool is_parquet_folder([[maybe_unused]] const std::string& path) {
#if STAROPE_FILES
  if (!is_folder(path)) return false;
  std::error_code unknown;
  constexpr int most = 10'000;  // looked at: a folder that is no table is not searched for ever
  int looked_at = 0;
  for (auto each = std::filesystem::recursive_directory_iterator(path, unknown);
       !unknown && each != std::filesystem::recursive_directory_iterator() && looked_at < most;
       each.increment(unknown), ++looked_at) {
    if (has_ending(each->path().string(), ".parquet")) return true;
  }
#endif
  return false;
}

bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos && !size_of_file(path) && !is_folder(path);
}

FileKind kind_of_name(const std::string& name) {
  std::string path = name;
  bool packed = false;
  for (const char* end : {".gz", ".zst"}) {
    if (!packed && has_ending(path, end)) {
      path = path.substr(0, path.rfind('.'));
      packed = true;
    }
  }
  for (const char* end : {".parquet", ".pq"}) {
    if (has_ending(path, end)) return FileKind::parquet;
  }
  for (const char* end : {".jsonl", ".ndjson", ".json"}) {
    if (has_ending(path, end)) return FileKind::json;
  }
  for (const char* end : {".duckdb", ".ddb", ".db"}) {
    if (has_ending(path, end)) return FileKind::database;
  }
  const bool text = has_ending(path, ".csv") || has_ending(path, ".tsv");
  return packed || (text && is_pattern(path)) ? FileKind::text : FileKind::unknown;
}

FileKind kind_of(const std::string& path) {
  const FileKind kind = kind_of_name(path);
  if (is_pattern(path)) return kind;
  if (kind == FileKind::unknown && is_parquet_folder(path)) return FileKind::parquet;
  if (!size_of_file(path)) return kind;
  const FileKind content = kind_of_content(path);
  const bool ours = has_ending(path, ".csv") || has_ending(path, ".tsv") || has_ending(path, ".npz");
  if (kind == FileKind::unknown && content == FileKind::json) return ours ? FileKind::unknown : FileKind::json;
  if (content == FileKind::parquet || content == FileKind::database || kind == FileKind::unknown) return content;
  return is_zip(path) ? FileKind::unknown : kind;
}

std::string compression_option(const std::string& path) {
  if (is_pattern(path) || has_ending(path, ".gz") || has_ending(path, ".zst")) return {};
  const std::string first = first_bytes(path, 4);
  if (first.substr(0, 2) == "\x1f\x8b") return ", compression = 'gzip'";
  return first == "\x28\xb5\x2f\xfd" ? ", compression = 'zstd'" : "";
}

}  // namespace starope::io
