#include "starope/domains/icu_sepsis_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

namespace fs = std::filesystem;

constexpr const char* member = "icu_sepsis/envs/assets/dynamics.npz";

bool is_wheel(const std::string& path) {
  return fs::path(path).extension() == ".whl";
}

// The tables inside a wheel, a few MB: they are unpacked as a whole.
io::InputFile unpacked(const std::string& path) {
  const io::InputFile wheel(path);
  const io::ZipArchive archive(wheel.bytes(), path);
  const io::ZipEntry* entry = archive.find(member);
  if (entry == nullptr) {
    DataLocation at;
    at.file = path;
    throw DataError({.code = "missing_array",
                     .at = std::move(at),
                     .value = {},
                     .rule = fmt::format("has no member {}", member),
                     .remedy = fmt::format("Give the wheel of the package icu-sepsis: {}", get_icu_sepsis)});
  }
  std::vector<char> bytes(entry->size);
  archive.open(*entry).read(std::as_writable_bytes(std::span(bytes)));
  return {std::move(bytes), fmt::format("{} ({})", path, member)};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Folders named python3.N in a folder, the newest first.
void add_pythons(const std::string& lib, std::vector<std::string>& to) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (auto each = fs::directory_iterator(lib, ignored); !ignored && each != fs::directory_iterator();
       each.increment(ignored)) {
    if (each->path().filename().string().rfind("python3", 0) != 0) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) found.push_back((each->path() / packages).string());
  }
  std::sort(found.rbegin(), found.rend());
  to.insert(to.end(), found.begin(), found.end());
}

}  // namespace

io::NpzReader open_icu_sepsis(const std::string& path) {
  return is_wheel(path) ? io::NpzReader(unpacked(path)) : io::NpzReader(path);
}

IcuSepsisVersion icu_sepsis_version(const std::string& path) {
  const std::vector<std::int64_t> shape = open_icu_sepsis(path).open("tx_mat").shape();
  for (const auto version : {IcuSepsisVersion::v0, IcuSepsisVersion::v2}) {
    if (!shape.empty() && shape[0] == static_cast<std::int64_t>(version)) return version;
  }
  DataLocation at;
  at.file = path;
  at.column = "tx_mat";
  throw DataError({.code = "bad_shape",
                   .at = std::move(at),
                   .value = {},
                   .rule = fmt::format("has {} states; ICU-Sepsis has 747 (v0) or 716 (v1 and v2)",
                                       shape.empty() ? std::int64_t{0} : shape[0]),
                   .remedy = "Use one of the published files: " + published_tables()});
}

PackagePlaces usual_places() {
  PackagePlaces places{.file = variable("STAROPE_ICU_SEPSIS"), .folders = {}, .wheels = {"."}};
  const std::string path = variable("PYTHONPATH");
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (end > at) places.folders.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  for (const char* environment : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const std::string root = variable(environment); !root.empty()) add_pythons(root + "/lib", places.folders);
  }
  if (const std::string home = variable("HOME"); !home.empty()) add_pythons(home + "/.local/lib", places.folders);
  add_pythons("/usr/local/lib", places.folders);
  add_pythons("/usr/lib", places.folders);
  return places;
}

std::optional<std::string> find_icu_sepsis(const PackagePlaces& places) {
  if (!places.file.empty()) return places.file;
  std::error_code ignored;
  for (const std::string& folder : places.folders) {
    const fs::path tables = fs::path(folder) / member;
    if (fs::is_regular_file(tables, ignored)) return tables.string();
  }
  std::optional<std::string> wheel;
  for (const std::string& folder : places.wheels) {
    for (auto each = fs::directory_iterator(folder, ignored); !ignored && each != fs::directory_iterator();
         each.increment(ignored)) {
      const std::string name = each->path().filename().string();
      if (name.rfind("icu_sepsis-", 0) != 0 || !is_wheel(name)) continue;
      const std::string found = each->path().lexically_normal().string();
      if (!wheel || *wheel < found) wheel = found;
    }
    if (wheel) break;
  }
  return wheel;
}

}  // namespace starope::domains
