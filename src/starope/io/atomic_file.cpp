#include "starope/io/atomic_file.hpp"

#include <fmt/format.h>

#if STAROPE_FILES
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#endif

#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope::io {

#if !STAROPE_FILES

AtomicFile::AtomicFile(std::string path, Temporary /*never open*/) : path_(std::move(path)) {
  fail(0);
}
void AtomicFile::remove_unfinished() noexcept {}
AtomicFile::~AtomicFile() = default;
void AtomicFile::write(std::string_view /*never open*/) {
  fail(0);
}
void AtomicFile::seek(std::uint64_t /*never open*/) {
  fail(0);
}
void AtomicFile::commit() {
  fail(0);
}
std::string AtomicFile::open_elsewhere() const {
  fail(0);
}
void AtomicFile::fail(int /*always the same*/) const {
  throw FileError(fmt::format("{}: this starope was built without files and writes none", path_));
}

#else

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 18;

// A name in the same directory, so that the rename stays within one file system. Nobody can guess it and put a link
// there before; and O_EXCL opens no link.
std::string temporary_name(const std::string& target) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof(random), 0) != static_cast<ssize_t>(sizeof(random))) {
    random = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  return fmt::format("{}.{:016x}.tmp", target, random);
}

// The names of temporary files, for handlers of signals: these may look at nothing but atomics. A process that writes
// more files at once than there are places leaves what does not fit to the destructor.
std::array<std::atomic<const char*>, 16> unfinished{};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<const char*>::is_always_lock_free);

void note_unfinished(const char* name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* empty = nullptr;
    if (place.compare_exchange_strong(empty, name)) return;
  }
}

void forget_unfinished(const char* name) {
  for (std::atomic<const char*>& place : unfinished) {
    const char* noted = name;
    if (place.compare_exchange_strong(noted, nullptr)) return;
  }
}

std::string folder_of(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A renamed file is on the disk when its folder is. Some file systems do not know how to: no harm.
void flush_folder(const std::string& target) {
  const int descriptor = ::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(::fsync(descriptor));
  ::close(descriptor);
}

// The file that a symbolic link leads to: replacing the link itself would leave the file behind unchanged.
std::string resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

AtomicFile::AtomicFile(std::string path, Temporary how) : path_(std::move(path)), target_(resolved(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    direct_ = true;
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  const mode_t mode = exists ? status.st_mode & 0777 : 0666;
  if (how == Temporary::named || !open_nameless(mode)) open_named(mode);
  if (exists) static_cast<void>(::fchmod(descriptor_, mode));  // also what the umask took away; no harm if refused
}

// The link in /proc is how it gets a name later.
bool AtomicFile::open_nameless(unsigned mode) {
#ifdef O_TMPFILE
  if (::access("/proc/self/fd", X_OK) != 0) return false;
  descriptor_ = ::open(folder_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
#else
  static_cast<void>(mode);
#endif
  return descriptor_ >= 0;
}

void AtomicFile::open_named(unsigned mode) {
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  const int error = errno;
  if (descriptor_ < 0) temporary_.clear();
  if (descriptor_ < 0) fail(error);
  note_unfinished(temporary_.c_str());
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_unfinished(temporary_.c_str());
}

std::string AtomicFile::open_elsewhere() const {
  STAROPE_ASSERT(descriptor_ >= 0 && buffer_.empty());
  if (direct_) return target_;
  return temporary_.empty() ? fmt::format("/proc/self/fd/{}", descriptor_) : temporary_;
}

void AtomicFile::remove_unfinished() noexcept {
  for (const std::atomic<const char*>& place : unfinished) {
    if (const char* name = place.load()) ::unlink(name);
  }
}

void AtomicFile::write(std::string_view bytes) {
  STAROPE_ASSERT(descriptor_ >= 0);
  buffer_.append(bytes);
  position_ += bytes.size();
  if (buffer_.size() >= buffer_size) flush();
}

void AtomicFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::seek(std::uint64_t position) {
  STAROPE_ASSERT(descriptor_ >= 0 && !direct_);
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) fail(errno);
  position_ = position;
}

// A link cannot replace a file, a new name can: the file gets one that nobody can guess, for a moment.
void AtomicFile::put_in_place() {
  if (temporary_.empty()) {
    const std::string itself = fmt::format("/proc/self/fd/{}", descriptor_);
    std::string name;
    int linked = -1;
    do {
      name = temporary_name(target_);
      linked = ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
    } while (linked != 0 && errno == EEXIST);
    if (linked != 0) fail(errno);
    temporary_ = std::move(name);
    note_unfinished(temporary_.c_str());
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  forget_unfinished(temporary_.c_str());
  temporary_.clear();
}

void AtomicFile::commit() {
  STAROPE_ASSERT(descriptor_ >= 0);
  flush();
  if (!direct_ && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  if (!direct_) put_in_place();
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);  // of a pipe; what is on the disk is there since fsync
  if (!direct_) flush_folder(target_);
}

void AtomicFile::fail(int error) const {
  switch (error) {
    case EISDIR:
      throw FileError(fmt::format("{}: this is a directory. Name a file to write", path_));
    case ENOENT:
    case ENOTDIR:
      throw FileError(fmt::format("{}: its folder does not exist. Create it first", path_));
    case EACCES:
    case EPERM:
    case EROFS:
      throw FileError(fmt::format("{}: may not be written. Choose another place or change the permissions", path_));
    case ENOSPC:
    case EDQUOT:
      throw FileError(fmt::format("{}: the disk is full. Free some space or write elsewhere", path_));
    default:
      throw FileError(fmt::format("{}: cannot be written ({})", path_, std::strerror(error)));
  }
}

#endif

}  // namespace starope::io
