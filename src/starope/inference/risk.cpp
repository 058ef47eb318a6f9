#include "starope/risk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

#include "starope/error.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/star.hpp"
#include "starope/inference/bootstrap_interval.hpp"
#include "starope/inference/drawn_process.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/risk_trust.hpp"
#include "starope/inference/step_function.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

constexpr std::size_t most_points = 512;           // of a distribution that is shown, and of `dr`
constexpr std::int64_t replicate_rollouts = 1000;  // of the process, in a replicate
constexpr std::int64_t start_rollouts = 400;       // from each cell in which episodes start
constexpr std::int64_t check_rollouts = 2000;      // of the process of the logged policy

// Returns and weights of the logged episodes. Only quotients of weights matter, so they are in units of the largest.
struct WeightedReturns {
  std::vector<double> returns{}, weights{};
};

// Percentiles between infinite returns would be no numbers.
double finite_return(double sum) {
  if (std::isfinite(sum)) return sum;
  throw DegenerateModel(
      "the return of an episode is too large for a number (above 1.8e308). Divide all rewards by a constant");
}

WeightedReturns weighted_returns(const Problem& problem) {
  WeightedReturns result;
  std::vector<Scaled> products;
  const double g = problem.discount().gamma();
  int largest = 0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    Scaled product;
    double total = 0.0, discount = 1.0;
    for (std::size_t t = 0; t < episode.rewards.size(); ++t, discount *= g) {
      product = product * Scaled::of(episode.ratios[t]);
      total += discount * episode.rewards[t];
    }
    if (product.mantissa != 0.0)
      largest = products.empty() ||
                        std::all_of(products.begin(), products.end(), [](const Scaled& p) { return p.mantissa == 0.0; })
                    ? product.exponent
                    : std::max(largest, product.exponent);
    products.push_back(product);
    result.returns.push_back(finite_return(total));
  }
  for (const Scaled& product : products) result.weights.push_back(product.relative_to(largest));
  if (std::all_of(result.weights.begin(), result.weights.end(), [](double w) { return w == 0.0; })) {
    throw DegenerateModel(
        "every logged episode contains an action that the target policy never takes, so nothing is known about its "
        "returns. Collect logs that cover the target policy");
  }
  return result;
}

// Ascending points at which a distribution is looked at: all values, or as many quantiles of them.
std::vector<double> grid_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= most_points) return values;
  std::vector<double> grid;
  for (std::size_t k = 0; k < most_points; ++k) grid.push_back(values[k * (values.size() - 1) / (most_points - 1)]);
  return grid;
}

StepFunction from_cdf(const std::vector<double>& points, const std::vector<double>& cdf) {
  StepFunction result{.points = points, .mass = cdf};
  for (std::size_t i = cdf.size(); i-- > 1;) result.mass[i] -= cdf[i - 1];
  return result;
}

// A method: the distribution if episodes count so many times. The first call, with ones, is the answer.
using Method = std::function<StepFunction(std::span<const double> times, std::int64_t replicate)>;

class Distributions {
 public:
  Distributions(const Problem& problem, const RiskQuestion& question, const RiskOptions& options)
      : problem_(problem), question_(question), options_(options), logged_(weighted_returns(problem)) {
    const bool has_states = !std::holds_alternative<std::monostate>(problem.data().states());
    if (has_states) make_process();
  }

  std::vector<ReturnDistribution> run() {
    std::vector<ReturnDistribution> all;
    all.push_back(answer("logged", [&](std::span<const double> times, std::int64_t) {
      return weighted_distribution(logged_.returns, times);
    }));
    all.push_back(answer("wis", [&](std::span<const double> times, std::int64_t) {
      return weighted_distribution(logged_.returns, weights_with(times));
    }));
    if (!labels_) {
      add_sizes(all.back());
      widen_certainties(all);
      judge(all, std::nullopt, cut_returns());
      return all;
    }
    all.push_back(answer("arp", [&](std::span<const double> times, std::int64_t replicate) {
      return rolled_out(DrawnProcess(*labels_, *seen_, times, horizon_),
                        replicate == 0 ? options_.rollouts : replicate_rollouts, replicate);
    }));
    all.back().ess = effective_episodes(*seen_, Clip::last(1), options_.threads);
    add_expected_sides(all.back());
    widen(all.back());
    prepare_expectations();
    all.push_back(answer("dr", [&](std::span<const double> times, std::int64_t) { return corrected(times); }));
    add_sizes(all[1]);
    add_sizes(all[3]);
    widen_certainties(all);
    judge(all, trial_, cut_returns());
    return all;
  }

