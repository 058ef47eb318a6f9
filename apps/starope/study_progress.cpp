#include "study_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/layout/layout.hpp"

namespace starope::cli {
namespace {

constexpr std::chrono::milliseconds between_bars{100};
constexpr std::chrono::seconds between_lines{15};

std::string counts(const StudyProgress& progress) {
  std::string text = fmt::format("{} of {} cells", with_thousands(progress.done), with_thousands(progress.total));
  if (progress.seconds_left > 0.0) text += fmt::format(", {} left", duration_text(progress.seconds_left));
  if (progress.failures > 0) text += fmt::format(", {}", counted(progress.failures, "error"));
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(std::max(seconds, 0.0)));
  if (whole < 90) return fmt::format("{} s", whole);
  const std::int64_t minutes = (whole + 30) / 60;
  if (minutes < 90) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string progress_bar(const StudyProgress& progress, std::size_t width) {
  if (!progress.note.empty()) return progress.note;
  const std::string text = counts(progress);
  const std::size_t room = width > display_width(text) + 4 ? width - display_width(text) - 4 : 0;
  const std::size_t length = std::min<std::size_t>(room, 30);
  if (length < 5 || progress.total == 0) return text;
  const auto full = static_cast<std::size_t>(progress.done * static_cast<std::int64_t>(length) / progress.total);
  return fmt::format("[{}{}] {}", std::string(full, '#'), std::string(length - full, '.'), text);
}

std::string progress_sentence(const StudyProgress& progress) {
  return progress.note.empty() ? counts(progress) : progress.note;
}

void StudyProgressShower::show(const StudyProgress& progress) {
  const Clock::time_point now = Clock::now();
  const bool bar = streams_.err_terminal.is_terminal;
  const bool starts = progress.note.empty() && !std::exchange(in_cells_, progress.note.empty());
  const bool due =
      !last_ || starts || now - *last_ >= (bar ? Clock::duration(between_bars) : Clock::duration(between_lines));
  if (!due) return;
  last_ = now;
  if (bar) {
    bar_.show(progress_bar(progress, streams_.err_terminal.width));
  } else {
    say(streams_, progress_sentence(progress));
  }
}

}  // namespace starope::cli
