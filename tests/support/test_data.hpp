#pragma once

#include <optional>
#include <string>

namespace starope::testing {

// A file of tests/data, which is part of the repository; throws if it is not there.
std::string committed_file(const std::string& name);

// A file of the folder STAROPE_SHARED_DIR with further and larger reference data; none where this machine has no such
// folder. A test that uses one has already shown the same with a committed file.
std::optional<std::string> shared_file(const std::string& name);

}  // namespace starope::testing
