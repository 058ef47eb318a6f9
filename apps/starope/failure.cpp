#include "failure.hpp"

#include <fmt/format.h>

#include <new>
#include <ostream>

#include "layout.hpp"
#include "starope/base/error.hpp"

namespace starope::cli {
namespace {

void say(Streams& streams, const std::string& message) {
  const Terminal& terminal = streams.err_terminal;
  const std::string text = fmt::format("starope: {}", message);
  // Whoever reads a log file searches for whole sentences: broken only for the eye.
  std::string shown = terminal.is_terminal ? wrap_indented(text, terminal.width, "", "  ") : text + '\n';
  if (terminal.colour) shown.replace(0, 8, paint(terminal, Style::error, "starope:"));
  streams.err << shown << std::flush;
}

}  // namespace

int report_failure(const std::exception_ptr& failure, Streams& streams) {
  try {
    std::rethrow_exception(failure);
  } catch (const UsageError& error) {
    say(streams, error.what());
    say(streams, fmt::format("'{} --help' shows the options and an example.", error.command()));
    return wrong_usage;
  } catch (const InvalidArgument& error) {
    say(streams, error.what());
    return wrong_usage;
  } catch (const Error& error) {
    say(streams, error.what());
  } catch (const std::bad_alloc&) {
    say(streams, "out of memory. Use fewer episodes, fewer state columns or a machine with more memory.");
  } catch (const std::exception& error) {
    say(streams, fmt::format("internal error: {}. This is a defect of starope; please report it with the command line.",
                             error.what()));
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