 private:
  // Without a horizon the question is about episodes as they were recorded.
  CutReturns cut_returns() const {
    CutReturns returns{.episodes = problem_.episodes()};
    for (std::int64_t i = 0; problem_.horizon() && i < returns.episodes; ++i) {
      const LoggedEpisode episode = problem_.episode(i);
      if (episode.end == EpisodeEnd::truncated && episode.length() < problem_.horizon()->steps()) ++returns.cut;
    }
    return returns;
  }

  std::vector<double> weights_with(std::span<const double> times) const {
    std::vector<double> weights = logged_.weights;
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= times[i];
    return weights;
  }

  StepFunction rolled_out(const DrawnProcess& process, std::int64_t rollouts, std::int64_t replicate) const {
    const std::vector<double> returns =
        process.returns(rollouts, Seed{options_.seed.value + static_cast<std::uint64_t>(replicate)});
    for (const double sum : returns) finite_return(sum);
    return weighted_distribution(returns, std::vector<double>(returns.size(), 1.0));
  }

  // Effective episodes behind a distribution of weighted ones, and behind each of its numbers.
  void add_sizes(ReturnDistribution& to) const {
    to.ess = effective_weights(logged_.weights);
    const std::vector<double> sizes = effective_sides(logged_.returns, logged_.weights, question_);
    std::size_t at = 0;
    for (auto* const numbers : {&to.quantiles, &to.cvar, &to.below}) {
      for (RiskNumber& number : *numbers) number.ess = sizes[at++];
    }
  }

  // What happened in none of n episodes may still happen: an interval from replicates ends where they all agree, at
  // zero. With probability p it happens in none with probability (1 - p)^n, which is the tail at p = 1 - tail^(1/n)
  // (Clopper & Pearson 1934).
  void widen_certainties(std::vector<ReturnDistribution>& all) const {
    constexpr double rounding = 1e-12;  // of sums of weights
    for (ReturnDistribution& each : all) {
      const double episodes =
          each.method == "logged" ? static_cast<double>(problem_.episodes()) : each.ess.value_or(1.0);
      for (RiskNumber& number : each.below) {
        if (!number.interval) continue;
        const double tail = 0.5 * (1.0 - number.interval->level);
        const double reach = 1.0 - std::pow(tail, 1.0 / std::max(1.0, episodes));
        if (number.value <= rounding) number.interval->upper = std::max(number.interval->upper, reach);
        if (number.value >= 1.0 - rounding) number.interval->lower = std::min(number.interval->lower, 1.0 - reach);
      }
    }
  }

  // Intervals of the process allow for a wrong shape, too: mass at either end.
  void widen(ReturnDistribution& arp) const {
    if (!(shape_error_ > 0.0)) return;
    const std::vector<double> ones(logged_.returns.size(), 1.0);
    const StepFunction whole = rolled_out(DrawnProcess(*labels_, *seen_, ones, horizon_), options_.rollouts, 0);
    const std::vector<double> value = risk_numbers(whole, question_),
                              worse = risk_numbers(shifted(whole, shape_error_), question_),
                              better = risk_numbers(shifted(whole, -shape_error_), question_);
    std::size_t at = 0;
    for (auto* const numbers : {&arp.quantiles, &arp.cvar, &arp.below}) {
      for (RiskNumber& number : *numbers) {
        if (number.interval) {
          number.interval->lower += std::min(worse[at], better[at]) - value[at];
          number.interval->upper += std::max(worse[at], better[at]) - value[at];
          number.interval->lower = std::max(number.interval->lower, numbers == &arp.below ? 0.0 : whole.points.front());
          number.interval->upper = std::min(number.interval->upper, numbers == &arp.below ? 1.0 : whole.points.back());
        }
        ++at;
      }
    }
  }

