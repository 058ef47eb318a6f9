#pragma once

#include <cstdint>

// Replaces the allocator and some system calls of this program. While an Injection lives, the k-th of them on this
// thread fails, and so do those after it if `lasting`.
namespace starope::testing {

enum class Fault {
  allocation,  // operator new throws std::bad_alloc
  file,        // open for writing, write, fsync, fdatasync, ftruncate, rename, linkat say EIO; a write does half before
};

class Injection {
 public:
  Injection(Fault fault, std::int64_t at, bool lasting = false);
  Injection(const Injection&) = delete;
  Injection& operator=(const Injection&) = delete;
  ~Injection();

  static bool happened() noexcept;       // of the latest one
  static std::int64_t calls() noexcept;  // counted since it began
};

}  // namespace starope::testing
