#pragma once

#include <cstdint>
#include <functional>

#include "starope/types.hpp"

namespace starope {

// Calls body(i) once for every i in [0, count), on at most threads.count() threads, handing out i in increasing order.
// If bodies throw, the remaining work is dropped and the exception of the smallest failing i is rethrown: the same
// error for any number of threads.
void parallel_for(std::int64_t count, Threads threads, const std::function<void(std::int64_t)>& body);

}  // namespace starope