  // Cells are ids, or clusters. A recording that was cut at one common length is not an end.
  void make_process() {
    Star star{.phi = Identity{}, .truncation = TruncationRule::censor};
    if (!std::holds_alternative<DiscreteStates>(problem_.data().states()))
      star.phi = Clusters{.clusters = options_.clusters, .seed = options_.seed};
    std::optional<Horizon> horizon = problem_.horizon();
    try {
      horizon = horizon_of(star, problem_);
    } catch (const InvalidArgument&) {  // cut at different lengths: then cuts are ends
    }
    seen_ = horizon ? problem_.with_horizon(horizon) : problem_;
    if (horizon) horizon_ = horizon->steps();
    // The number of clusters is the one with which the process of the logged policy is nearest to the logged returns.
    constexpr std::int64_t steps_per_cell = 8;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::int64_t cells = options_.clusters; cells <= 16 * options_.clusters; cells *= 4) {
      const bool fine = cells > options_.clusters && cells * steps_per_cell > seen_->steps();
      if (auto* const clusters = std::get_if<Clusters>(&star.phi)) clusters->clusters = cells;
      if (fine) break;
      Labels labels = fit_abstraction(star.phi, *seen_, options_.threads).labels;
      const double distance = distance_of(labels);
      if (distance < nearest) labels_ = std::move(labels);
      nearest = std::min(nearest, distance);
      if (!std::holds_alternative<Clusters>(star.phi)) break;
    }
    const std::vector<double> ones(logged_.returns.size(), 1.0);
    const DrawnProcess process(*labels_, *seen_, ones, horizon_);
    trial_ = {
        .distance = nearest,
        .shared = shared_returns(weighted_distribution(logged_.returns, ones), rolled_out(process, check_rollouts, 0)),
        .logged_episodes = static_cast<double>(problem_.episodes()),
        .rollouts = static_cast<double>(check_rollouts)};
    shape_error_ = shape_error(trial_);
  }

  // Between the logged returns and those that a process of the logged policy has.
  double distance_of(const Labels& labels) const {
    const std::vector<double> ones(logged_.returns.size(), 1.0);
    const DrawnProcess process(labels, *seen_, ones, horizon_, DrawnProcess::Of::logged);
    return largest_distance(weighted_distribution(logged_.returns, ones), rolled_out(process, check_rollouts, 0));
  }

  // What the process expects from each cell in which an episode starts, at the points of the grid.
  void prepare_expectations() {
    const std::vector<double> ones(logged_.returns.size(), 1.0);
    const DrawnProcess process(*labels_, *seen_, ones, horizon_);
    std::map<Label, std::size_t> known;
    std::vector<double> values = logged_.returns;
    std::vector<std::vector<double>> returns;
    for (std::int64_t i = 0; i < problem_.episodes(); ++i) {
      const Label z = labels_->of_row[problem_.episode(i).first_row];
      const auto [place, is_new] = known.emplace(z, returns.size());
      start_of_.push_back(place->second);
      if (!is_new) continue;
      const auto first = static_cast<std::int64_t>(returns.size()) * start_rollouts;
      returns.push_back(process.returns_from(z, start_rollouts, options_.seed, first));
      values.insert(values.end(), returns.back().begin(), returns.back().end());
    }
    grid_ = grid_of(std::move(values));
    for (std::vector<double>& each : returns) {
      std::sort(each.begin(), each.end());
      std::vector<double> cdf;
      for (const double x : grid_) {
        const auto up_to = std::upper_bound(each.begin(), each.end(), x) - each.begin();
        cdf.push_back(static_cast<double>(up_to) / static_cast<double>(each.size()));
      }
      expected_.push_back(std::move(cdf));
    }
  }

  // F(x) = mean_i m(x | z_i) + sum_i w_i ( 1{G_i <= x} - m(x | z_i) ), w the weights that sum to one; then the nearest
  // distribution to that.
  StepFunction corrected(std::span<const double> times) const {
    const std::vector<double> weights = weights_with(times);
    const double episodes = std::accumulate(times.begin(), times.end(), 0.0);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<double> share(expected_.size(), 0.0), cdf(grid_.size(), 0.0);
    for (std::size_t i = 0; i < times.size(); ++i) {
      share[start_of_[i]] += times[i] / episodes - weights[i] / total;
      const auto at = std::lower_bound(grid_.begin(), grid_.end(), logged_.returns[i]) - grid_.begin();
      cdf[std::min(static_cast<std::size_t>(at), grid_.size() - 1)] += weights[i] / total;
    }
    std::partial_sum(cdf.begin(), cdf.end(), cdf.begin());
    for (std::size_t z = 0; z < expected_.size(); ++z) {
      for (std::size_t k = 0; k < grid_.size(); ++k) cdf[k] += share[z] * expected_[z][k];
    }
    return from_cdf(grid_, monotone(std::move(cdf)));
  }

  ReturnDistribution answer(const char* name, const Method& method) const {
    const std::vector<double> ones(logged_.returns.size(), 1.0);
    const StepFunction whole = method(ones, 0);
    ReturnDistribution result;
    result.method = name;
    result.mean = whole.mean();
    const std::vector<double> cdf = whole.cdf();
    for (const double x : grid_of(whole.points)) {
      const auto at = std::lower_bound(whole.points.begin(), whole.points.end(), x) - whole.points.begin();
      result.points.push_back(x);
      result.cdf.push_back(cdf[at]);
    }
    const std::vector<double> numbers = risk_numbers(whole, question_);
    const std::vector<std::optional<Interval>> intervals = intervals_of(numbers.size(), method);
    std::size_t at = 0;
    const auto fill = [&](const std::vector<double>& asked, std::vector<RiskNumber>& into) {
      for (const double x : asked) {
        into.push_back({.at = x, .value = numbers[at], .interval = intervals[at]});
        ++at;
      }
    };
    fill(question_.quantiles, result.quantiles);
    fill(question_.cvar, result.cvar);
    fill(question_.below, result.below);
    return result;
  }

  // Percentiles of the replicates, two-sided. Equal ends are an interval too: a quantile of few values has that.
  std::vector<std::optional<Interval>> intervals_of(std::size_t count, const Method& method) const {
    std::vector<std::optional<Interval>> intervals(count);
    if (!options_.level || options_.replicates < 10) return intervals;
    const ReplicateCounts counts(problem_.data(), options_.seed);
    std::vector<std::vector<double>> numbers(options_.replicates);
    parallel_for(options_.replicates, options_.threads, [&](std::int64_t b) {
      const std::vector<double> times = counts.of_replicate(b);
      const std::vector<double> weights = weights_with(times);
      if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0.0; })) return;
      numbers[b] = risk_numbers(method(times, b + 1), question_);
    });
    std::erase_if(numbers, [](const std::vector<double>& each) { return each.empty(); });
    if (numbers.size() < 10) return intervals;
    const double tail = 0.5 * (1.0 - options_.level->probability());
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> sorted;
      for (const auto& each : numbers) sorted.push_back(each[k]);
      std::sort(sorted.begin(), sorted.end());
      Interval& interval = intervals[k].emplace();
      interval.lower = sorted_quantile(sorted, tail);
      interval.upper = sorted_quantile(sorted, 1.0 - tail);
      interval.level = options_.level->probability();
      interval.method = name(IntervalMethod::bootstrap_percentile);
    }
    return intervals;
  }

  const Problem& problem_;
  const RiskQuestion& question_;
  const RiskOptions& options_;
  WeightedReturns logged_;
  std::optional<Problem> seen_{};
  std::optional<Labels> labels_{};
  ProcessTrial trial_{};
  double shape_error_ = 0.0;  // of the process
  std::optional<std::int64_t> horizon_{};
  std::vector<std::size_t> start_of_{};          // of every episode: which of the cells below
  std::vector<std::vector<double>> expected_{};  // by cell of start: the distribution on the grid
  std::vector<double> grid_{};
};

void check(const RiskQuestion& question) {
  const auto refuse = [](const char* what, double x, const char* rule) {
    throw InvalidArgument(fmt::format("{} {}: {}", what, x, rule));
  };
  for (const double p : question.quantiles) {
    if (!(p > 0.0 && p < 1.0)) refuse("quantile", p, "a probability between 0 and 1 is needed");
  }
  for (const double share : question.cvar) {
    if (!(share > 0.0 && share <= 1.0)) refuse("cvar", share, "a share above 0 and at most 1 is needed");
  }
  for (const double x : question.below) {
    if (!std::isfinite(x)) refuse("below", x, "a finite return is needed");
  }
}

}  // namespace

std::vector<ReturnDistribution> return_distributions(const Problem& problem, const RiskQuestion& question,
                                                     const RiskOptions& options) {
  check(question);
  return Distributions(problem, question, options).run();
}

}  // namespace starope
