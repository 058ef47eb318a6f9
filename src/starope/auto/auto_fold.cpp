#include "starope/auto/auto_fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "starope/auto/auto_report.hpp"
#include "starope/auto/automatic.hpp"
#include "starope/data/sample_places.hpp"
#include "starope/estimators/effective_size.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/seen_logs.hpp"
#include "starope/fold/fold.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// Logs in memory, and logs that come in blocks: both as blocks of a question.
struct MemoryBlocks {
  const Problem& problem;
  Threads threads;

  SeenLogs seen(const ProblemOptions& question) const { return seen_logs(problem.with(question)); }
  Problem sample(std::int64_t steps, const ProblemOptions& question) const {
    return problem.with(question).take(sample_places(dataset_source(problem.data()), steps));
  }
  template <class Part, class Absorb>
  void each(const ProblemOptions& question, const Part& part, Absorb absorb) const {
    const Problem asked = problem.with(question);
    const std::vector<EpisodeRange> blocks = make_blocks(problem.data());
    ordered_merge(
        static_cast<std::int64_t>(blocks.size()), threads,
        [&](std::int64_t b) {
          const EpisodeRange range = blocks[b];
          std::vector<std::int64_t> episodes(range.last - range.first);
          std::iota(episodes.begin(), episodes.end(), range.first);
          return part(asked.take(episodes));
        },
        std::move(absorb));
  }
};

struct SourceBlocks {
  const Source& source;
  Threads threads;

  SeenLogs seen(const ProblemOptions& question) const { return seen_logs(source, question, threads); }
  Problem sample(std::int64_t steps, const ProblemOptions& question) const {
    return make_problem(sample_episodes(source, steps).episodes, question);
  }
  template <class Part, class Absorb>
  void each(const ProblemOptions& question, const Part& part, Absorb absorb) const {
    for_each_block(source, question, threads, part, std::move(absorb));
  }
};

// The second pass.
struct BlockScores {
  AutoScores scores{};
  WeightSums weights{};
  double lowest = 0.0, highest = 0.0;  // reward
};

struct Totals {
  ScoreMoments mixed{};
  std::vector<Moments> families{};
  WeightSums weights{};
  double lowest = 0.0, highest = 0.0;
  std::vector<double> scores{};  // where they are kept
};

BlockScores score_block(const AutoModel& model, const AutoSums& sums, const WeightFold& weights, const Problem& block) {
  BlockScores part{.scores = model.score(block, sums), .weights = weights.identity()};
  for (std::int64_t i = 0; i < block.episodes(); ++i) {
    const LoggedEpisode episode = block.episode(i);
    weights.add(part.weights, episode);
    for (const double r : episode.rewards) {
      part.lowest = std::min(part.lowest, r);
      part.highest = std::max(part.highest, r);
    }
  }
  return part;
}

template <class Blocks>
Totals fold_scores(const AutoModel& model, const Blocks& blocks, const Survey& survey, bool keep_scores) {
  AutoSums sums = model.identity();
  if (model.needs_sums()) {
    blocks.each(
        model.question(),
        [&](const Problem& block) {
          AutoSums part = model.identity();
          model.add_block(part, block);
          return part;
        },
        [&](const AutoSums& part) { sums += part; });
  }
  const WeightFold weights{.rule = make_weight_rule(survey, Clip::last(1), 1.0), .question = model.question()};
  Totals totals{.families = std::vector<Moments>(model.parts().size()), .weights = weights.identity()};
  blocks.each(
      model.question(), [&](const Problem& block) { return score_block(model, sums, weights, block); },
      [&](const BlockScores& part) {
        for (const double s : part.scores.mixed) totals.mixed.add(s);
        for (std::size_t f = 0; f < totals.families.size(); ++f) {
          for (const double s : part.scores.families[f]) totals.families[f].add(s);
        }
        if (keep_scores) totals.scores.insert(totals.scores.end(), part.scores.mixed.begin(), part.scores.mixed.end());
        totals.weights += part.weights;
        totals.lowest = std::min(totals.lowest, part.lowest);
        totals.highest = std::max(totals.highest, part.highest);
      });
  return totals;
}

// What the scores of all episodes say, where the fit knew those of the sample. Sampling errors are those of all of
// them; what the models may be wrong by is what it was on the sample.
void replace_answer(AutoFit& fit, const AutoModel& model, const Totals& totals) {
  WeighedAnswer& answer = fit.answer;
  const Moments& mixed = totals.mixed.plain();
  answer.value = mixed.mean();
  for (std::size_t f = 0; f < model.parts().size(); ++f) {
    for (WeighedFamily& family : answer.families) {
      if (family.kind != model.parts()[f].family) continue;
      family.value = totals.families[f].mean();
      family.std_error = totals.families[f].standard_error();
    }
  }
  AnswerErrors& errors = answer.errors;
  errors.score = mixed.standard_error() * mixed.standard_error();
  errors.half *= static_cast<double>(model.fitted().episodes) / mixed.times();
  errors.spread = 0.0;
  for (const WeighedFamily& family : answer.families) {
    const double apart = family.value - answer.value;
    errors.spread += family.weight * apart * apart;
  }
}

