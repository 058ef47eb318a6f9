#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/io.hpp"
#include "starope/problem.hpp"
#include "starope/report.hpp"
#include "starope/study.hpp"

// What is done again and again while something fails: on one thread, as small as it can be.
namespace starope::testing {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("starope-faults-" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }
  // Every file below, with its content.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file()) all[fs::relative(entry.path(), path_).string()] = read(fs::relative(entry, path_));
    }
    return all;
  }

 private:
  fs::path path_;
};

inline std::string logs_text() {
  std::string text = "episode,t,state,action,reward,behavior_prob,target_prob,target_probs_0,target_probs_1\n";
  for (int i = 0; i < 6; ++i) {
    for (int t = 0; t < 1 + i % 3; ++t) {
      const int action = (i + t) % 2;
      text += std::to_string(i) + ',' + std::to_string(t) + ',' + std::to_string((i + t) % 2) + ',' +
              std::to_string(action) + ',' + std::to_string(i * t) + ",0.5," + (action == 1 ? "0.7" : "0.3") +
              ",0.3,0.7\n";
    }
  }
  return text;
}

inline Evaluation evaluate_file(const std::string& path) {
  const io::ReadResult read = io::read(path, {.threads = Threads{1}});
  const auto estimators =
      parse_estimators("naive,wis,wpdis,star(phi=identity,clip=1),star(phi=identity,clip=2),mb,dr(q=fqe)");
  return evaluate(make_problem(read.data), estimators, {.level = Level{0.95}, .details = true, .threads = Threads{1}});
}

inline StudySpec study_spec() {
  StudySpec spec{.name = "small", .seed = Seed{7}, .truth_episodes = 10};
  spec.domains.push_back(
      {.name = "win", .domain = "model-win", .sizes = {3}, .trials = 2, .estimators = {"naive", "star(phi=identity)"}});
  return spec;
}

inline void run(const std::string& folder, bool resume) {
  run_study(study_spec(), {.folder = folder, .resume = resume, .threads = Threads{1}});
}

// Without how long anything took.
inline std::vector<std::string> said(const std::string& results) {
  std::vector<std::string> lines;
  for (const StudyResult& result : read_results(results).results) {
    const auto* answer = std::get_if<StudyAnswer>(&result.answer);
    lines.push_back(result.estimator + ' ' + std::to_string(result.trial) + ' ' +
                    (answer != nullptr ? std::to_string(answer->value) : std::get<Failure>(result.answer).code));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace starope::testing
