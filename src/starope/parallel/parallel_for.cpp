#include "starope/parallel/parallel_for.hpp"

#include "starope/parallel/stop.hpp"

#if STAROPE_THREADS
#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace starope {

#if !STAROPE_THREADS

void parallel_for(std::int64_t count, Threads /*there is one*/, const std::function<void(std::int64_t)>& body) {
  for (std::int64_t i = 0; i < count; ++i) {
    stop_if_asked();
    body(i);
  }
}

#else

void parallel_for(std::int64_t count, Threads threads, const std::function<void(std::int64_t)>& body) {
  const std::int64_t workers = std::min<std::int64_t>(threads.count(), count);
  if (workers <= 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      stop_if_asked();
      body(i);
    }
    return;
  }

  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::int64_t failed_at = std::numeric_limits<std::int64_t>::max();
  std::exception_ptr failure;

  const auto work = [&, stop = current_stop()] {
    const InheritedStop inherited(stop);
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        stop_if_asked();
        body(i);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        // Indices are handed out in increasing order, so every smaller one has been started and will be heard.
        if (i < failed_at) {
          failed_at = i;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    pool.reserve(workers - 1);
    for (std::int64_t w = 1; w < workers; ++w) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

#endif

}  // namespace starope
