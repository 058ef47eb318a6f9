#include "starope/base/work.hpp"

#include <fmt/format.h>

#if STAROPE_FILES
#include <unistd.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr double operations_per_second = 1e9;

struct Unit {
  double size;
  const char* name;
};

// In the largest unit that makes at least two of it.
template <std::size_t count>
std::pair<double, const char*> in_units(double amount, const std::array<Unit, count>& units) {
  Unit chosen = units.front();
  for (const Unit& unit : units) {
    if (amount >= 2.0 * unit.size) chosen = unit;
  }
  return {amount / chosen.size, chosen.name};
}

std::string rounded(double amount) {
  if (amount >= 1e15) return fmt::format("{:.0e}", amount);
  return amount < 10.0 ? fmt::format("{:.2g}", amount) : with_thousands(std::llround(amount));
}

}  // namespace

double physical_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return static_cast<double>(pages) * static_cast<double>(size);
#endif
  return std::numeric_limits<double>::infinity();
}

std::string time_text(double operations) {
  constexpr std::array units{Unit{1.0, "seconds"}, Unit{60.0, "minutes"}, Unit{3600.0, "hours"}, Unit{86400.0, "days"},
                             Unit{86400.0 * 365.25, "years"}};
  const auto [amount, name] = in_units(operations / operations_per_second, units);
  return fmt::format("{} {}", rounded(amount), name);
}

std::string memory_text(double bytes) {
  constexpr std::array units{Unit{1e6, "MB"}, Unit{1e9, "GB"}, Unit{1e12, "TB"}};
  const auto [amount, name] = in_units(bytes, units);
  return fmt::format("{} {}", rounded(amount), name);
}

bool is_absurd(const Work& work) {
  return !(work.operations <= most_operations) || !(work.bytes <= physical_memory());
}

void refuse(const Work& work) {
  const std::string remedy = work.remedy.empty() ? "" : ". " + work.remedy;
  if (!(work.operations <= most_operations)) {
    throw TooMuchWork(fmt::format("{} would take about {} of one core; more than {} is refused{}", work.what,
                                  time_text(work.operations), time_text(most_operations), remedy));
  }
  throw TooMuchWork(fmt::format("{} would take about {} of memory, and this machine has {}{}", work.what,
                                memory_text(work.bytes), memory_text(physical_memory()), remedy));
}

StepBudget::StepBudget(Work all, std::int64_t steps) : all_(std::move(all)) {
  if (!is_absurd(all_)) return;
  const double share = std::min({1.0, trial_operations / all_.operations, trial_bytes / all_.bytes});
  most_steps_ = 1.0 + share * static_cast<double>(steps);
}

PartBudget::PartBudget(std::string what, std::int64_t parts, std::string remedy)
    : what_(std::move(what)), remedy_(std::move(remedy)), parts_(static_cast<double>(parts)) {}

void PartBudget::took(std::int64_t parts, double seconds) {
  constexpr double trial_seconds = 1.0;
  const auto more = static_cast<std::int64_t>(1e9 * seconds);
  const double spent = 1e-9 * static_cast<double>(nanoseconds_.fetch_add(more) + more);
  const double done = static_cast<double>(done_.fetch_add(parts) + parts);
  if (spent < trial_seconds) return;
  refuse_absurd(
      {.what = what_, .operations = operations_per_second * spent / done * parts_, .bytes = 0.0, .remedy = remedy_});
}

double PartBudget::processor_seconds() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec now{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void refuse_absurd(const Work& work) {
  if (is_absurd(work)) refuse(work);
}

}  // namespace starope
