#include "starope/io/nameless_file.hpp"

#include <fmt/format.h>

#include <utility>

#if STAROPE_FILES
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers,hicpp-deprecated-headers): mkstemp is of POSIX
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#endif

#include "starope/error.hpp"

namespace starope::io {

#if STAROPE_FILES

NamelessFile::NamelessFile(const std::string& folder, std::string purpose) : purpose_(std::move(purpose)) {
  std::error_code unknown;
  const std::filesystem::path where =
      folder.empty() ? std::filesystem::temp_directory_path(unknown) : std::filesystem::path(folder);
  place_ = (where / "starope-XXXXXX").string();
  descriptor_ = ::mkstemp(place_.data());
  if (descriptor_ < 0) fail(errno);
  named_ = ::access("/proc/self/fd", X_OK) != 0;
  if (!named_) ::unlink(place_.c_str());
}

NamelessFile::~NamelessFile() {
  ::close(descriptor_);
  if (named_) ::unlink(place_.c_str());
}

void NamelessFile::append(const std::byte* bytes, std::int64_t count) {
  for (std::int64_t done = 0; done < count;) {
    const ssize_t put = ::pwrite(descriptor_, bytes + done, static_cast<std::size_t>(count - done), size_ + done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(errno);
    done += put;
  }
  size_ += count;
}

void NamelessFile::read(std::byte* to, std::int64_t count, std::int64_t place) const {
  for (std::int64_t done = 0; done < count;) {
    const ssize_t got = ::pread(descriptor_, to + done, static_cast<std::size_t>(count - done), place + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got < 0 ? errno : EIO);
    done += got;
  }
}

std::string NamelessFile::path() const {
  return named_ ? place_ : fmt::format("/proc/self/fd/{}", descriptor_);
}

void NamelessFile::fail(int error) const {
  throw FileError(fmt::format(
      "{}: this temporary file, {}, cannot be used ({}). Make room there, name another folder in TMPDIR, or allow more "
      "memory",
      place_, purpose_, std::strerror(error)));
}

#else

NamelessFile::NamelessFile(const std::string& /*folder*/, std::string purpose) : purpose_(std::move(purpose)) {
  fail(0);
}
NamelessFile::~NamelessFile() = default;
void NamelessFile::append(const std::byte* /*bytes*/, std::int64_t /*count*/) {}
void NamelessFile::read(std::byte* /*to*/, std::int64_t /*count*/, std::int64_t /*place*/) const {}
std::string NamelessFile::path() const {
  return {};
}
void NamelessFile::fail(int /*always the same*/) const {
  throw FileError(fmt::format("this starope was built without files and has no temporary file, {}", purpose_));
}

#endif

void NamelessFile::append(std::string_view text) {
  append(reinterpret_cast<const std::byte*>(text.data()), static_cast<std::int64_t>(text.size()));
}

}  // namespace starope::io
