#pragma once

#include <array>

namespace starope::cli {

// While it lives, Ctrl-C (SIGINT, and SIGTERM as batch systems send it) only asks the program to end; a second one ends
// it at once. At most one at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  static bool requested() noexcept;

 private:
  using Handler = void (*)(int);
  std::array<Handler, 2> before_{};  // of SIGINT and SIGTERM
};

}  // namespace starope::cli
