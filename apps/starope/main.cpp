#include <iostream>
#include <string>
#include <vector>

#include "app.hpp"
#include "process.hpp"

int main(int argc, char** argv) {
  namespace cli = starope::cli;
  cli::occupy_standard_descriptors();
  cli::remove_temporary_files_on_signals();
  const cli::Environment environment = cli::process_environment();
  cli::Streams streams{std::cout, std::cerr, cli::detect_terminal(1, environment),
                       cli::detect_terminal(2, environment)};
  return cli::run_app(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc), streams);
}
