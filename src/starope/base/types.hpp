#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace starope {

// The number of an abstract state ("cell"): 0 .. cells-1.
using Label = std::uint32_t;

// The root of all randomness of a run.
struct Seed {
  std::uint64_t value = 0;
  friend bool operator==(Seed, Seed) = default;
};

// How many threads may work. Results do not depend on it.
class Threads {
 public:
  static Threads all();         // one per core
  explicit Threads(int count);  // count >= 1 or InvalidArgument
  int count() const noexcept { return count_; }

 private:
  int count_;
};

// gamma, in [0, 1].
class Discount {
 public:
  explicit Discount(double gamma);  // outside [0, 1]: InvalidArgument
  double gamma() const noexcept { return gamma_; }
  friend bool operator==(Discount, Discount) = default;

 private:
  double gamma_;
};

// The number of steps whose rewards count; at least 1. "No horizon" is an empty std::optional<Horizon>.
class Horizon {
 public:
  explicit Horizon(std::int64_t steps);  // steps < 1: InvalidArgument
  std::int64_t steps() const noexcept { return steps_; }
  friend bool operator==(Horizon, Horizon) = default;

 private:
  std::int64_t steps_;
};

// How many of the latest ratios an importance weight multiplies: the paper's c.
class Clip {
 public:
  static Clip none() { return Clip{std::nullopt}; }
  static Clip last(std::int64_t steps);  // steps < 1: InvalidArgument
  bool is_none() const noexcept { return !window_; }
  std::optional<std::int64_t> window() const noexcept { return window_; }
  std::string text() const;  // "2", "none"
  friend bool operator==(Clip, Clip) = default;

 private:
  explicit Clip(std::optional<std::int64_t> window) : window_(window) {}
  std::optional<std::int64_t> window_;
};

// The confidence level of an interval, in (0, 1).
class Level {
 public:
  explicit Level(double probability);  // outside (0, 1): InvalidArgument
  double probability() const noexcept { return probability_; }
  friend bool operator==(Level, Level) = default;

 private:
  double probability_;
};

}  // namespace starope
