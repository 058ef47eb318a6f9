#include "starope/inference/block_replicates.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "starope/estimators/star.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_fold.hpp"

namespace starope {
namespace {

// The sums of all replicates. prepare(block) makes what is called with (sum, episode, times).
template <class Statistic, class Prepare>
std::vector<Statistic> replicate_sums(const Statistic& identity, const Source& source, const ProblemOptions& question,
                                      const ReplicateOptions& options, const Prepare& prepare) {
  std::vector<Statistic> sums(options.replicates, identity);
  std::int64_t before = 0;
  const Source::Next next = source.open();
  while (const auto data = next()) {
    const Problem block = make_problem(*data, question);
    add_replicates(sums, block, ReplicateCounts(block.data(), options.seed, before), options.threads, prepare(block));
    before += block.episodes();
  }
  return sums;
}

template <class Fold>
Replicates of_fold(const Fold& fold, const Source& source, const ProblemOptions& question,
                   const ReplicateOptions& options) {
  const auto sums = replicate_sums(fold.identity(), source, question, options, [&](const Problem&) {
    return [&](auto& sum, const LoggedEpisode& episode, double times) { fold.add(sum, episode, times); };
  });
  return finished_replicates(sums, options.threads, [](const auto& sum) { return replicate_value(sum); });
}

}  // namespace

std::optional<double> replicate_value(const ScoreSums& sums) {
  const Moments& sample = sums.scores.plain();
  return sample.times() == 0.0 ? std::nullopt : std::optional(sample.mean());
}
std::optional<double> replicate_value(const WisSums& sums) {
  return sums.episodes == 0.0 ? std::nullopt : std::optional(WisValue(sums).value());
}
std::optional<double> replicate_value(const WpdisSums& sums) {
  return sums.episodes == 0.0 ? std::nullopt : std::optional(WpdisValue(sums).value());
}
std::optional<double> replicate_value(const Star& star, const ArpStatistic& sums, const ProblemOptions& question) {
  return sums.episodes == 0.0 ? std::nullopt : std::optional(value_from(star, sums, question));
}

Replicates replicates(const Naive& /*estimator*/, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options) {
  return of_fold(make_return_fold(ReturnWeight::none, question), source, question, options);
}

Replicates replicates(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                      const ReplicateOptions& options) {
  if (!estimator.weighted) {
    const ReturnWeight weight = estimator.per_decision ? ReturnWeight::per_decision : ReturnWeight::whole;
    return of_fold(make_return_fold(weight, question), source, question, options);
  }
  if (estimator.per_decision) return of_fold(WpdisFold{question}, source, question, options);
  return of_fold(WisFold{question}, source, question, options);
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
  return finished_replicates(sums, options.threads,
                             [&](const ArpStatistic& sum) { return replicate_value(star, sum, question); });
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
