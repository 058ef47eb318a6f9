#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace starope::io {

// A file that appears whole or not at all, also if the machine stops. What is written goes to a temporary file in the
// same directory, under a name that nobody can guess and prepare; commit() brings it to the disk and renames it over
// the target, and without a commit it is removed and the target stays as it was. A target that is no regular file (a
// pipe, /dev/stdout) cannot be replaced and is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);  // FileError if it cannot be written there
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);  // FileError, for example if the disk is full
  void commit();                       // once, after the last write

  // Where the next write goes. Only what is replaced as a whole has places to go to.
  std::uint64_t position() const noexcept { return position_; }
  void seek(std::uint64_t position);

 private:
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as given, for messages
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written directly
  int descriptor_ = -1;
  std::uint64_t position_ = 0;
  std::string buffer_;
};

}  // namespace starope::io
