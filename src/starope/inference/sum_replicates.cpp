#include "starope/inference/sum_replicates.hpp"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "starope/estimators/importance_sums.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_run.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr std::int64_t together = 32;  // replicates whose counts are drawn at once

// The counts of some replicates: a row of episodes for each.
class CountTable {
 public:
  CountTable(const ReplicateCounts& counts, std::int64_t first, std::int64_t last)
      : episodes_(static_cast<std::size_t>(counts.episodes())),
        counts_(static_cast<std::size_t>(last - first) * episodes_) {
    std::vector<double> row(last - first);
    for (std::size_t i = 0; i < episodes_; ++i) {
      counts.of_episode(static_cast<std::int64_t>(i), first, row);
      for (std::size_t b = 0; b < row.size(); ++b) counts_[b * episodes_ + i] = row[b];
    }
  }
  std::span<const double> replicate(std::int64_t index) const {
    return std::span(counts_).subspan(static_cast<std::size_t>(index) * episodes_, episodes_);
  }

 private:
  std::size_t episodes_;
  std::vector<double> counts_;
};

template <class Make>
Replicates for_all(const Problem& problem, const ReplicateOptions& options, const Make& make) {
  const ReplicateCounts counts(problem.data(), options.seed);
  return run_replicates(options.replicates, together, options.threads,
                        [&](std::int64_t first, std::int64_t last, std::vector<std::optional<Replicate>>& all) {
                          const CountTable table(counts, first, last);
                          for (std::int64_t b = first; b < last; ++b) {
                            const auto times = table.replicate(b - first);
                            all[b] = attempt([&] { return make(times); });
                          }
                        });
}

Replicates of_mean(ReturnWeight weight, const Problem& problem, const ReplicateOptions& options) {
  const ReturnScore score = make_return_fold(weight, problem.options()).score;
  std::vector<double> scores(problem.episodes());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = score(problem.episode(static_cast<std::int64_t>(i)));
  return for_all(problem, options, [&](std::span<const double> times) -> std::optional<Replicate> {
    Moments sample;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (times[i] != 0.0) sample.add(scores[i], times[i]);
    }
    if (sample.times() == 0.0) return std::nullopt;
    return Replicate{.value = sample.mean(),
                     .error = options.errors ? std::optional(sample.standard_error()) : std::nullopt};
  });
}

// Sums with `times`, and with what they say the influence of every episode that counts. These have mean zero.
template <class Fold, class Finished>
Replicates of_sums(const Fold& fold, const Problem& problem, const ReplicateOptions& options) {
  return for_all(problem, options, [&](std::span<const double> times) -> std::optional<Replicate> {
    auto sums = fold.identity();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] != 0.0) fold.add(sums, problem.episode(static_cast<std::int64_t>(i)), times[i]);
    }
    if (sums.episodes == 0.0) return std::nullopt;
    const Finished finished(sums);
    Replicate replicate{.value = finished.value(), .error = {}};
    if (!options.errors) return replicate;
    double squares = 0.0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] == 0.0) continue;
      const double x = finished.influence(problem.episode(static_cast<std::int64_t>(i)));
      squares += times[i] * x * x;
    }
    replicate.error = error_of_mean(squares, sums.episodes);
    return replicate;
  });
}

}  // namespace

Replicates replicates(const Naive& /*estimator*/, const Problem& problem, const ReplicateOptions& options) {
  return of_mean(ReturnWeight::none, problem, options);
}

Replicates replicates(const ImportanceSampling& estimator, const Problem& problem, const ReplicateOptions& options) {
  if (!estimator.weighted)
    return of_mean(estimator.per_decision ? ReturnWeight::per_decision : ReturnWeight::whole, problem, options);
  if (estimator.per_decision) return of_sums<WpdisFold, WpdisValue>({problem.options()}, problem, options);
  return of_sums<WisFold, WisValue>({problem.options()}, problem, options);
}

}  // namespace starope
