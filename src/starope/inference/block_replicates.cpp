#include "starope/inference/block_replicates.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "starope/arp/arp_statistic.hpp"
#include "starope/estimators/importance_sums.hpp"
#include "starope/estimators/star.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_kernel.hpp"
#include "starope/inference/replicate_run.hpp"
#include "starope/parallel/parallel_for.hpp"

namespace starope {
namespace {

// The sums of all replicates. prepare(block) makes what is called with (sum, episode, times). Replicates are divided
// among the threads, so that nothing depends on their number.
template <class Statistic, class Prepare>
std::vector<Statistic> replicate_sums(const Statistic& identity, const Source& source, const ProblemOptions& question,
                                      const ReplicateOptions& options, const Prepare& prepare) {
  constexpr auto together = static_cast<std::int64_t>(replicates_together);
  std::vector<Statistic> sums(options.replicates, identity);
  std::int64_t before = 0;
  const Source::Next next = source.open();
  while (const auto data = next()) {
    const Problem block = make_problem(*data, question);
    const auto add = prepare(block);
    const ReplicateCounts counts(block.data(), options.seed, before);
    parallel_for((options.replicates + together - 1) / together, options.threads, [&](std::int64_t group) {
      const std::int64_t first = group * together, last = std::min(options.replicates, first + together);
      std::array<float, replicates_together> times{};
      for (std::int64_t i = 0; i < block.episodes(); ++i) {
        const LoggedEpisode episode = block.episode(i);
        counts.of_episode_together(i, first, times);
        for (std::int64_t b = first; b < last; ++b) {
          const float count = times[replicate_place(static_cast<std::size_t>(b - first))];
          if (count != 0.0F) add(sums[b], episode, static_cast<double>(count));
        }
      }
    });
    before += block.episodes();
  }
  return sums;
}

// value(sum), or nothing where there is none.
template <class Statistic, class Value>
Replicates finished(const std::vector<Statistic>& sums, Threads threads, const Value& value) {
  return run_replicates(static_cast<std::int64_t>(sums.size()), 1, threads,
                        [&](std::int64_t b, std::int64_t, std::vector<std::optional<Replicate>>& all) {
                          all[b] = attempt([&]() -> std::optional<Replicate> {
                            const std::optional<double> found = value(sums[b]);
                            if (!found) return std::nullopt;
                            return Replicate{.value = *found, .error = {}};
                          });
                        });
}

template <class Fold, class Value>
Replicates of_fold(const Fold& fold, const Source& source, const ProblemOptions& question,
                   const ReplicateOptions& options, const Value& value) {
  const auto sums = replicate_sums(fold.identity(), source, question, options, [&](const Problem&) {
    return [&](auto& sum, const LoggedEpisode& episode, double times) { fold.add(sum, episode, times); };
  });
  return finished(sums, options.threads, value);
}

Replicates of_block_mean(ReturnWeight weight, const Source& source, const ProblemOptions& question,
                         const ReplicateOptions& options) {
  return of_fold(make_return_fold(weight, question), source, question, options,
                 [](const ScoreSums& sums) -> std::optional<double> {
                   const Moments& sample = sums.scores.plain();
                   return sample.times() == 0.0 ? std::nullopt : std::optional(sample.mean());
                 });
}

}  // namespace

Replicates replicates(const Naive& /*estimator*/, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options) {
  return of_block_mean(ReturnWeight::none, source, question, options);
}

Replicates replicates(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options) {
  if (!estimator.weighted)
    return of_block_mean(estimator.per_decision ? ReturnWeight::per_decision : ReturnWeight::whole, source, question,
                         options);
  const auto value = [](const auto& made, const auto& sums) -> std::optional<double> {
    return sums.episodes == 0.0 ? std::nullopt : std::optional(made(sums).value());
  };
  if (estimator.per_decision) {
    return of_fold(WpdisFold{question}, source, question, options, [&](const WpdisSums& sums) {
      return value([](const WpdisSums& s) { return WpdisValue(s); }, sums);
    });
  }
  return of_fold(WisFold{question}, source, question, options,
                 [&](const WisSums& sums) { return value([](const WisSums& s) { return WisValue(s); }, sums); });
}

Replicates replicates(const Star& star, const Phi& phi, const SeenLogs& logs, const Source& source,
                      const ProblemOptions& question, const ReplicateOptions& options) {
  const ArpOptions how{.clip = star.clip, .truncation = star.truncation, .time = star.time};
  const ArpBlockFold recipe{.phi = phi, .options = how, .whole = logs.survey, .question = question};
  const auto sums = replicate_sums(recipe.identity(), source, question, options, [&](const Problem& block) {
    // Labels and fold of the block live as long as what uses them.
    auto labels = std::make_shared<Labels>(phi.label(block.data(), options.threads));
    auto op = std::make_shared<ArpFold>(*labels, block, how, logs.survey);
    return
        [labels, op](ArpStatistic& sum, const LoggedEpisode& episode, double times) { op->add(sum, episode, times); };
  });
  return finished(sums, options.threads, [&](const ArpStatistic& sum) -> std::optional<double> {
    if (sum.episodes == 0.0) return std::nullopt;
    return value_from(star, sum, question);
  });
}

double replicate_bytes(const Phi& phi, const SeenLogs& logs, TimeModel time, std::int64_t replicates) {
  const auto cells = static_cast<double>(phi.cells());
  const double all = time == TimeModel::pooled ? cells : cells * static_cast<double>(logs.survey.longest);
  const double moves = time == TimeModel::pooled ? cells * cells : all * cells;
  // Moves that were never seen take no memory where there are many cells.
  const double seen = std::min(moves, static_cast<double>(logs.survey.steps));
  const bool dense = all <= static_cast<double>(MoveCounts::most_dense_cells);
  constexpr double bytes_of_entry = 24.0;
  return static_cast<double>(replicates) * 8.0 * (4.0 * all + (dense ? all * all : bytes_of_entry / 8.0 * seen));
}

}  // namespace starope
