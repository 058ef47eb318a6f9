#include "starope/estimators/step_terms.hpp"

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/estimators/replicate_sums.hpp"
#include "starope/fold/fold.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

// Sums over episodes by time. `ended[t]`: the last products of episodes of length t, which stay in all denominators
// from t on.
template <class Sum>
struct SumsByTime {
  std::vector<Sum> residual{}, value{}, weight{}, ended{};

  std::size_t size() const { return residual.size(); }
  void resize(std::size_t steps) {
    for (auto* sums : {&residual, &value, &weight, &ended}) sums->resize(steps);
  }
  SumsByTime& operator+=(const SumsByTime& other) {
    if (size() < other.size()) resize(other.size());
    for (std::size_t t = 0; t < other.size(); ++t) {
      residual[t] += other.residual[t];
      value[t] += other.value[t];
      weight[t] += other.weight[t];
      ended[t] += other.ended[t];
    }
    return *this;
  }
};

// An episode's terms in the order of time: use(t, value, residual, weight), and its last product.
template <class Use>
Scaled for_each_term(const LoggedEpisode& episode, const StepTerms& terms, const Use& use) {
  Scaled product;
  for (std::size_t t = 0; t < episode.ratios.size(); ++t) {
    const std::size_t row = static_cast<std::size_t>(episode.first_row) + t;
    const Scaled value = product * Scaled::of(terms.value[row]);
    product = product * Scaled::of(episode.ratios[t]);
    use(t, value, product * Scaled::of(terms.residual[row]), product);
  }
  return product;
}

WeightedTerms finished(const SumsByTime<ScaledSum>& sums, double episodes) {
  WeightedTerms result;
  const std::size_t longest = sums.size() == 0 ? 0 : sums.size() - 1;
  result.weight.resize(longest);
  result.residual.assign(longest, 0.0);
  result.value.assign(longest, 0.0);
  ScaledSum gone, before;
  before.add(Scaled::of(episodes));
  for (std::size_t t = 0; t < longest; ++t) {
    gone += sums.ended[t];
    ScaledSum& all = result.weight[t] = sums.weight[t];
    all += gone;
    if (before.sum != 0.0) result.value[t] = ratio(sums.value[t], before);
    if (all.sum != 0.0) result.residual[t] = ratio(sums.residual[t], all);
    before = all;
  }
  return result;
}

struct TimeSumsFold {
  using Statistic = SumsByTime<ScaledSum>;
  const StepTerms& terms;
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    const std::size_t length = episode.ratios.size();
    if (total.size() < length + 1) total.resize(length + 1);
    const Scaled last = for_each_term(episode, terms, [&](std::size_t t, Scaled value, Scaled residual, Scaled weight) {
      total.value[t].add(value);
      total.residual[t].add(residual);
      total.weight[t].add(weight);
    });
    total.ended[length].add(last);
  }
};

// The sums of many replicates of the bootstrap at once: an episode's terms are the same in all, but for their number.
// Episodes wait until there are so many that adding them is a product of matrices.
class ReplicateTimeSums {
 public:
  explicit ReplicateTimeSums(std::size_t replicates) : episodes_(replicates, 0.0) {}

  // `times`: how often the episode counts in every replicate.
  void add(const LoggedEpisode& episode, const StepTerms& terms, std::span<const double> times) {
    const std::size_t length = episode.ratios.size();
    const std::size_t longest = std::max(terms_.size(), length + 1);
    if (waiting_ == most_waiting || (waiting_ + 1) * longest > most_waiting_steps) finish();
    times_.resize(waiting_ * episodes_.size());
    times_.insert(times_.end(), times.begin(), times.end());
    if (terms_.size() < length + 1) terms_.resize(length + 1);
    const auto at = [&](std::size_t t, Column column) -> Scaled& {
      terms_[t].resize((waiting_ + 1) * columns, Scaled{0.0, 0});
      return terms_[t][waiting_ * columns + column];
    };
    at(length, end) = for_each_term(episode, terms, [&](std::size_t t, Scaled v, Scaled r, Scaled w) {
      at(t, value) = v;
      at(t, residual) = r;
      at(t, weight) = w;
    });
    ++waiting_;
  }

  ReplicateTimeSums& operator+=(const ReplicateTimeSums& other) {
    finish();
    by_time_ += other.by_time_;
    for (std::size_t b = 0; b < episodes_.size(); ++b) episodes_[b] += other.episodes_[b];
    other.add_waiting_to(*this);
    return *this;
  }

  void finish() {
    add_waiting_to(*this);
    forget_waiting();
  }

