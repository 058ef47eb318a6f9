#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "starope/domains.hpp"
#include "starope/error.hpp"

namespace starope::domains {

// What the symbols of a world mean, in numbers: symbols x names.size().
struct SymbolFeatures {
  std::vector<std::string> names{};
  std::vector<double> values{};
};

// The same world, but its logs hold the features of the symbols instead of their numbers. Policies still see the
// symbols. World and features must outlive this.
template <SymbolDomain D>
class SeenByFeatures {
 public:
  using State = typename D::State;

  SeenByFeatures(const D& domain, const SymbolFeatures& features) : domain_(&domain), features_(&features) {
    const std::size_t expected = static_cast<std::size_t>(domain.symbols()) * features.names.size();
    if (features.names.empty() || features.values.size() != expected) {
      throw InvalidArgument("the features do not fit the world: every symbol needs one value per feature");
    }
  }

  std::int32_t actions() const { return domain_->actions(); }
  State reset(Random& random) const { return domain_->reset(random); }
  Transition step(State& state, std::int32_t action, Random& random) const {
    return domain_->step(state, action, random);
  }
  const std::vector<std::string>& feature_names() const noexcept { return features_->names; }
  void observe(const State& state, std::span<double> out) const {
    const std::size_t first = static_cast<std::size_t>(domain_->symbol(state)) * out.size();
    const auto row = std::span(features_->values).subspan(first, out.size());
    std::copy(row.begin(), row.end(), out.begin());
  }

 private:
  const D* domain_;
  const SymbolFeatures* features_;
};

}  // namespace starope::domains
