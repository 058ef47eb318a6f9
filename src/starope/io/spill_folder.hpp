#pragma once

#include <string>

namespace starope::io {

// A folder for the temporary files of a library that wants them to have names. It is removed with this, and where the
// process was killed, by the next one that makes such a folder in the same place: who lives holds a lock on his.
class SpillFolder {
 public:
  SpillFolder() = default;                         // none
  explicit SpillFolder(const std::string& where);  // empty: TMPDIR, or else /tmp; none where it cannot be made
  SpillFolder(SpillFolder&& other) noexcept;
  SpillFolder& operator=(SpillFolder&& other) noexcept;
  ~SpillFolder();

  const std::string& path() const noexcept { return path_; }  // empty: none

 private:
  std::string path_{};
  int locked_ = -1;
};

}  // namespace starope::io
