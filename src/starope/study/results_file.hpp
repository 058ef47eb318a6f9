#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "starope/study.hpp"
#include "starope/study/plan.hpp"

namespace starope {

// Results are appended cell by cell, each cell by a single write to a file that is only ever appended to. What kills
// the process can cut such a write short but never touch what was there before: whoever opens the file next cuts off
// the unfinished line, and the unfinished cell with it, and nothing else is lost.
class ResultsFile {
 public:
  // Opens (or makes) the file for this study. FileError if another process is writing to it; DataError if it belongs to
  // another study.
  ResultsFile(const std::string& path, const StudySpec& spec);
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  ~ResultsFile();

  const std::set<StudyCell>& finished() const noexcept { return finished_; }
  const std::map<std::string, StudyTruth>& truths() const noexcept { return truths_; }
  std::int64_t failures() const noexcept { return failures_; }  // results that are errors

  void append(const StudyTruth& truth);
  void append(const StudyCell& cell, const std::vector<StudyResult>& results);  // all estimators of the cell

 private:
  void load(const StudySpec& spec);
  void write(std::string_view bytes);

  std::string path_;
  int descriptor_ = -1;
  std::set<StudyCell> finished_;
  std::map<std::string, StudyTruth> truths_;
  std::int64_t failures_ = 0;
  std::optional<std::chrono::steady_clock::time_point> synced_{};
  bool unsynced_ = false;
};

}  // namespace starope
