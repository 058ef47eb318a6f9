#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io/file_mapping.hpp"

namespace starope::io {

// The bytes of a file. A regular file is mapped into memory: nothing is copied, and pages nobody touches are never
// read. What cannot be mapped (a pipe, /dev/stdin) is read to its end.
class InputFile {
 public:
  explicit InputFile(std::string path);  // FileError if it is missing, a directory or not readable
  // Bytes that are in memory already, copied, under a name for messages.
  InputFile(std::string_view bytes, std::string name);

  const std::string& path() const noexcept { return path_; }
  std::string_view bytes() const noexcept { return bytes_; }  // stays valid when the InputFile is moved

  // FileError if a mapped file was cut or written since it was opened: what was read of it makes no sense.
  void expect_unchanged() const;

 private:
  struct Moment {  // of the file when it was opened
    std::int64_t size = 0, seconds = 0, nanoseconds = 0;
    friend bool operator==(const Moment&, const Moment&) = default;
  };
  static Moment moment_of(int descriptor);

  std::string path_;
  std::unique_ptr<FileMapping> mapping_{};
  std::shared_ptr<const int> descriptor_{};  // of a mapped file, closed with its last owner
  Moment opened_{};
  std::vector<char> copy_;
  std::string_view bytes_;
};

}  // namespace starope::io
