#include "starope/io/atomic_file.hpp"

#include <fmt/format.h>

#if STAROPE_FILES
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  fail(0);
}
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
  if (::getrandom(&random, sizeof(random), 0) != static_cast<ssize_t>(sizeof(random))) random = 0;
  return fmt::format("{}.{:016x}.tmp", target, random);
}

// A renamed file is on the disk when its folder is. Some file systems do not know how to: no harm.
void flush_folder(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
    return;
  }
  if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(errno);
  const mode_t mode = exists ? status.st_mode & 0777 : 0666;
  do {
    temporary_ = temporary_name(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail(errno);
  if (exists) static_cast<void>(::fchmod(descriptor_, mode));  // also what the umask took away; no harm if refused
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  STAROPE_ASSERT(descriptor_ >= 0 && !temporary_.empty());
  flush();
  if (::lseek(descriptor_, static_cast<off_t>(position), SEEK_SET) < 0) fail(errno);
  position_ = position;
}

void AtomicFile::commit() {
  STAROPE_ASSERT(descriptor_ >= 0);
  flush();
  if (!temporary_.empty() && ::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);  // some file systems report a full disk only now
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  flush_folder(target_);
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
