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
  before_ = {std::signal(SIGINT, ask_to_end), std::signal(SIGTERM, ask_to_end)};
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, before_[0] == SIG_ERR ? SIG_DFL : before_[0]);
  std::signal(SIGTERM, before_[1] == SIG_ERR ? SIG_DFL : before_[1]);
}

bool Interrupt::requested() noexcept {
  return asked;
}

}  // namespace starope::cli
