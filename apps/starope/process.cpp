#include "process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "starope/io/atomic_file.hpp"

namespace starope::cli {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXFSZ, SIGXCPU};

extern "C" void remove_and_end(int number) {
  io::AtomicFile::remove_unfinished();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is given, which is this one. Standard input may only be written, the others only be read.
    const int taken = ::open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    if (taken != descriptor) std::_Exit(EXIT_FAILURE);  // nowhere to say why
  }
}

void remove_temporary_files_on_signals() {
  for (const int number : ending_signals) {
    struct sigaction old {};
    if (::sigaction(number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = remove_and_end;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace starope::cli
