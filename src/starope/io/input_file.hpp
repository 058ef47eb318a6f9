#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/io/file_mapping.hpp"

namespace starope::io {

// Size and time of a regular file: another one says that somebody wrote to it in between.
struct FileMoment {
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  friend bool operator==(const FileMoment&, const FileMoment&) = default;
};

// The bytes of a file. A regular file is mapped into memory: nothing is copied, and pages nobody touches are never
// read. What cannot be mapped (a pipe, /dev/stdin) is read to its end.
class InputFile {
 public:
  explicit InputFile(std::string path);  // FileError if it is missing, a directory or not readable
  // Bytes that are in memory already, copied, under a name for messages.
  InputFile(std::string_view bytes, std::string name);
  InputFile(std::vector<char>&& bytes, std::string name);  // the same without a copy

  const std::string& path() const noexcept { return path_; }
  std::string_view bytes() const noexcept { return bytes_; }  // stays valid when the InputFile is moved

  // FileError if a mapped file was cut or written since it was opened: what was read of it makes no sense.
  void expect_unchanged() const;

 private:
  std::string path_;
  std::unique_ptr<FileMapping> mapping_{};
  std::shared_ptr<const int> descriptor_{};  // of a mapped file, closed with its last owner
  FileMoment opened_{};
  std::vector<char> copy_;
  std::string_view bytes_;
};

// The bytes of a file or a pipe one after the other, for who does not want to hold all of them.
class InputStream {
 public:
  explicit InputStream(std::string path);  // FileError as for InputFile
  InputStream(const InputStream&) = delete;
  InputStream& operator=(const InputStream&) = delete;
  ~InputStream();

  const std::string& path() const noexcept { return path_; }
  // Appends the next bytes, `most` of them unless the input ends before; how many there were. FileError at the end of a
  // file that was cut or written since it was opened: what was read of it makes no sense.
  std::size_t append(std::vector<char>& to, std::size_t most);

 private:
  std::string path_;
  [[maybe_unused]] int descriptor_ = -1;  // without files there are none
  std::optional<FileMoment> opened_{};    // of a regular file
};

// For who lets others read a file: what it is now, none where it is no regular file. And that it is another one since.
std::optional<FileMoment> moment_of_file(const std::string& path);
[[noreturn]] void fail_changed(const std::string& path);

// What a regular file begins with, at most so many bytes: to see what it is. Empty where there is no such file.
std::string first_bytes(const std::string& path, std::size_t most);
bool is_zip(const std::string& path);  // a NumPy archive, whatever it is called
bool begins_a_zip(std::string_view bytes) noexcept;

// The size of a regular file; none: there is no such file, or it is something else (a pipe, a folder).
std::optional<std::int64_t> size_of_file(const std::string& path);

}  // namespace starope::io
