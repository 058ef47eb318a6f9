#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace starope::io {

// A file that appears whole or not at all, also if the machine stops. What is written goes to a file without a name in
// the same directory, which the system forgets if the process ends, however it ends; commit() brings it to the disk and
// puts it in the place of the target. Where there are no files without names it has one that nobody can guess and
// prepare, and is removed without a commit. A target that is no regular file (a pipe, /dev/stdout) cannot be replaced
// and is written directly.
class AtomicFile {
 public:
  enum class Temporary { nameless, named };  // before it is committed; nameless: where that is possible
  // FileError if it cannot be written there.
  explicit AtomicFile(std::string path, Temporary how = Temporary::nameless);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::string_view bytes);  // FileError, for example if the disk is full
  void commit();                       // once, after the last write

  // Where the next write goes. Only what is replaced as a whole has places to go to.
  std::uint64_t position() const noexcept { return position_; }
  void seek(std::uint64_t position);

  // A name under which a library in this process can open what is not committed yet, to write it instead of write().
  std::string open_elsewhere() const;

  // Removes the temporary files of this process that have names. For handlers of signals that end it.
  static void remove_unfinished() noexcept;

 private:
  bool open_nameless(unsigned mode);
  void open_named(unsigned mode);
  void put_in_place();
  void flush();
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as given, for messages
  std::string target_;     // behind symbolic links
  std::string temporary_;  // its name, if it has one
  bool direct_ = false;    // the target itself is written
  int descriptor_ = -1;
  std::uint64_t position_ = 0;
  std::string buffer_;
};

}  // namespace starope::io