  // After finish().
  WeightedTerms of(std::size_t replicate) const {
    STAROPE_ASSERT(waiting_ == 0);
    SumsByTime<ScaledSum> sums;
    sums.resize(by_time_.size());
    for (std::size_t t = 0; t < by_time_.size(); ++t) {
      sums.residual[t] = by_time_.residual[t].at(replicate);
      sums.value[t] = by_time_.value[t].at(replicate);
      sums.weight[t] = by_time_.weight[t].at(replicate);
      sums.ended[t] = by_time_.ended[t].at(replicate);
    }
    return finished(sums, episodes_[replicate]);
  }

 private:
  enum Column : std::size_t { value, residual, weight, end, columns };
  // Long episodes wait in smaller numbers: for memory, and because what waits when a block ends is added while others
  // wait for their turn to merge.
  static constexpr std::size_t most_waiting = 64, most_waiting_steps = 1U << 14U;

  void add_waiting_to(ReplicateTimeSums& total) const {
    const std::size_t count = episodes_.size();
    SumsByTime<ReplicateSums>& sums = total.by_time_;
    if (sums.size() < terms_.size()) sums.resize(terms_.size());
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      // The last ones may be over before t.
      const std::size_t here = terms_[t].size() / columns;
      if (here == 0) continue;
      ReplicateSums* at[columns];
      at[value] = &sums.value[t];
      at[residual] = &sums.residual[t];
      at[weight] = &sums.weight[t];
      at[end] = &sums.ended[t];
      ReplicateSums::add_all(at, terms_[t], std::span(times_).first(here * count), count);
    }
    for (std::size_t i = 0; i < waiting_ * count; ++i) total.episodes_[i % count] += times_[i];
  }
  void forget_waiting() {
    waiting_ = 0;
    for (auto& terms : terms_) terms.clear();
  }

  SumsByTime<ReplicateSums> by_time_{};
  std::vector<double> episodes_;  // of every replicate
  std::size_t waiting_ = 0;
  std::vector<double> times_{};               // waiting x replicates
  std::vector<std::vector<Scaled>> terms_{};  // by time: waiting x columns
};

// Replicates first .. first + count - 1 of the bootstrap.
struct BootstrapFold {
  using Statistic = ReplicateTimeSums;
  const StepTerms& terms;
  Seed seed;
  std::uint32_t first = 0;
  std::size_t count = 0;
  Statistic identity() const { return Statistic(count); }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    std::vector<double> times(count);
    for (std::size_t b = 0; b < count; ++b) {
      times[b] = poisson_one(random_bits(seed, Stream::bootstrap, static_cast<std::uint64_t>(episode.index),
                                         first + static_cast<std::uint32_t>(b)));
    }
    total.add(episode, terms, times);
  }
};

// x * term / weight, in the range of double although x and weight may not be.
double share(Scaled x, const ScaledSum& weight) {
  return weight.sum == 0.0 ? 0.0 : x.relative_to(weight.scale) / weight.sum;
}

}  // namespace

StepTerms step_terms(const QValues& q, const QLogs& logs) {
  const auto steps = static_cast<std::size_t>(logs.problem().data().steps());
  StepTerms terms{.residual = std::vector<double>(steps, 0.0), .value = std::vector<double>(steps, 0.0)};
  for (std::int64_t i = 0; i < logs.problem().episodes(); ++i) {
    const LoggedEpisode episode = logs.problem().episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const LoggedStep step = logs.step(episode, t);
      const auto row = step.row;
      terms.residual[row] = step.reward - q.at(step.row)[step.action];
      terms.value[row] = mean_over_actions(logs.target(step.row), q.at(step.row));
    }
  }
  return terms;
}

WeightedTerms weighted_terms(const Problem& problem, const StepTerms& terms, Threads threads) {
  return finished(fold(TimeSumsFold{terms}, problem, {.threads = threads}), static_cast<double>(problem.episodes()));
}

std::size_t supported_steps(const WeightedTerms& sums) {
  std::size_t t = 0;
  while (t < sums.weight.size() && sums.weight[t].sum != 0.0) ++t;
  return t;
}

Blend whole_sum(const WeightedTerms& sums) {
  return {.residual = std::vector<double>(sums.weight.size(), 1.0),
          .value = std::vector<double>(sums.weight.size(), 1.0)};
}

double blended_value(const Problem& problem, const WeightedTerms& sums, const Blend& blend) {
  double value = 0.0, power = 1.0;
  for (std::size_t t = 0; t < sums.weight.size(); ++t, power *= problem.discount().gamma())
    value += power * (blend.residual[t] * sums.residual[t] + blend.value[t] * sums.value[t]);
  return value;
}

