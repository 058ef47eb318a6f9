#pragma once

#include <functional>

#include "cli11_fwd.hpp"
#include "terminal.hpp"

namespace starope::cli {

// A subcommand: its page of options, and what it does once they are read. Returns the exit code.
struct Command {
  CLI::App* page = nullptr;
  std::function<int(Streams& streams)> run{};
};

Command add_compare(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_evaluate(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_merge(CLI::App& app);
Command add_report(CLI::App& app);
Command add_simulate(CLI::App& app);
Command add_study(CLI::App& app);

}  // namespace starope::cli
