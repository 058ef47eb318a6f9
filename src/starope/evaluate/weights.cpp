#include "starope/evaluate/weights.hpp"

#include <algorithm>
#include <cmath>

#include "starope/stats/moments.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

// Products of thousands of ratios leave the range of double; only their quotients matter. In units of the largest,
// every weight is a double in [0, 2^128] (and squares still are in range).
struct CommonUnit {
  std::vector<double> weights{};
  int scale = 0;
};

CommonUnit in_common_unit(const std::vector<Scaled>& products) {
  CommonUnit result;
  bool any = false;
  for (const Scaled& product : products) {
    if (product.mantissa == 0.0) continue;
    result.scale = any ? std::max(result.scale, product.exponent) : product.exponent;
    any = true;
  }
  result.weights.reserve(products.size());
  for (const Scaled& product : products) result.weights.push_back(product.relative_to(result.scale));
  return result;
}

WeightsAt describe_weights(std::int64_t t, const std::vector<Scaled>& products) {
  const CommonUnit common = in_common_unit(products);
  const Moments spread = moments(common.weights);
  double total = 0.0;
  double largest = 0.0;
  std::int64_t zeros = 0;
  std::vector<double> centered;
  centered.reserve(common.weights.size());
  for (const double weight : common.weights) {
    total += weight;
    largest = std::max(largest, weight);
    zeros += weight == 0.0 ? 1 : 0;
    centered.push_back(weight - spread.mean());
  }
  return {.t = t,
          .mean = Scaled{spread.mean(), common.scale}.to_double(),
          .std_error = Scaled{spread.standard_error(), common.scale}.to_double(),
          .ess = effective_sample_size(common.weights),
          .zero_share = static_cast<double>(zeros) / static_cast<double>(products.size()),
          .largest_share = total > 0.0 ? largest / total : 0.0,
          .scores = effective_scores(centered)};
}

}  // namespace

std::vector<std::int64_t> checkpoints(std::int64_t longest) {
  std::vector<std::int64_t> steps;
  for (std::int64_t decade = 1; decade < longest; decade *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (digit * decade < longest) steps.push_back(digit * decade);
    }
  }
  steps.push_back(longest);
  return steps;
}

std::vector<WeightsAt> weights_at(const Problem& problem, const std::vector<std::int64_t>& steps) {
  std::vector<Scaled> products(static_cast<std::size_t>(problem.episodes()));
  std::vector<WeightsAt> result;
  std::int64_t done = 0;
  for (const std::int64_t t : steps) {
    for (std::size_t i = 0; i < products.size(); ++i) {
      const LoggedEpisode episode = problem.episode(static_cast<std::int64_t>(i));
      for (std::int64_t k = done; k < std::min(t, episode.length()); ++k) {
        products[i] = products[i] * Scaled::of(episode.ratios[static_cast<std::size_t>(k)]);
      }
    }
    done = t;
    result.push_back(describe_weights(t, products));
  }
  return result;
}

namespace {

// Episodes one after the other, so that logs in blocks have the bits of logs in memory.
class EssByStep {
 public:
  void add(const LoggedEpisode& episode) {
    if (running_.size() < episode.ratios.size()) running_.resize(episode.ratios.size());
    if (ended_.size() <= episode.ratios.size()) ended_.resize(episode.ratios.size() + 1);
    Scaled product;
    for (std::size_t t = 0; t < episode.ratios.size(); ++t) {
      product = product * Scaled::of(episode.ratios[t]);
      running_[t].add(product);
    }
    ended_[episode.ratios.size()].add(product);
  }

  std::vector<double> finish() const {
    std::vector<double> ess(running_.size(), 0.0);
    Sums finished;
    for (std::size_t t = 0; t < running_.size(); ++t) {
      finished += ended_[t];
      Sums all = finished;
      all += running_[t];
      if (all.weights.empty) continue;  // every weight is zero
      const double root = all.squares.sum / all.weights.sum;
      // (S1 / 2^s)^2 / (S2 / 2^q) with the units 2^(256 s), 2^(256 q) put back.
      ess[t] = Scaled{all.weights.sum / root, 2 * all.weights.scale - all.squares.scale}.to_double();
    }
    return ess;
  }

 private:
  struct Sums {
    ScaledSum weights{};
    ScaledSum squares{};
    void add(const Scaled& weight) {
      weights.add(weight);
      squares.add(weight * weight);
    }
    Sums& operator+=(const Sums& other) {
      weights += other.weights;
      squares += other.squares;
      return *this;
    }
  };
  std::vector<Sums> running_{};  // of the episodes that take step t
  std::vector<Sums> ended_{};    // of the episodes that ended before step t: they keep their last weight
};

}  // namespace

std::vector<double> ess_by_step(const Problem& problem) {
  EssByStep ess;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) ess.add(problem.episode(i));
  return ess.finish();
}

std::vector<double> ess_by_step(const Source& source, const ProblemOptions& question) {
  EssByStep ess;
  const Source::Next next = source.open();
  while (const auto block = next()) {
    const Problem problem = make_problem(*block, question);
    for (std::int64_t i = 0; i < problem.episodes(); ++i) ess.add(problem.episode(i));
  }
  return ess.finish();
}

MeanRatio mean_ratio(const Problem& problem) {
  // sum over the steps of an episode of (rho - 1) has mean 0, however the episode ends: a martingale stopped at its
  // length. Dividing by the mean length turns it into the deviation of the mean ratio from 1.
  Moments excess;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    double sum = 0.0;
    for (const double ratio : problem.episode(i).ratios) sum += ratio - 1.0;
    excess.add(sum);
  }
  const double mean_length = static_cast<double>(problem.steps()) / static_cast<double>(problem.episodes());
  MeanRatio result{.mean = 1.0 + excess.mean() / mean_length};
  if (problem.episodes() > 1) result.std_error = excess.standard_error() / mean_length;
  return result;
}

}  // namespace starope
