#pragma once

#include <string>
#include <vector>

#include "terminal.hpp"

namespace starope::cli {

// The whole program: `arguments` without the program's name. Never throws; returns the exit code.
int run_app(const std::vector<std::string>& arguments, Streams& streams);

}  // namespace starope::cli
