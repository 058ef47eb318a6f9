#pragma once

// A folder of its own for each test, removed at the end, and small files in it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace starope::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> counter{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("starope-io-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(folder_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name = {}) const { return name.empty() ? folder_ : folder_ / name; }

  std::string write(const std::string& name, std::string_view content) const {
    // Some file systems write a file that is cut to nothing and filled again to the disk at once; a new one they do
    // not.
    std::filesystem::remove(path(name));
    std::ofstream file(path(name), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    EXPECT_TRUE(file.good()) << name;
    return path(name);
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path folder_;
};

// Root may read and write everything. While this lives the process acts as a user who may not, and owns the folder.
class AsOrdinaryUser {
 public:
  explicit AsOrdinaryUser(const TemporaryFolder& folder) : was_root_(::geteuid() == 0) {
    constexpr uid_t nobody = 65534;
    if (!was_root_) return;
    EXPECT_EQ(::chown(folder.path().c_str(), nobody, static_cast<gid_t>(-1)), 0);
    EXPECT_EQ(::seteuid(nobody), 0);
  }
  AsOrdinaryUser(const AsOrdinaryUser&) = delete;
  AsOrdinaryUser& operator=(const AsOrdinaryUser&) = delete;
  ~AsOrdinaryUser() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace starope::testing
