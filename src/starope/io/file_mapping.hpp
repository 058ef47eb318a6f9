#pragma once

#include <cstddef>
#include <memory>

namespace starope::io {

// The bytes of an open file, mapped into memory to be read. If the file becomes shorter, the system answers what is
// read behind its new end with the signal SIGBUS, which ends a process that is not prepared. Here such places read as
// zeros, and the mapping knows that it was cut. Signals that are about other memory go to whoever handled them before,
// and all of them where no file is mapped.
class FileMapping {
 public:
  // Nothing where the file cannot be mapped. The descriptor may be closed afterwards.
  static std::unique_ptr<FileMapping> of(int descriptor, std::size_t size);
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;
  ~FileMapping();  // NOLINT(performance-trivially-destructible): it has work to do where there are files

  const char* data() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }
  bool was_cut() const noexcept;

 private:
  static std::unique_ptr<FileMapping> make(int descriptor, std::size_t size);
  FileMapping(char* first, std::size_t size, std::size_t place) noexcept : first_(first), size_(size), place_(place) {}

  char* first_;
  std::size_t size_;
  std::size_t place_;  // among the mappings that the handler knows
};

}  // namespace starope::io