std::vector<double> blended_influence(const Problem& problem, const StepTerms& terms, const WeightedTerms& sums,
                                      const Blend& blend, Threads threads) {
  const double g = problem.discount().gamma();
  const std::size_t longest = sums.weight.size();
  const auto n = static_cast<double>(problem.episodes());
  ScaledSum all;
  all.add(Scaled::of(n));
  const auto weight_before = [&](std::size_t t) -> const ScaledSum& { return t == 0 ? all : sums.weight[t - 1]; };

  // Behind the end of an episode its terms are 0 and its product stays: a tail of
  //   - W_last sum_{t >= T} g^t ( x_t residual_t / weight_t + y_t value_t / weight_{t-1} ), a suffix sum for all.
  std::vector<ScaledSum> tail(longest + 1);
  for (std::size_t t = longest; t-- > 0;) {
    tail[t] = tail[t + 1];
    const double power = std::pow(g, static_cast<double>(t));
    const auto add = [&](double mean, const ScaledSum& weight) {
      if (weight.sum == 0.0) return;
      Scaled term = Scaled::of(power * mean / weight.sum);
      if (term.mantissa != 0.0) term.exponent -= weight.scale;
      tail[t].add(term);
    };
    add(blend.residual[t] * sums.residual[t], sums.weight[t]);
    add(blend.value[t] * sums.value[t], weight_before(t));
  }
  std::vector<double> influence(problem.episodes());
  for_each_episode(problem, {.threads = threads}, [&](const LoggedEpisode& episode) {
    Scaled product;
    double score = 0.0, power = 1.0;
    for (std::size_t t = 0; t < episode.ratios.size(); ++t, power *= g) {
      const std::size_t row = static_cast<std::size_t>(episode.first_row) + t;
      score += power * blend.value[t] * share(product, weight_before(t)) * (terms.value[row] - sums.value[t]);
      product = product * Scaled::of(episode.ratios[t]);
      score += power * blend.residual[t] * share(product, sums.weight[t]) * (terms.residual[row] - sums.residual[t]);
    }
    const ScaledSum& rest = tail[episode.ratios.size()];
    Scaled behind = product * Scaled::of(rest.sum);
    if (behind.mantissa != 0.0) behind.exponent += rest.scale;
    influence[episode.index] = n * (score - behind.to_double());
  });
  return influence;
}

namespace {

// What V and Q of a step count: before(t, rho_{0:t-1}) and now(t, rho_{0:t}).
template <class Before, class Now>
std::vector<double> slope_of(const QLogs& logs, const Before& before, const Now& now) {
  const auto actions = static_cast<std::size_t>(logs.actions());
  std::vector<double> slope(static_cast<std::size_t>(logs.problem().data().steps()) * actions, 0.0);
  for (std::int64_t i = 0; i < logs.problem().episodes(); ++i) {
    const LoggedEpisode episode = logs.problem().episode(i);
    Scaled product;
    double power = 1.0;
    for (std::size_t t = 0; t < episode.ratios.size(); ++t, power *= logs.gamma()) {
      const LoggedStep step = logs.step(episode, static_cast<std::int64_t>(t));
      double* out = slope.data() + static_cast<std::size_t>(step.row) * actions;
      const double of_value = power * before(t, product);
      const auto pi = logs.target(step.row);
      for (std::size_t a = 0; a < actions; ++a) out[a] = of_value * pi[a];
      product = product * Scaled::of(step.ratio);
      out[step.action] -= power * now(t, product);
    }
  }
  return slope;
}

}  // namespace

std::vector<double> blended_slope(const QLogs& logs, const WeightedTerms& sums, const Blend& blend) {
  ScaledSum all;
  all.add(Scaled::of(static_cast<double>(logs.problem().episodes())));
  return slope_of(
      logs,
      [&](std::size_t t, Scaled product) { return blend.value[t] * share(product, t == 0 ? all : sums.weight[t - 1]); },
      [&](std::size_t t, Scaled product) { return blend.residual[t] * share(product, sums.weight[t]); });
}

std::vector<double> unweighted_slope(const QLogs& logs) {
  const auto n = static_cast<double>(logs.problem().episodes());
  const auto mean = [n](std::size_t, Scaled product) { return product.to_double() / n; };
  return slope_of(logs, mean, mean);
}

std::vector<double> bootstrap_weighted(const Problem& problem, const StepTerms& terms, std::int64_t replicates,
                                       Seed seed, Threads threads) {
  // So many replicates at once that their sums stay within some tens of megabytes.
  const std::int64_t at_once = std::clamp<std::int64_t>(50'000 / (problem.longest() + 1), 1, replicates);
  std::vector<double> values;
  for (std::int64_t first = 0; first < replicates; first += at_once) {
    const BootstrapFold recipe{.terms = terms,
                               .seed = seed,
                               .first = static_cast<std::uint32_t>(first),
                               .count = static_cast<std::size_t>(std::min(at_once, replicates - first))};
    ReplicateTimeSums sums = fold(recipe, problem, {.threads = threads});
    sums.finish();
    for (std::size_t b = 0; b < recipe.count; ++b) {
      const WeightedTerms terms_of_replicate = sums.of(b);
      values.push_back(blended_value(problem, terms_of_replicate, whole_sum(terms_of_replicate)));
    }
  }
  return values;
}

}  // namespace starope
