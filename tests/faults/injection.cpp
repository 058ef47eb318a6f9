#include "injection.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace starope::testing {
namespace {

struct State {
  bool armed = false, lasting = false, happened = false;
  Fault fault = Fault::allocation;
  std::int64_t left = 0, calls = 0;
};

State& state() noexcept {
  thread_local constinit State of_thread;
  return of_thread;
}

bool fails(Fault fault) noexcept {
  State& now = state();
  if (!now.armed || now.fault != fault) return false;
  ++now.calls;
  if (now.left > 0) --now.left;
  const bool hit = now.left == 0 && (now.lasting || !now.happened);
  now.happened = now.happened || hit;
  return hit;
}

bool file_fails() noexcept {
  if (!fails(Fault::file)) return false;
  errno = EIO;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment = 0) {
  if (fails(Fault::allocation)) throw std::bad_alloc();
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): `new` is made of it
  void* const found = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                     : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

}  // namespace

Injection::Injection(Fault fault, std::int64_t at, bool lasting) {
  state() = {.armed = true, .lasting = lasting, .happened = false, .fault = fault, .left = at, .calls = 0};
}
Injection::~Injection() {
  state().armed = false;
}
bool Injection::happened() noexcept {
  return state().happened;
}
std::int64_t Injection::calls() noexcept {
  return state().calls;
}

}  // namespace starope::testing

// NOLINTBEGIN(cppcoreguidelines-no-malloc): this is what the containers and pointers stand on
void* operator new(std::size_t size) {
  return starope::testing::allocate(size);
}
void* operator new[](std::size_t size) {
  return starope::testing::allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return starope::testing::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return starope::testing::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// NOLINTEND(cppcoreguidelines-no-malloc)

// The program's own definitions come before those of the C library. They have names of their own here, because headers
// declare the others with parameters that are called otherwise.
extern "C" {

ssize_t starope_write(int descriptor, const void* bytes, size_t count) __asm__("write");
int starope_open(const char* path, int flags, ...) __asm__("open");
int starope_fsync(int descriptor) __asm__("fsync");
int starope_fdatasync(int descriptor) __asm__("fdatasync");
int starope_ftruncate(int descriptor, off_t size) noexcept __asm__("ftruncate");
int starope_rename(const char* from, const char* to) noexcept __asm__("rename");
int starope_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept
    __asm__("linkat");

ssize_t starope_write(int descriptor, const void* bytes, size_t count) {
  if (descriptor > 2 && starope::testing::file_fails()) {
    if (count < 2) return -1;
    return syscall(SYS_write, descriptor, bytes, count / 2);  // a disk that is nearly full
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

int starope_open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const auto mode = va_arg(more, unsigned);
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY && starope::testing::file_fails()) return -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

// Nothing is brought to the disk: no machine stops here, and thousands of files would wait for it.
int starope_fsync(int /*descriptor*/) {
  return starope::testing::file_fails() ? -1 : 0;
}

int starope_fdatasync(int /*descriptor*/) {
  return starope::testing::file_fails() ? -1 : 0;
}

int starope_ftruncate(int descriptor, off_t size) noexcept {
  return starope::testing::file_fails() ? -1 : static_cast<int>(syscall(SYS_ftruncate, descriptor, size));
}

int starope_rename(const char* from, const char* to) noexcept {
  return starope::testing::file_fails() ? -1 : static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

int starope_linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return starope::testing::file_fails()
             ? -1
             : static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

}  // extern "C"
