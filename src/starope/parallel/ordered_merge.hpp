#pragma once

#include <cstdint>
#include <utility>
#if STAROPE_THREADS
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#endif

#include "starope/parallel/parallel_for.hpp"
#include "starope/types.hpp"

namespace starope {

// Computes part(i) for every i in [0, count) on several threads and hands the parts to absorb(part) strictly in order
// of i, one at a time. Floating-point sums therefore have the same bits for any number of threads.
// A thread that is far ahead of the merge waits, so at most about 2 x threads parts exist at once.
template <class Part, class Absorb>
void ordered_merge(std::int64_t count, Threads threads, const Part& part, Absorb absorb);

// The same for items that come one by one, and nobody knows how many: pull() returns an optional, empty at the end, and
// is called by one thread at a time. If something throws, the rest is dropped and the exception of the earliest item
// is rethrown.
template <class Pull, class Part, class Absorb>
void ordered_merge_pulled(Threads threads, Pull pull, const Part& part, Absorb absorb);

#if !STAROPE_THREADS

template <class Part, class Absorb>
void ordered_merge(std::int64_t count, Threads /*there is one*/, const Part& part, Absorb absorb) {
  for (std::int64_t i = 0; i < count; ++i) absorb(part(i));
}

template <class Pull, class Part, class Absorb>
void ordered_merge_pulled(Threads /*there is one*/, Pull pull, const Part& part, Absorb absorb) {
  while (auto item = pull()) absorb(part(*item));
}

#else

template <class Part, class Absorb>
void ordered_merge(std::int64_t count, Threads threads, const Part& part, Absorb absorb) {
  using Value = decltype(part(std::int64_t{0}));
  std::mutex mutex;
  std::condition_variable merged;
  std::map<std::int64_t, Value> waiting;
  std::int64_t next = 0;
  bool failed = false;
  const std::int64_t window = 2 * std::int64_t{threads.count()};

  // After a failure nobody waits for an index that will never come.
  const auto fail = [&] {
    const std::scoped_lock lock(mutex);
    failed = true;
    merged.notify_all();
  };

  parallel_for(count, threads, [&](std::int64_t i) {
    try {
      Value value = part(i);
      std::unique_lock lock(mutex);
      merged.wait(lock, [&] { return failed || i < next + window; });
      waiting.emplace(i, std::move(value));
      while (!failed && !waiting.empty() && waiting.begin()->first == next) {
        absorb(std::move(waiting.begin()->second));
        waiting.erase(waiting.begin());
        ++next;
      }
      merged.notify_all();
    } catch (...) {
      fail();
      throw;
    }
  });
}

template <class Pull, class Part, class Absorb>
void ordered_merge_pulled(Threads threads, Pull pull, const Part& part, Absorb absorb) {
  using Value = decltype(part(*pull()));
  std::mutex pulling, merging;
  std::condition_variable merged;
  std::map<std::int64_t, Value> waiting;
  std::int64_t pulled = 0, next = 0;
  bool dry = false;  // guarded by `pulling`
  const std::int64_t window = 2 * std::int64_t{threads.count()};
  std::optional<std::int64_t> failed_at;  // guarded by `merging`, as all that follows
  std::exception_ptr failure;
  const auto fail = [&](std::int64_t i) {
    const std::scoped_lock lock(merging);
    if (!failed_at || i < *failed_at) {
      failed_at = i;
      failure = std::current_exception();
    }
    merged.notify_all();
  };
  const auto has_failed = [&] {
    const std::scoped_lock lock(merging);
    return failed_at.has_value();
  };

  parallel_for(threads.count(), threads, [&](std::int64_t) {
    while (true) {
      std::unique_lock pull_lock(pulling);
      if (dry || has_failed()) return;
      const std::int64_t i = pulled++;
      try {
        auto item = pull();
        dry = !item.has_value();
        pull_lock.unlock();
        if (!item) return;
        Value value = part(*item);
        item.reset();
        std::unique_lock lock(merging);
        merged.wait(lock, [&] { return failed_at || i < next + window; });
        waiting.emplace(i, std::move(value));
        while (!failed_at && !waiting.empty() && waiting.begin()->first == next) {
          absorb(std::move(waiting.begin()->second));
          waiting.erase(waiting.begin());
          ++next;
        }
        merged.notify_all();
      } catch (...) {
        fail(i);
        return;
      }
    }
  });
  if (failure) std::rethrow_exception(failure);
}

#endif

}  // namespace starope
