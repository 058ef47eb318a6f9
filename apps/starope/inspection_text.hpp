#pragma once

#include <string>

#include "starope/inspect.hpp"
#include "terminal.hpp"

namespace starope::cli {

// The inspection for people, section by section, with the advice at the end.
std::string inspection_text(const Inspection& inspection, const Terminal& terminal);

}  // namespace starope::cli
