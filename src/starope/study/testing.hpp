#pragma once

// Small studies, and folders to run them in.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "starope/study.hpp"
#include "starope/study/results.hpp"
#include "starope/study/results_file.hpp"
#include "starope/study/spec.hpp"

namespace starope::testing {

class StudyFolder {
 public:
  StudyFolder() {
    static std::atomic<int> counter{0};
    folder_ = std::filesystem::temp_directory_path() /
              ("starope-study-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(folder_);
  }
  StudyFolder(const StudyFolder&) = delete;
  StudyFolder& operator=(const StudyFolder&) = delete;
  ~StudyFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name = {}) const { return name.empty() ? folder_ : folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    // Some file systems write a file that is cut to nothing and filled again to the disk at once; a new one they do
    // not.
    std::filesystem::remove(path(name));
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path folder_;
};

// Two domains whose values are known exactly, a few small cells.
inline StudySpec small_study() {
  StudySpec spec{.name = "small", .seed = Seed{7}, .truth_episodes = 1000};
  spec.domains.push_back({.name = "model-fail",
                          .domain = "model-fail",
                          .sizes = {5, 20},
                          .trials = 3,
                          .estimators = {"naive", "wpdis", "star(phi=identity,clip=1)", "star(phi=identity,clip=2)"}});
  spec.domains.push_back(
      {.name = "path", .domain = "single-path", .sizes = {8}, .trials = 2, .estimators = {"pdis", "star(phi=one)"}});
  return complete_study(spec);
}

// What a file of results says, without its order and without how long it took.
inline std::vector<std::string> content_of(const std::string& path) {
  StudyResults all = read_results(path);
  std::vector<std::string> lines{result_line(all.header)};
  for (const auto& [name, truth] : all.truths) lines.push_back(result_line(truth));
  for (StudyResult& result : all.results) {
    result.seconds = 0.0;
    lines.push_back(result_line(result));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace starope::testing
