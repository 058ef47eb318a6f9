#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "terminal.hpp"

namespace starope::cli {

// The contract with scripts.
enum ExitCode : int { answered = 0, wrong_data = 1, wrong_usage = 2 };

// A command line that cannot be meant. `command` is where help is found: "starope evaluate".
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string command = "starope")
      : std::runtime_error(message), command_(std::move(command)) {}
  const std::string& command() const noexcept { return command_; }

 private:
  std::string command_;
};

// Says on stderr, in one sentence, what went wrong, and returns the exit code that belongs to it.
int report_failure(const std::exception_ptr& failure, Streams& streams);

// Throws FileError if what was written to the stream has not arrived (disk full, closed pipe).
void finish_output(std::ostream& out);

}  // namespace starope::cli
