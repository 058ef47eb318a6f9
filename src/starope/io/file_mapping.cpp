#include "starope/io/file_mapping.hpp"

#if STAROPE_FILES

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <new>
#if STAROPE_THREADS
#include <mutex>
#endif

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
struct sigaction handler_before {};
int mappings = 0;
#if STAROPE_THREADS
std::mutex changing;  // of the handler, with the two above
#endif
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
  if ((handler_before.sa_flags & SA_SIGINFO) != 0 && handler_before.sa_sigaction != nullptr) {
    handler_before.sa_sigaction(number, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(number);
  } else {
    std::signal(number, SIG_DFL);  // what failed is tried again when this returns, and ends the process
  }
}

bool handler_is_ours() {
  struct sigaction now {};
  ::sigaction(SIGBUS, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == read_zeros_instead;
}

// Signals belong to the whole process, which may be somebody else's: the handler is there as long as a file is mapped.
void count_mappings(int more) {
#if STAROPE_THREADS
  const std::lock_guard<std::mutex> lock(changing);
#endif
  const bool first = mappings == 0;
  mappings += more;
  if (first && !handler_is_ours()) {
    page_size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = read_zeros_instead;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handler_before);
  }
  // Whoever put a handler over this one keeps it, and calls this one for what is not theirs.
  if (mappings == 0 && handler_is_ours()) ::sigaction(SIGBUS, &handler_before, nullptr);
}

}  // namespace

std::unique_ptr<FileMapping> FileMapping::of(int descriptor, std::size_t size) {
  count_mappings(1);
  std::unique_ptr<FileMapping> made = make(descriptor, size);
  if (!made) count_mappings(-1);
  return made;
}

std::unique_ptr<FileMapping> FileMapping::make(int descriptor, std::size_t size) {
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
    auto* const made = new (std::nothrow) FileMapping(static_cast<char*>(mapped), size, i);
    if (made != nullptr) return std::unique_ptr<FileMapping>(made);
    places[i].first = 0;
    ::munmap(mapped, size);
    break;
  }
  return nullptr;  // so many files at once, or no memory for one more: the others are copied
}

FileMapping::~FileMapping() {
  places[place_].first = 0;
  ::munmap(first_, size_);
  count_mappings(-1);
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
