#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace starope::io {

// A temporary file without a name: nobody else sees it, and the system forgets it when it is closed, however the
// process ends. Without files (STAROPE_FILES=0) it cannot be made.
class NamelessFile {
 public:
  // `folder`: empty for TMPDIR, or else /tmp. `purpose`: what it holds, for messages, such as "which holds ...".
  NamelessFile(const std::string& folder, std::string purpose);  // FileError, as everything below
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile();

  std::int64_t size() const noexcept { return size_; }
  void append(const std::byte* bytes, std::int64_t count);
  void append(std::string_view text);
  // May be called by several threads at a time, while nobody appends.
  void read(std::byte* to, std::int64_t count, std::int64_t place) const;

  // Under which a library in this process can open it; it lives as long as this does.
  std::string path() const;

 private:
  [[noreturn]] void fail(int error) const;

  std::string place_{};  // where it was made, for messages; where /proc has no links to files, its name
  std::string purpose_;
  bool named_ = false;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace starope::io
