#include "starope/io/input_file.hpp"

#include <fmt/format.h>

#if STAROPE_FILES
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#endif

#include "starope/base/work.hpp"
#include "starope/error.hpp"

namespace starope::io {

InputFile::InputFile(std::string_view bytes, std::string name)
    : path_(std::move(name)), copy_(bytes.begin(), bytes.end()), bytes_(copy_.data(), copy_.size()) {}

InputFile::InputFile(std::vector<char>&& bytes, std::string name)
    : path_(std::move(name)), copy_(std::move(bytes)), bytes_(copy_.data(), copy_.size()) {}

void fail_changed(const std::string& path) {
  throw FileError(fmt::format(
      "{}: the file was changed or cut while it was read. Wait until whoever writes it has finished, or read a copy",
      path));
}

bool begins_a_zip(std::string_view bytes) noexcept {
  return bytes.starts_with("PK\x03\x04");
}

bool is_zip(const std::string& path) {
  return begins_a_zip(first_bytes(path, 4));
}

#if !STAROPE_FILES

void InputFile::expect_unchanged() const {}

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  throw FileError(fmt::format("{}: this starope was built without files. Hand over the bytes: io::read_bytes", path_));
}

InputStream::InputStream(std::string path) : path_(std::move(path)) {
  throw FileError(fmt::format("{}: this starope was built without files. Hand over the bytes: io::read_bytes", path_));
}
InputStream::~InputStream() = default;
std::size_t InputStream::append(std::vector<char>& /*to*/, std::size_t /*most*/) {
  return 0;
}

std::optional<std::int64_t> size_of_file(const std::string& /*path*/) {
  return std::nullopt;
}

std::optional<FileMoment> moment_of_file(const std::string& /*path*/) {
  return std::nullopt;
}

std::string first_bytes(const std::string& /*path*/, std::size_t /*most*/) {
  return {};
}

#else

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      if (path.find_first_of("*?[") != std::string::npos)
        throw FileError(
            fmt::format("{}: there is no such file. The pattern of several files ends in their kind: .csv, "
                        ".parquet, .jsonl, .csv.gz",
                        path));
      throw FileError(fmt::format("{}: there is no such file. Check the spelling and the current folder", path));
    case EACCES:
    case EPERM:
      throw FileError(fmt::format("{}: this file may not be read. Change its permissions or use a copy", path));
    case EISDIR:
      throw FileError(
          fmt::format("{}: this is a directory. Name the file in it that holds the data, or the pattern of "
                      "several, in quotes: '{}*.csv'",
                      path, path.back() == '/' ? path : path + "/"));
    default:
      throw FileError(fmt::format("{}: cannot be read ({})", path, std::strerror(error)));
  }
}

int open_input(const std::string& path) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) fail(path, errno);
  return fd;
}

std::shared_ptr<const int> owned(int fd) {
  return {new int(fd), [](const int* last) {
            ::close(*last);
            delete last;
          }};
}

FileMoment moment_in(const struct stat& status) {
  return {.size = status.st_size, .seconds = status.st_mtim.tv_sec, .nanoseconds = status.st_mtim.tv_nsec};
}

FileMoment moment_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) != 0 ? FileMoment{} : moment_in(status);
}

std::vector<char> read_to_end(int fd, const std::string& path, bool device) {
  // A pipe may bring much, but not more than there is memory for; a device that never ends would bring just that.
  const double most = device ? 0x1p26 : 0.5 * physical_memory();
  std::vector<char> bytes(std::size_t{1} << 16);
  std::size_t filled = 0;
  for (;;) {
    if (static_cast<double>(filled) > most) {
      throw FileError(
          fmt::format("{}: more than {} and no end in sight, which do not fit into memory. Write it to a file "
                      "first, which is not copied",
                      path, memory_text(most)));
    }
    const ssize_t got = ::read(fd, bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled == bytes.size()) bytes.resize(2 * bytes.size());
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  std::shared_ptr<const int> file = owned(open_input(path_));
  struct stat status {};
  if (::fstat(*file, &status) != 0) fail(path_, errno);
  if (S_ISDIR(status.st_mode)) fail(path_, EISDIR);
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    opened_ = moment_of(*file);
    mapping_ = FileMapping::of(*file, static_cast<std::size_t>(status.st_size));
    if (mapping_) {
      bytes_ = {mapping_->data(), mapping_->size()};
      descriptor_ = std::move(file);
      return;
    }
  }
  copy_ = read_to_end(*file, path_, S_ISCHR(status.st_mode) && ::isatty(*file) == 0);
  bytes_ = {copy_.data(), copy_.size()};
}

void InputFile::expect_unchanged() const {
  if (mapping_ && (mapping_->was_cut() || moment_of(*descriptor_) != opened_)) fail_changed(path_);
}

InputStream::InputStream(std::string path) : path_(std::move(path)), descriptor_(open_input(path_)) {
  struct stat status {};
  const bool known = ::fstat(descriptor_, &status) == 0;
  if (known && S_ISREG(status.st_mode)) opened_ = moment_of(descriptor_);
  if (!known || !S_ISDIR(status.st_mode)) return;
  ::close(descriptor_);
  fail(path_, EISDIR);
}

InputStream::~InputStream() {
  ::close(descriptor_);
}

std::size_t InputStream::append(std::vector<char>& to, std::size_t most) {
  const std::size_t before = to.size();
  to.resize(before + most);
  std::size_t filled = 0;
  while (filled < most) {
    const ssize_t got = ::read(descriptor_, to.data() + before + filled, most - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path_, errno);
    if (got == 0) {
      if (opened_ && moment_of(descriptor_) != *opened_) fail_changed(path_);
      break;
    }
    filled += static_cast<std::size_t>(got);
  }
  to.resize(before + filled);
  return filled;
}

std::string first_bytes(const std::string& path, std::size_t most) {
  if (!size_of_file(path)) return {};  // who reads a pipe takes something out of it
  std::vector<char> bytes;
  try {
    InputStream(path).append(bytes, most);
  } catch (const FileError&) {
    return {};  // who reads it will say why
  }
  return {bytes.begin(), bytes.end()};
}

std::optional<std::int64_t> size_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return static_cast<std::int64_t>(status.st_size);
}

std::optional<FileMoment> moment_of_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return moment_in(status);
}

#endif

}  // namespace starope::io
