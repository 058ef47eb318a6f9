#include "starope/parallel/stop.hpp"

namespace starope {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see StopScope
thread_local const std::function<bool()>* asked = nullptr;

}  // namespace

StopScope::StopScope(const std::function<bool()>& stop) : outer_(asked) {
  if (stop) asked = &stop;
}

StopScope::~StopScope() {
  asked = outer_;
}

void stop_if_asked() {
  if (asked != nullptr && (*asked)()) throw Stopped{};
}

const std::function<bool()>* current_stop() noexcept {
  return asked;
}

InheritedStop::InheritedStop(const std::function<bool()>* stop) noexcept : outer_(asked) {
  asked = stop;
}

InheritedStop::~InheritedStop() {
  asked = outer_;
}

}  // namespace starope
