#pragma once

#include <functional>

namespace starope {

// Thrown out of work that was told to stop. It says nothing about the data; whoever asked for the stop catches it.
struct Stopped {};

// While it lives, work of this thread, and of the threads that parallel_for starts for it, ends with Stopped soon after
// stop() is true. stop() is called often, by any of these threads, until it is true for the first time. An empty
// function never stops, nor does it keep an outer scope from doing so.
//
// Why not an argument: everything that takes long would have to hand it down, and what takes long without parallel_for
// would be forgotten. A scope reaches all of it and costs a comparison where there is none.
class StopScope {
 public:
  explicit StopScope(const std::function<bool()>& stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::function<bool()>* outer_;
};

// Throws Stopped where the scope of this thread says so.
void stop_if_asked();

// For parallel_for: what this thread obeys, to be obeyed by the threads it starts.
const std::function<bool()>* current_stop() noexcept;
class InheritedStop {
 public:
  explicit InheritedStop(const std::function<bool()>* stop) noexcept;
  ~InheritedStop();
  InheritedStop(const InheritedStop&) = delete;
  InheritedStop& operator=(const InheritedStop&) = delete;

 private:
  const std::function<bool()>* outer_;
};

}  // namespace starope
