#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace starope::io {

// A file that appears whole or not at all. What is written goes to a temporary file in the same directory; commit()
// renames it over the target, and without a commit it is removed and the target stays as it was. A target that is no
// regular file (a pipe, /dev/stdout) cannot be replaced and is written directly.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);  // FileError if it cannot be written there
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);  // FileError, for example if the disk is full
  void commit();                       // once, after the last write

 private:
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as given, for messages
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written directly
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace starope::io
