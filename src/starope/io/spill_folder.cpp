#include "starope/io/spill_folder.hpp"

#include <utility>

#if STAROPE_FILES
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers,hicpp-deprecated-headers): mkdtemp is of POSIX
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string_view>
#endif

namespace starope::io {

#if STAROPE_FILES

namespace {

constexpr std::string_view beginning = "starope-duckdb-";

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Calls visit(name) for the names in a folder, at most so many; a folder of others may have any number.
template <class Visit>
void for_each_name(const std::string& folder, int most, const Visit& visit) {
  DIR* const names = ::opendir(folder.c_str());
  if (names == nullptr) return;
  // Nobody else reads from this handle.
  while (const dirent* each = ::readdir(names)) {  // NOLINT(concurrency-mt-unsafe)
    if (most-- <= 0) break;
    visit(std::string_view(static_cast<const char*>(each->d_name)));
  }
  ::closedir(names);
}

// There are only files in it.
void remove_folder(const std::string& path) {
  constexpr int all = 1 << 30;
  for_each_name(path, all, [&](std::string_view name) {
    if (name != "." && name != "..") ::unlink((path + "/" + std::string(name)).c_str());
  });
  ::rmdir(path.c_str());
}

// Ours, and nobody holds it. One that was made just now may not be locked yet.
bool is_abandoned(int folder) {
  constexpr std::time_t young = 60;
  struct stat status {};
  if (::fstat(folder, &status) != 0 || status.st_uid != ::geteuid()) return false;
  return status.st_mtime + young < std::time(nullptr) && ::flock(folder, LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const std::string& where) {
  constexpr int most = 10'000;
  for_each_name(where, most, [&](std::string_view name) {
    if (name.substr(0, beginning.size()) != beginning) return;
    const std::string path = where + "/" + std::string(name);
    const int folder = open_folder(path);
    if (folder < 0) return;
    if (is_abandoned(folder)) remove_folder(path);
    ::close(folder);
  });
}

}  // namespace

SpillFolder::SpillFolder(const std::string& where) {
  std::error_code unknown;
  const std::string base = where.empty() ? std::filesystem::temp_directory_path(unknown).string() : where;
  remove_abandoned(base);
  std::string path = base + "/" + std::string(beginning) + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return;
  path_ = std::move(path);
  locked_ = open_folder(path_);
  if (locked_ >= 0) static_cast<void>(::flock(locked_, LOCK_EX | LOCK_NB));
}

SpillFolder::~SpillFolder() {
  if (!path_.empty()) remove_folder(path_);
  if (locked_ >= 0) ::close(locked_);
}

#else

SpillFolder::SpillFolder(const std::string& /*where*/) {}
SpillFolder::~SpillFolder() = default;

#endif

SpillFolder::SpillFolder(SpillFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), locked_(std::exchange(other.locked_, -1)) {}

SpillFolder& SpillFolder::operator=(SpillFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(locked_, other.locked_);
  return *this;
}

}  // namespace starope::io
