#include "interrupt.hpp"

#include <atomic>
#include <csignal>

namespace starope::cli {
namespace {

// Signal handlers have no other way to tell; lock-free, so they may touch it.
std::atomic<bool> asked{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void ask_to_end(int number) {
  asked = true;
  std::signal(number, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  asked = false;
  std::signal(SIGINT, ask_to_end);
  std::signal(SIGTERM, ask_to_end);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool Interrupt::requested() noexcept {
  return asked;
}

}  // namespace starope::cli
