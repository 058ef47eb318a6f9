#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starope {

// The sum over episodes of terms whose mean is zero if the logs are right.
struct ZeroMean {
  double sum = 0.0;
  double squares = 0.0;   // of the sums of single episodes
  double variance = 0.0;  // that the terms have, where it is known: what rarely happens may not have been seen
  double largest = 0.0;   // |sum| of an episode, or a term that is known to be possible
  std::int64_t terms = 0;
  std::int64_t episodes = 0;
  friend bool operator==(const ZeroMean&, const ZeroMean&) = default;

  // How many standard errors the sum is away from zero, never fewer for chance than a normal variable would be: the x
  // with |sum| = x spread + largest x^2 / 3, which is Bernstein's bound with what was seen for what is not
  // known. Terms of one episode may depend on each other in any way; a single episode decides nothing (x < 1).
  double errors() const noexcept;
  double spread() const noexcept;  // the standard deviation of the sum
  double mean() const noexcept { return terms == 0 ? 0.0 : sum / static_cast<double>(terms); }
};

// Many of them. Terms of an episode are collected, and enter when the episode is closed.
class ZeroMeans {
 public:
  explicit ZeroMeans(std::size_t count) : of_(count), open_(count) {}

  // Terms beyond 1e100 count as 1e100: such a mean is not zero either way, and sums of squares stay finite.
  void add(std::size_t test, double term) { add(test, term, 0.0, 0.0); }
  // The same where the variance of the term and its largest size are known.
  void add(std::size_t test, double term, double variance, double largest) {
    Open& open = open_[test];
    if (open.terms == 0) order_.push_back(test);
    ++open.terms;
    open.sum += std::clamp(term, -1e100, 1e100);
    open.variance += variance;
    open.largest = std::max(open.largest, largest);
  }
  void close_episode();
  ZeroMeans& operator+=(const ZeroMeans& other);

  std::size_t size() const noexcept { return of_.size(); }
  const ZeroMean& operator[](std::size_t test) const { return of_[test]; }

 private:
  struct Open {
    double sum = 0.0, variance = 0.0, largest = 0.0;
    std::int64_t terms = 0;
  };
  std::vector<ZeroMean> of_;
  std::vector<Open> open_;            // of the open episode
  std::vector<std::size_t> order_{};  // those of them that have terms
};

// The number of standard errors that chance exceeds in one of `tests` independent or dependent tests with at most this
// probability (Bonferroni), on either side.
double errors_allowed(std::int64_t tests, double probability);

}  // namespace starope
