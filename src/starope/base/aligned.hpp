#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace starope {

// Memory that begins with a line of the cache: vectors as long as a line then never lie across two of them, which would
// take twice as long to read and longer to write.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): as containers ask
  LineAllocator(const LineAllocator<U>& /*other*/) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { ::operator delete(memory, line); }
  friend bool operator==(const LineAllocator&, const LineAllocator&) = default;
};

template <class T>
using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace starope
