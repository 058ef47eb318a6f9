#pragma once

#include <span>

namespace starope {

// Does history change the estimate? A window of two ratios lets the previous step into the weights: if the abstract
// state says all there is to say, the estimate moves only by noise and by what abstraction errors the window happens to
// correct. How large those are is seen in the gap: how far the doubly robust coupling had to move the plain values.
struct MarkovTest {
  double delta = 0.0;      // mean of s_i(2) - s_i(1)
  double delta_se = 0.0;   // its standard error ...
  double scores = 0.0;     // ... and how many episodes that rests on: (sum e^2)^2 / sum e^4
  double gap = 0.0;        // mean over levels of |J - mean plain value of the level|
  double threshold = 0.0;  // gap + z delta_se
  bool markov = true;      // |delta| <= threshold

  // The square of the shift that neither the gap nor noise explains. A shift that is not significant is no proof that
  // there is none: E delta^2 = (true shift)^2 + delta_se^2.
  double unexplained() const noexcept;
};

// z is the t quantile that matches 2.326 of the normal, with max(scores - 1, 3) degrees of freedom, and at least 5 if
// fewer than 8 episodes carry the standard error.
MarkovTest test_markov(std::span<const double> one_ratio, std::span<const double> two_ratios, double gap);

}  // namespace starope
