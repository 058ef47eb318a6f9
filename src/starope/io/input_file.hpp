#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

 private:
  struct Unmap {
    std::size_t size;
    void operator()(char* first) const noexcept;
  };

  std::string path_;
  std::unique_ptr<char, Unmap> mapping_{nullptr, Unmap{0}};
  std::vector<char> copy_;
  std::string_view bytes_;
};

}  // namespace starope::io