template <class Blocks>
FittedAuto estimate_blocks(const Auto& automatic, const Blocks& blocks, ProblemOptions question, const SeenLogs& logs,
                           const AutoHorizon& horizon, const EstimateOptions& options, bool keep_scores,
                           const AutoSample& sample) {
  ProblemOptions without = question;
  without.horizon.reset();
  // Which episodes are sampled is a matter of all their steps, how many of those that count.
  const std::int64_t logged = question.horizon ? blocks.seen(without).survey.steps : logs.survey.steps;
  const bool as_asked = question.horizon == Horizon{horizon.steps};
  question.horizon = Horizon{horizon.steps};
  const Survey survey = as_asked ? logs.survey : blocks.seen(question).survey;
  const Problem fitted = blocks.sample(sample.logged_steps_of(survey.steps, logged), question);
  std::optional<FamilyModels> models;
  AutoFit fit = weigh_families(automatic, fitted, horizon, options, &models);
  AutoModel model(std::move(*models), fit.answer, {.episodes = fitted.episodes(), .steps = fitted.steps()});
  Totals totals = fold_scores(model, blocks, survey, keep_scores);

  replace_answer(fit, model, totals);
  Estimate& estimate = fit.estimate;
  estimate.value = fit.answer.value;
  estimate.std_error = std::sqrt(fit.answer.errors.total());
  estimate.influence = std::move(totals.scores);
  for (double& s : estimate.influence) s -= estimate.value;
  fit.scores = totals.mixed.effective_scores();
  if (!keep_scores) estimate.spread = spread_of(totals.mixed);
  estimate.ess = effective_episodes(totals.weights, survey);
  limit_to_possible_values(fit, {totals.lowest, totals.highest}, question.discount);
  report(fit, automatic, fitted.with(model.question()));
  estimate.details.push_back(
      {.name = "fitted_steps",
       .value = static_cast<double>(fitted.steps()),
       .meaning = "of a sample of the episodes, to which the models are fitted; all are scored"});
  return {.model = std::move(model), .estimate = std::move(fit.estimate)};
}

}  // namespace

std::int64_t AutoSample::steps_of(std::int64_t steps) const {
  return std::min(steps, all_up_to);
}

std::int64_t AutoSample::logged_steps_of(std::int64_t counting, std::int64_t logged) const {
  const double share = static_cast<double>(steps_of(counting)) / static_cast<double>(counting);
  return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(logged)));
}

Estimate estimate_on_sample(const Auto& automatic, const Problem& problem, const EstimateOptions& options,
                            const AutoSample& sample) {
  const SeenLogs logs = seen_logs(problem);
  return estimate_blocks(automatic, MemoryBlocks{problem, options.threads}, problem.options(), logs,
                         auto_horizon(logs, problem.horizon()), options, true, sample)
      .estimate;
}

FittedAuto fit_model(const Auto& automatic, const Source& source, const ProblemOptions& question,
                     const EstimateOptions& options, const AutoSample& sample) {
  const SeenLogs logs = seen_logs(source, question, options.threads);
  return estimate_blocks(automatic, SourceBlocks{source, options.threads}, question, logs,
                         auto_horizon(logs, question.horizon), options, false, sample);
}

FittedAuto fit_model_to_sample(const Auto& automatic, const Source& sample, const ProblemOptions& question,
                               const EstimateOptions& options, const WholeLogs& whole, const AutoSample& rule) {
  const std::int64_t counting = whole.seen.survey.steps;
  const Source chosen = dataset_source(sample_episodes(sample, rule.logged_steps_of(counting, whole.steps)).episodes);
  constexpr AutoSample all{.all_up_to = std::numeric_limits<std::int64_t>::max()};
  return estimate_blocks(automatic, SourceBlocks{chosen, options.threads}, question,
                         seen_logs(chosen, question, options.threads), auto_horizon(whole.seen, question.horizon),
                         options, false, all);
}

Estimate estimate(const Auto& automatic, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options, const AutoSample& sample) {
  const SeenLogs logs = seen_logs(source, question, options.threads);
  if (!sample.takes_all(logs.survey.steps)) {
    return estimate_blocks(automatic, SourceBlocks{source, options.threads}, question, logs,
                           auto_horizon(logs, question.horizon), options, options.keep_influence, sample)
        .estimate;
  }
  Estimate whole = fit(automatic, make_problem(read_all(source), question), options).estimate;
  if (options.keep_influence) return whole;
  ScoreMoments scores;
  for (const double x : whole.influence) scores.add(x);
  whole.spread = spread_of(scores);
  whole.influence.clear();
  return whole;
}

Estimate estimate(const Auto& automatic, const Source& source, const ProblemOptions& question,
                  const EstimateOptions& options) {
  return estimate(automatic, source, question, options, AutoSample{});
}

}  // namespace starope
