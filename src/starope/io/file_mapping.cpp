#include "starope/io/file_mapping.hpp"

#if STAROPE_FILES

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

namespace starope::io {
namespace {

// What the handler of the signal may look at: atomics, and nothing else.
struct Place {
  std::atomic<std::uintptr_t> first{0};  // 0: free; 1: being filled
  std::atomic<std::uintptr_t> last{0};
  std::atomic<bool> cut{false};
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): a handler has no other way to know
std::array<Place, 256> places;
std::uintptr_t page_size = 4096;
struct sigaction before {};
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

extern "C" void read_zeros_instead(int number, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Place& place : places) {
    const std::uintptr_t first = place.first.load();
    if (first < 2 || address < first || address >= place.last.load()) continue;
    void* const page = reinterpret_cast<void*>(address / page_size * page_size);  // NOLINT(performance-no-int-to-ptr)
    if (::mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    place.cut = true;
    return;  // and read again
  }
  if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr) {
    before.sa_sigaction(number, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(number);
  } else {
    std::signal(number, SIG_DFL);  // what failed is tried again when this returns, and ends the process
  }
}

void install() {
  page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = read_zeros_instead;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, &before);
}

}  // namespace

std::unique_ptr<FileMapping> FileMapping::of(int descriptor, std::size_t size) {
  [[maybe_unused]] static const bool installed = (install(), true);  // once, by whoever comes first
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::uintptr_t free = 0;
    if (!places[i].first.compare_exchange_strong(free, 1)) continue;
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapped == MAP_FAILED) {
      places[i].first = 0;
      return nullptr;
    }
    ::madvise(mapped, size, MADV_SEQUENTIAL);  // a hint: read ahead; whether it is heard changes nothing
    const auto first = reinterpret_cast<std::uintptr_t>(mapped);
    places[i].cut = false;
    places[i].last = first + size;
    places[i].first = first;
    try {
      return std::unique_ptr<FileMapping>(new FileMapping(static_cast<char*>(mapped), size, i));
    } catch (...) {
      places[i].first = 0;
      ::munmap(mapped, size);
      throw;
    }
  }
  return nullptr;  // so many files at once: the others are copied
}

FileMapping::~FileMapping() {
  places[place_].first = 0;
  ::munmap(first_, size_);
}

bool FileMapping::was_cut() const noexcept {
  return places[place_].cut;
}

}  // namespace starope::io

#else

namespace starope::io {

std::unique_ptr<FileMapping> FileMapping::of(int /*there are no files*/, std::size_t /*nor sizes*/) {
  return nullptr;
}
FileMapping::~FileMapping() = default;
bool FileMapping::was_cut() const noexcept {
  return false;
}

}  // namespace starope::io

#endif
