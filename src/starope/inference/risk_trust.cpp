#include "starope/inference/risk_trust.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace starope {
namespace {

constexpr double enough = 10.0;  // effective episodes on a side
constexpr double hardly_any = 2.0;
constexpr double too_coarse = 0.25;    // a shape error above which a process says nothing
constexpr double enough_shared = 0.4;  // of the logged returns, where 80 % of the target's lie

struct Side {
  double sum = 0.0, squares = 0.0;
  bool logged = false;
  double size() const { return squares > 0.0 ? sum * (sum / squares) : 0.0; }
};

// Of the episodes that `below` takes and of the others, the smaller size.
template <class Below>
double smaller_side(std::span<const double> returns, std::span<const double> weights, const Below& below) {
  Side low, high;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    Side& side = below(returns[i]) ? low : high;
    side.logged = true;
    side.sum += weights[i];
    side.squares += weights[i] * weights[i];
  }
  if (!low.logged) return high.size();
  if (!high.logged) return low.size();
  return std::min(low.size(), high.size());
}

ReturnDistribution* find(std::vector<ReturnDistribution>& all, std::string_view method) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ReturnDistribution& each) { return each.method == method; });
  return found == all.end() ? nullptr : &*found;
}

// The least of what was asked; of everything where nothing was.
double least_tail(const ReturnDistribution& distribution) {  // of those whose share was asked for
  double least = distribution.ess.value_or(0.0);
  for (const auto* const numbers : {&distribution.quantiles, &distribution.cvar}) {
    for (const RiskNumber& number : *numbers) least = std::min(least, number.ess.value_or(least));
  }
  return least;
}
double least_size(const ReturnDistribution& distribution) {
  double least = least_tail(distribution);
  for (const RiskNumber& number : distribution.below) least = std::min(least, number.ess.value_or(least));
  return least;
}

}  // namespace

double effective_weights(std::span<const double> weights) {
  Side all;
  for (const double w : weights) {
    all.sum += w;
    all.squares += w * w;
  }
  return all.size();
}

std::vector<double> effective_sides(std::span<const double> returns, std::span<const double> weights,
                                    const RiskQuestion& question) {
  const StepFunction distribution = weighted_distribution(returns, weights);
  // No more than belongs there: logs that happen to have many in a tail are those that are wrong about it.
  const double all = effective_weights(weights);
  std::vector<double> sizes;
  for (const double p : question.quantiles) {
    const double at = distribution.quantile(p);
    // A quantile is right if both what is below it and what reaches it weighs what it should.
    const double up_to = smaller_side(returns, weights, [at](double x) { return x <= at; });
    const double under = smaller_side(returns, weights, [at](double x) { return x < at; });
    sizes.push_back(std::min(std::max(up_to, under), all * std::min(p, 1.0 - p)));
  }
  for (const double share : question.cvar) {
    const double at = distribution.quantile(share);
    Side tail;
    for (std::size_t i = 0; i < returns.size(); ++i) {
      if (returns[i] > at) continue;
      tail.sum += weights[i];
      tail.squares += weights[i] * weights[i];
    }
    sizes.push_back(std::min(tail.size(), all * share));
  }
  for (const double x : question.below)
    sizes.push_back(smaller_side(returns, weights, [x](double r) { return r < x; }));
  return sizes;
}

void add_expected_sides(ReturnDistribution& process) {
  constexpr double rounding = 1e-12;  // of sums of weights
  const double all = process.ess.value_or(0.0);
  for (RiskNumber& number : process.quantiles) number.ess = all * std::min(number.at, 1.0 - number.at);
  for (RiskNumber& number : process.cvar) number.ess = all * number.at;
  for (RiskNumber& number : process.below) {
    const double share = std::min(number.value, 1.0 - number.value);
    number.ess = share > rounding ? all * share : all;
  }
}

double largest_distance(const StepFunction& a, const StepFunction& b) {
  const std::vector<double> fa = a.cdf(), fb = b.cdf();
  std::size_t i = 0, j = 0;
  double largest = 0.0;
  while (i < a.points.size() || j < b.points.size()) {
    const bool from_a = j == b.points.size() || (i < a.points.size() && a.points[i] <= b.points[j]);
    const double x = from_a ? a.points[i] : b.points[j];
    while (i < a.points.size() && a.points[i] <= x) ++i;
    while (j < b.points.size() && b.points[j] <= x) ++j;
    largest = std::max(largest, std::abs((i > 0 ? fa[i - 1] : 0.0) - (j > 0 ? fb[j - 1] : 0.0)));
  }
  return largest;
}

