#include "starope/io/library_code.hpp"

#if STAROPE_FILES
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#endif
#endif

namespace starope::io {

#if STAROPE_FILES && defined(__linux__)

namespace {

// Code and constants are only read: what the loader writes to (relocations) is in other segments, unless the library
// says otherwise.
int release(dl_phdr_info* library, std::size_t /*size*/, void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::span segments(library->dlpi_phdr, library->dlpi_phnum);
  const auto begin_of = [&](const auto& segment) { return library->dlpi_addr + segment.p_vaddr; };
  const auto is_there = [&](const auto& segment) {
    return segment.p_type == PT_LOAD && wanted - begin_of(segment) < segment.p_memsz;
  };
  if (!std::any_of(segments.begin(), segments.end(), is_there)) return 0;
  for (const auto& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(begin_of(segment));  // NOLINT(performance-no-int-to-ptr)
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_TEXTREL) return 1;
    }
  }
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (begin_of(segment) + page - 1) / page * page;
    const std::uintptr_t end = (begin_of(segment) + segment.p_filesz) / page * page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }
  return 1;
}

}  // namespace

void release_code_around(const void* function) {
  ::dl_iterate_phdr(release, const_cast<void*>(function));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

#else

void release_code_around(const void* /*function*/) {}

#endif

}  // namespace starope::io
