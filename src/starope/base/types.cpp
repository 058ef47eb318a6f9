#include "starope/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#if STAROPE_THREADS
#include <thread>
#endif

#include "starope/error.hpp"

namespace starope {

Threads Threads::all() {
#if STAROPE_THREADS
  return Threads{std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
#else
  return Threads{1};
#endif
}

Threads::Threads(int count) : count_(count) {
  if (count < 1) throw InvalidArgument(fmt::format("threads = {} must be at least 1", count));
}

Discount::Discount(double gamma) : gamma_(gamma) {
  if (!(gamma >= 0.0 && gamma <= 1.0))
    throw InvalidArgument(fmt::format("discount gamma = {} must be in [0, 1]", gamma));
}

Horizon::Horizon(std::int64_t steps) : steps_(steps) {
  if (steps < 1) throw InvalidArgument(fmt::format("horizon = {} must be at least 1 step", steps));
  if (steps > most) throw InvalidArgument(fmt::format("horizon = {} must be at most {} steps", steps, most));
}

Clip Clip::last(std::int64_t steps) {
  if (steps < 1) throw InvalidArgument(fmt::format("clip = {} must be at least 1 (or none)", steps));
  return Clip{steps};
}

std::string Clip::text() const {
  return window_ ? fmt::format("{}", *window_) : "none";
}

Level::Level(double probability) : probability_(probability) {
  if (!(probability > 0.0 && probability < 1.0)) {
    throw InvalidArgument(fmt::format("confidence level = {} must lie strictly between 0 and 1", probability));
  }
  if (probability > 0.999999999999) {  // the quantile of what is left has no digits
    throw InvalidArgument(
        fmt::format("confidence level = {:.17g} is too near to 1: at most 0.999999999999 is possible", probability));
  }
}

}  // namespace starope
