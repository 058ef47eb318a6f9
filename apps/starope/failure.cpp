#include "failure.hpp"

#include <fmt/format.h>

#include <new>
#include <ostream>

#include "starope/error.hpp"

namespace starope::cli {

int report_failure(const std::exception_ptr& failure, Streams& streams) {
  try {
    std::rethrow_exception(failure);
  } catch (const UsageError& error) {
    say(streams, error.what(), Emphasis::error);
    say(streams, fmt::format("'{} --help' shows the options and an example.", error.command()));
    return wrong_usage;
  } catch (const InvalidArgument& error) {
    say(streams, error.what(), Emphasis::error);
    return wrong_usage;
  } catch (const Error& error) {
    say(streams, error.what(), Emphasis::error);
  } catch (const std::bad_alloc&) {
    say(streams, "out of memory. Use fewer episodes, fewer state columns or a machine with more memory.",
        Emphasis::error);
  } catch (const std::exception& error) {
    say(streams,
        fmt::format("internal error: {}. This is a defect of starope; please report it with the command line.",
                    error.what()),
        Emphasis::error);
  }
  return wrong_data;
}

void finish_output(std::ostream& out) {
  out.flush();
  if (!out) {
    throw FileError(
        "the answer could not be written to standard output completely. Check the disk or the program that reads it");
  }
}

}  // namespace starope::cli