StepFunction shifted(const StepFunction& distribution, double shift) {
  StepFunction result = distribution;
  double left = std::min(std::abs(shift), 1.0);
  const double moved = left;
  const std::size_t count = result.mass.size();
  for (std::size_t k = 0; k < count && left > 0.0; ++k) {
    double& mass = result.mass[shift > 0.0 ? count - 1 - k : k];
    const double part = std::min(mass, left);
    mass -= part;
    left -= part;
  }
  result.mass[shift > 0.0 ? 0 : count - 1] += moved - left;
  return result;
}

double shared_returns(const StepFunction& logged, const StepFunction& target) {
  const double from = target.quantile(0.1), to = target.quantile(0.9);
  double sum = 0.0;
  for (std::size_t i = 0; i < logged.points.size(); ++i) {
    if (logged.points[i] >= from && logged.points[i] <= to) sum += logged.mass[i];
  }
  return sum;
}

bool ProcessTrial::elsewhere() const noexcept {
  return shared < enough_shared;
}

double shape_error(const ProcessTrial& trial) {
  constexpr double usual = 0.87;  // the mean of the distance of two samples, in units of the root below
  const double chance = usual * std::sqrt(1.0 / trial.logged_episodes + 1.0 / trial.rollouts);
  const double error = std::max(0.0, 3.0 * trial.distance - chance);
  if (!trial.elsewhere()) return error;
  // A distance below what chance makes proves nothing about a small part.
  const double factor = enough_shared / std::max(trial.shared, 1e-3);
  return std::min(1.0, error + (factor - 1.0) * (3.0 * std::max(trial.distance, chance) - chance));
}

void judge(std::vector<ReturnDistribution>& all, const std::optional<ProcessTrial>& trial, CutReturns returns) {
  ReturnDistribution* const wis = find(all, "wis");
  ReturnDistribution* const dr = find(all, "dr");
  ReturnDistribution* const arp = find(all, "arp");
  const double least = wis == nullptr ? 0.0 : least_size(*wis);
  for (ReturnDistribution* const each : {wis, dr}) {
    if (each != nullptr && returns.cut > 0) {
      each->findings.push_back(
          {Severity::warning, "returns_cut", {{"cut", returns.cut}, {"episodes", returns.episodes}}});
    }
    if (each == nullptr || least >= enough) continue;
    each->findings.push_back(
        {least < hardly_any ? Severity::critical : Severity::warning, "few_for_risk", {{"ess", least}}});
  }
  const double error = trial ? shape_error(*trial) : 0.0;
  const bool coarse = error > too_coarse;
  if (arp != nullptr && trial && trial->elsewhere()) {
    arp->findings.push_back({coarse ? Severity::critical : Severity::warning,
                             "process_tried_elsewhere",
                             {{"share", trial->shared}, {"error", error}, {"answer", coarse ? "none" : "wide"}}});
  } else if (arp != nullptr && error > 0.05) {
    arp->findings.push_back({coarse ? Severity::critical : Severity::warning,
                             "process_misses_returns",
                             {{"error", error}, {"answer", coarse ? "none" : "wide"}}});
  }
  // Steps that are put together anew say more of a tail than whole episodes do, but not of what was hardly logged.
  const double behind = arp == nullptr ? 0.0 : least_size(*arp);
  // A return that the process hardly ever has is no thin tail of the question: that it is rare is the answer.
  const bool hardly = arp != nullptr && least_tail(*arp) < hardly_any;
  if (arp != nullptr && behind < enough) {
    arp->findings.push_back({hardly ? Severity::critical : Severity::warning,
                             "few_for_process",
                             {{"ess", behind}, {"answer", hardly ? "none" : "short"}}});
  }
  const bool weak_process = arp == nullptr || coarse || hardly || arp->ess.value_or(0.0) < enough;
  if (least >= enough && returns.cut == 0) {
    (dr != nullptr && !coarse ? dr : wis)->believed = true;
  } else if (!weak_process) {
    arp->believed = true;
  }
}

}  // namespace starope
