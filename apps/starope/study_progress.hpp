#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "starope/study.hpp"
#include "terminal.hpp"

namespace starope::cli {

// "5 s", "3 min", "2 h 10 min": as exact as a guess deserves.
std::string duration_text(double seconds);

// "[#####.....] 120 of 800 cells, 3 min left, 2 errors" in `width` columns; where there is no cell yet, the note.
std::string progress_bar(const StudyProgress& progress, std::size_t width);
// The same for a log file, without the bar.
std::string progress_sentence(const StudyProgress& progress);

// Shows how a study gets on: a bar on a terminal; elsewhere a line now and then.
class StudyProgressShower {
 public:
  explicit StudyProgressShower(Streams& streams) : streams_(streams), bar_(streams) {}
  void show(const StudyProgress& progress);
  void clear() { bar_.clear(); }

 private:
  using Clock = std::chrono::steady_clock;
  Streams& streams_;
  Progress bar_;
  std::optional<Clock::time_point> last_{};
  bool in_cells_ = false;
};

}  // namespace starope::cli
