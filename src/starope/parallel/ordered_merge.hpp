#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "starope/base/types.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {

// Computes part(i) for every i in [0, count) on several threads and hands the parts to absorb(part) strictly in order
// of i, one at a time. Floating-point sums therefore have the same bits for any number of threads.
// A thread that is far ahead of the merge waits, so at most about 2 x threads parts exist at once.
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

}  // namespace starope
