#include "starope/stats/sliding_product.hpp"

namespace starope {

SlidingProduct::SlidingProduct(Clip clip) : window_(static_cast<std::size_t>(clip.window().value_or(0))) {}

void SlidingProduct::reset() noexcept {
  newest_.clear();
  front_.clear();
  back_ = Scaled{};
}

Scaled SlidingProduct::push(double factor) {
  const Scaled incoming = Scaled::of(factor);
  if (window_ == 0) return back_ = back_ * incoming;

  if (newest_.size() + front_.size() == window_) {
    if (front_.empty()) {
      Scaled suffix;
      for (std::size_t i = newest_.size(); i-- > 0;) {
        suffix = Scaled::of(newest_[i]) * suffix;
        front_.push_back(suffix);
      }
      newest_.clear();
      back_ = Scaled{};
    }
    front_.pop_back();  // the oldest factor leaves
  }
  newest_.push_back(factor);
  back_ = back_ * incoming;
  return front_.empty() ? back_ : front_.back() * back_;
}

}  // namespace starope
