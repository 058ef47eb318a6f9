#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace starope {

// Work that nobody can wait for, or that no memory holds, is refused before it begins, with what it would cost. The
// bounds are far beyond what an answer needs: a typing slip meets them, a large problem does not.
inline constexpr double most_operations = 1e13;  // several hours of one core
// What may be spent on finding out whether a computation settles long before the steps it was given: about a second.
inline constexpr double trial_operations = 2e8, trial_bytes = 1e8;

struct Work {
  std::string what{};       // "a horizon of 10^12 steps"
  double operations = 0.0;  // additions, products, random draws: about a nanosecond each
  double bytes = 0.0;       // that must be in memory at the same time
  std::string remedy{};     // an imperative sentence
};

// TooMuchWork if the work is above `most_operations`, or needs more memory than this machine has.
void refuse_absurd(const Work& work);
bool is_absurd(const Work& work);
[[noreturn]] void refuse(const Work& work);

// For work in steps that may settle long before the last one: where all of them would be absurd, only as many are made
// as show within a second whether it does.
class StepBudget {
 public:
  // `all`: the cost of every step that was asked for.
  StepBudget(Work all, std::int64_t steps);
  bool limited() const noexcept { return most_steps_.has_value(); }
  // TooMuchWork if so many steps were made without an end in sight.
  void expect_possible(std::int64_t steps) const {
    if (most_steps_ && static_cast<double>(steps) > *most_steps_) refuse(all_);
  }

 private:
  Work all_;
  std::optional<double> most_steps_{};
};

// For equal parts whose cost nothing but doing some of them shows: about a second goes by, then all of them must be
// possible. Which work is refused depends on the machine, as it does where memory is short; no answer does.
class PartBudget {
 public:
  PartBudget(std::string what, std::int64_t parts, std::string remedy);
  // Does some of the parts, on this thread; others may do others at the same time. TooMuchWork as said above.
  template <class Part>
  void spend(std::int64_t parts, const Part& part) {
    const double before = processor_seconds();
    part();
    took(parts, processor_seconds() - before);
  }
  // So many more parts took so many seconds of a core.
  void took(std::int64_t parts, double seconds);

 private:
  static double processor_seconds();  // of this thread

  std::string what_, remedy_;
  double parts_;
  std::atomic<std::int64_t> done_{0}, nanoseconds_{0};
};

// Of this machine; infinite where it cannot be known.
double physical_memory();

// "3 hours", "2 days", "40 years"; "12 GB", "8 TB".
std::string time_text(double operations);
std::string memory_text(double bytes);

}  // namespace starope
