#include "starope/checks/mistakes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "starope/checks/zero_means.hpp"

namespace starope {
namespace {

using Scale = LoggedProbabilities::Scale;

// What the probabilities of a step would have been without the mistake: powers and a factor of the logged ones.
struct Undo {
  double behavior_power = 1.0;
  double target_power = 1.0;
  double behavior_factor = 1.0;
  bool swap = false;
};

struct Fit {
  ZeroMeans means;  // of the ratios, then of the counts of each group of actions
  std::int64_t rows = 0;
  double mean(std::size_t test, double expected) const {
    return expected + means[test].sum / static_cast<double>(rows);
  }
};

class Detective {
 public:
  explicit Detective(const Dataset& sample) : data_(sample) {
    if (const auto* actions = std::get_if<DiscreteActions>(&data_.actions())) {
      groups_.actions = actions->count;
      ids_ = actions;
    }
  }

  std::string find() const {
    if (!data_.behavior() || !data_.target()) return "unknown";
    const bool behavior_log = data_.behavior()->scale == Scale::logarithm;
    const bool target_log = data_.target()->scale == Scale::logarithm;
    const double e_to_ten = std::log(10.0);
    if (explains({.swap = true})) return "swapped";
    if (behavior_log && target_log && explains({.behavior_power = e_to_ten, .target_power = e_to_ten})) return "base10";
    if (behavior_log && explains({.behavior_power = e_to_ten})) return "behavior_base10";
    if (target_log && explains({.target_power = e_to_ten})) return "target_base10";
    return factor();
  }

 private:
  Fit fit(const Undo& undo) const {
    Fit result{.means = ZeroMeans(1 + static_cast<std::size_t>(groups_.count()))};
    for (std::int64_t e = 0; e < data_.episodes(); ++e) {
      for (std::int64_t i = data_.first_step(e); i < data_.first_step(e + 1); ++i) {
        double behavior = linear(undo.swap ? *data_.target() : *data_.behavior(), i);
        double target = linear(undo.swap ? *data_.behavior() : *data_.target(), i);
        if (undo.behavior_power != 1.0) behavior = std::pow(behavior, undo.behavior_power);
        if (undo.target_power != 1.0) target = std::pow(target, undo.target_power);
        behavior *= undo.behavior_factor;
        if (!(behavior > 0.0)) behavior = 1e-300;  // impossible: no explanation
        result.means.add(0, target / behavior - 1.0);
        for (std::int32_t g = 0; g < groups_.count(); ++g) {
          const bool taken = groups_.of(ids_->id[i]) == g;
          result.means.add(1 + static_cast<std::size_t>(g), (taken ? 1.0 / behavior : 0.0) - groups_.size(g));
        }
        ++result.rows;
      }
      result.means.close_episode();
    }
    return result;
  }

  static constexpr double close = 4.0;  // standard errors

  bool counts_fit(const Fit& fit) const {
    for (std::int32_t g = 0; g < groups_.count(); ++g) {
      const auto test = 1 + static_cast<std::size_t>(g);
      if (fit.means[test].errors() > close || std::abs(fit.mean(test, groups_.size(g)) / groups_.size(g) - 1.0) > 0.1)
        return false;
    }
    return true;
  }
  static bool ratios_fit(const Fit& fit) {
    return fit.means[0].errors() <= close && std::abs(fit.mean(0, 1.0) - 1.0) < 0.1;
  }
  bool explains(const Undo& undo) const {
    const Fit seen = fit(undo);
    return counts_fit(seen) && ratios_fit(seen);
  }

  std::string factor() const {
    const Fit as_logged = fit({});
    if (groups_.actions == 0) return "unknown";
    if (counts_fit(as_logged)) {
      return ratios_fit(as_logged) ? "unknown" : "target_sum";
    }
    // 1 / behavior_prob counts the actions; a common factor divides every count by it.
    double counted = 0.0;
    for (std::int32_t g = 0; g < groups_.count(); ++g)
      counted += as_logged.mean(1 + static_cast<std::size_t>(g), groups_.size(g));
    const double size = static_cast<double>(groups_.actions) / counted;
    if (!(size > 0.0) || !std::isfinite(size)) return "unknown";
    return explains({.behavior_factor = 1.0 / size}) ? "behavior_factor" : "unknown";
  }

  const Dataset& data_;
  ActionGroups groups_{};
  const DiscreteActions* ids_ = nullptr;
};

}  // namespace

std::string likely_mistake(const Dataset& sample) {
  return Detective(sample).find();
}

std::optional<Finding> ids_as_numbers(const Dataset& sample) {
  const auto* actions = std::get_if<ContinuousActions>(&sample.actions());
  if (actions == nullptr || actions->dimension != 1) return std::nullopt;
  constexpr std::size_t most = 50;  // and each of them ten times, on average
  std::set<double> seen;
  for (std::int64_t i = 0; i < sample.steps(); ++i) {
    const double action = actions->values[i];
    if (action != std::floor(action)) return std::nullopt;
    seen.insert(action);
    if (seen.size() > most) return std::nullopt;
  }
  const auto distinct = static_cast<std::int64_t>(seen.size());
  if (sample.steps() < 10 * distinct) return std::nullopt;
  return Finding{Severity::warning, "ids_as_numbers", {{"distinct", distinct}}};
}

}  // namespace starope
