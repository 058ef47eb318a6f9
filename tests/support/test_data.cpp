#include "support/test_data.hpp"

#include <filesystem>
#include <stdexcept>

// The only place that knows the folders, so that all other tests compile to the same bytes in every clone.
namespace starope::testing {

std::string committed_file(const std::string& name) {
  std::string path = std::string(STAROPE_TEST_DATA_DIR "/") + name;
  if (!std::filesystem::exists(path)) throw std::runtime_error(path + " is not there");
  return path;
}

std::optional<std::string> shared_file(const std::string& name) {
  std::string path = std::string(STAROPE_SHARED_DIR "/") + name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return path;
}

}  // namespace starope::testing
