#include "starope/evaluate/shard_finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "starope/auto/auto_report.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/record_bytes.hpp"
#include "starope/inference/block_replicates.hpp"
#include "starope/inference/interval_of.hpp"
#include "starope/stats/jackknife.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

constexpr const char* grouped = "jackknife";

// Groups are of different sizes, and what the spread of their scores says of the error is a little off: made to agree.
std::vector<double> in_unit_of(double std_error, std::vector<double> scores) {
  const Moments all = moments(scores);
  const double factor = all.standard_error() > 0.0 ? std_error / all.standard_error() : 1.0;
  for (double& score : scores) score = factor * (score - all.mean());
  return scores;
}

// Influence values of all episodes, where there was a pass for them.
using Given = const std::vector<double>*;

// All groups, and all but one each: from both sides, because nothing can be taken out of a sum. The influence values
// are those of groups, not of episodes, unless they are given.
template <class Sums, class Value>
void add_errors(Estimate& estimate, Given influence, const Grouped<Sums>& groups, const std::vector<double>& episodes,
                const Value& value) {
  if (influence != nullptr) {
    estimate.influence = *influence;
    if (influence->size() > 1) estimate.std_error = moments(*influence).standard_error();
    return;
  }
  std::vector<std::size_t> used;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (episodes[g] > 0.0) used.push_back(g);
  }
  if (used.size() < 2) return;
  std::vector<Sums> behind(used.size(), groups[used.back()]);  // the groups from this one on
  for (std::size_t k = used.size() - 1; k-- > 0;) {
    behind[k] = groups[used[k]];
    behind[k] += behind[k + 1];
  }
  std::vector<double> left_out, sizes;
  std::optional<Sums> before;
  try {
    for (std::size_t k = 0; k < used.size(); ++k) {
      std::optional<Sums> others = before;
      if (k + 1 < used.size()) {
        if (others) *others += behind[k + 1];
        if (!others) others = behind[k + 1];
      }
      left_out.push_back(value(*others));
      sizes.push_back(episodes[used[k]]);
      if (before) *before += groups[used[k]];
      if (!before) before = groups[used[k]];
    }
  } catch (const DegenerateModel&) {
    return;  // one group decides everything: there is no error to be had, and that is said
  }
  JackknifeError error = jackknife(estimate.value, left_out, sizes);
  if (!std::isfinite(error.std_error)) return;
  estimate.std_error = error.std_error;
  estimate.influence = in_unit_of(error.std_error, std::move(error.scores));
}

template <class Sums, class Episodes>
std::vector<double> sizes_of(const Grouped<Sums>& groups, const Episodes& episodes) {
  std::vector<double> sizes;
  for (const Sums& each : groups) sizes.push_back(episodes(each));
  return sizes;
}

Estimate mean_of_scores(const Grouped<ScoreSums>& groups, Given influence) {
  const auto value = [](const ScoreSums& all) { return all.scores.plain().mean(); };
  Estimate estimate{.value = value(total_of(groups))};
  add_errors(estimate, influence, groups, sizes_of(groups, [](const ScoreSums& g) { return g.scores.plain().times(); }),
             value);
  return estimate;
}

void set_detail(std::vector<Detail>& details, std::string_view name, double value) {
  for (Detail& detail : details) {
    if (detail.name == name) detail.value = value;
  }
}

// The steps that a reward may be earned in, discounted.
ValueRange possible_values(const AutoCounts& all, const ProblemOptions& question) {
  double steps = 0.0, weight = 1.0;
  for (std::int64_t t = 0; t < question.horizon->steps(); ++t, weight *= question.discount.gamma()) steps += weight;
  return {.lower = all.lowest * steps, .upper = all.highest * steps};
}

struct Finish {
  const ShardSums& sums;
  double ess = 0.0;
  double mean_weight = 0.0;
  Given influence = nullptr;

  Estimate operator()(const Grouped<ScoreSums>& groups) const {
    Estimate estimate = mean_of_scores(groups, influence);
    if (return_fold(groups.front()).score.weight == ReturnWeight::none) {
      estimate.ess = static_cast<double>(sums.logs.survey.episodes);
    } else {
      add_weight_findings(estimate, false);
    }
    return estimate;
  }
  Estimate operator()(const Grouped<WisSums>& groups) const {
    const auto value = [](const WisSums& all) { return WisValue(all).value(); };
    Estimate estimate{.value = value(total_of(groups))};
    add_errors(estimate, influence, groups, sizes_of(groups, [](const WisSums& g) { return g.episodes; }), value);
    add_weight_findings(estimate, true);
    return estimate;
  }
  Estimate operator()(const Grouped<WpdisSums>& groups) const {
    const auto value = [](const WpdisSums& all) { return WpdisValue(all).value(); };
    const WpdisValue all(total_of(groups));
    Estimate estimate{.value = all.value()};
    add_errors(estimate, influence, groups, sizes_of(groups, [](const WpdisSums& g) { return g.episodes; }), value);
    if (all.unsupported_from())
      estimate.findings.push_back({Severity::critical, "no_support", {{"step", *all.unsupported_from()}}});
    add_weight_findings(estimate, true);
    return estimate;
  }
  Estimate operator()(const StarSums& counted) const {
    const Star star{
        .clip = counted.options.clip, .truncation = counted.options.truncation, .time = counted.options.time};
    Estimate estimate = estimate_from(star, total_of(counted.process), counted.weights, counted.logs, counted.asked);
    add_errors(estimate, influence, counted.process,
               sizes_of(counted.process, [](const ArpStatistic& g) { return g.episodes; }),
               [&](const ArpStatistic& all) { return value_from(star, all, counted.asked); });
    return estimate;
  }
  // What the models may be wrong by is what it was where they were fitted; sampling errors are those of all episodes.
  Estimate operator()(const AutoCounted& counted) const {
    const AutoModel& model = *counted.model;
    const AutoCounts all = total_of(counted.counts);
    const std::vector<double> values = part_values(model, all);
    Estimate estimate{.value = mixed_value(model, all), .details = counted.details, .families = counted.families};
    add_errors(estimate, influence, counted.counts,
               sizes_of(counted.counts, [](const AutoCounts& g) { return g.episodes; }),
               [&](const AutoCounts& some) { return mixed_value(model, some); });
    AnswerErrors errors = model.errors();
    const double sampling = estimate.std_error.value_or(0.0);
    errors.score = sampling * sampling;
    errors.half *= static_cast<double>(model.fitted().episodes) / all.episodes;
    errors.spread = 0.0;
    for (std::size_t part = 0; part < values.size(); ++part) {
      const double apart = values[part] - estimate.value;
      errors.spread += model.parts()[part].weight * apart * apart;
      for (FamilyAnswer& family : estimate.families) {
        if (family.family == name_of(model.parts()[part].family)) family.value = values[part];
      }
    }
    if (estimate.std_error) estimate.std_error = std::sqrt(errors.total());
    set_detail(estimate.details, "error_score", sampling);
    set_detail(estimate.details, "error_half", std::sqrt(errors.half));
    set_detail(estimate.details, "error_families", std::sqrt(errors.spread));
    estimate.ess = effective_episodes(counted.weights, counted.logs.survey);
    add_auto_findings(estimate, counted, all);
    return estimate;
  }

 private:
  void add_weight_findings(Estimate& estimate, bool weighted) const {
    estimate.ess = ess;
    const auto few = low_ess(ess, sums.logs.survey.episodes);
    if (few) estimate.findings.push_back(*few);
    if (const auto missing = missing_weight(mean_weight, sums.logs.survey.episodes); missing && !(few && weighted))
      estimate.findings.push_back(*missing);
  }

  // Those of the fit, and anew what all parts decide.
  void add_auto_findings(Estimate& estimate, const AutoCounted& counted, const AutoCounts& all) const {
    for (const Finding& finding : counted.findings) {
      if (finding.code != "low_ess" && finding.code != "impossible_value") estimate.findings.push_back(finding);
    }
    limit_to_possible_values(estimate, possible_values(all, counted.model->question()));
    if (auto finding = low_ess(*estimate.ess, sums.logs.survey.episodes)) estimate.findings.push_back(*finding);
  }
};

Finish finisher(const ShardSums& sums) {
  Finish finish{.sums = sums};
  if (sums.weights.empty) return finish;
  const double root = sums.squares.sum / sums.weights.sum;
  finish.ess = Scaled{sums.weights.sum / root, 2 * sums.weights.scale - sums.squares.scale}.to_double();
  finish.mean_weight = sums.weights.to_double() / static_cast<double>(sums.logs.survey.episodes);
  return finish;
}

void name_method(std::optional<Interval>& interval) {
  if (interval) interval->method = grouped;
}

// What was scored are groups of episodes, and the finding must not call them episodes.
void name_groups(std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    if (finding.code != "fragile_standard_error") continue;
    const std::vector<FindingParameter> said = std::move(finding.parameters);  // scores, and episodes
    finding = {
        Severity::warning, "fragile_grouped_error", {{"scores", said.at(0).value}, {"groups", said.at(1).value}}};
  }
}

}  // namespace

ScoreFold<ReturnScore> return_fold(const std::string& name, const ProblemOptions& question) {
  const ReturnWeight weight = name == "naive" ? ReturnWeight::none
                              : name == "is"  ? ReturnWeight::whole
                                              : ReturnWeight::per_decision;
  return make_return_fold(weight, question);
}

ScoreFold<ReturnScore> return_fold(const ScoreSums& sums) {
  for (const char* name : {"naive", "is", "pdis"}) {
    ScoreFold<ReturnScore> fold = return_fold(name, sums.recipe.question);
    if (fold.recipe == sums.recipe) return fold;
  }
  throw InvalidArgument("these sums are of an estimator that this program does not know");
}

namespace {

// What passes after the counting found, where there were any.
struct LaterPasses {
  const ShardInfluence* influence = nullptr;
  const ReplicateAnswers* replicates = nullptr;
};

// The interval of a bootstrap; none where the estimator has no replicates.
std::optional<MadeInterval> bootstrapped(const Estimate& estimate, const ReplicateAnswers* replicates,
                                         std::size_t place, const EvaluateOptions& options) {
  if (replicates == nullptr || !options.level) return std::nullopt;
  const auto& [values, failed] = replicates->estimators[place];
  if (values.empty() && failed == 0) return std::nullopt;
  const Replicates found{.values = values, .errors = {}, .failed = failed};
  return interval_from_replicates(
      estimate, [&](const ReplicateOptions&) { return found; }, options.interval, usual_block_replicates,
      *options.level, options.threads);
}

Evaluation finished_sums(const ShardSums& sums, const LaterPasses& passes, const EvaluateOptions& options) {
  const ShardInfluence* influence = passes.influence;
  Finish finish = finisher(sums);
  Evaluation evaluation;
  evaluation.data = describe_data(sums.logs, sums.question, finish.ess);
  evaluation.data.file = options.file;
  std::vector<Finding> checked = sums.checked;
  add_worst(checked, sums.between_parts());
  put_first(evaluation.data.findings, std::move(checked));
  add_findings(evaluation.data, sums.noted);
  if (options.level) evaluation.level = options.level->probability();
  const Estimate logged = mean_of_scores(sums.logged, influence != nullptr ? &influence->logged : nullptr);
  Decision decision(logged, options);
  for (const CountedEstimator& each : sums.estimators) {
    const std::size_t place = evaluation.estimates.size();
    try {
      if (influence != nullptr) finish.influence = &influence->estimators[place];
      Estimate estimate = std::visit(finish, each.sums);
      // Bytes may say that others took part in one sum than in the other: then there are no pairs.
      if (estimate.influence.empty() || estimate.influence.size() == logged.influence.size())
        decision.compare(place, estimate);
      auto interval = bootstrapped(estimate, passes.replicates, place, options);
      Answer answer = finished(each.text, std::move(estimate), options, std::move(interval));
      // Without values of episodes the parts were the units.
      if (auto* made = std::get_if<Estimate>(&answer.result); made != nullptr && influence == nullptr) {
        name_method(made->interval);
        name_groups(made->findings);
      }
      evaluation.estimates.push_back(std::move(answer));
    } catch (...) {
      evaluation.estimates.push_back({.estimator = each.text, .result = failure_of(std::current_exception())});
    }
  }
  decision.decide(evaluation);
  if (evaluation.difference && influence == nullptr) name_method(evaluation.difference->interval);
  return evaluation;
}

}  // namespace

Evaluation finish(const ShardSums& sums, const std::optional<Level>& level) {
  return finished_sums(sums, {}, {.level = level});
}

namespace {

void expect_all_episodes(const ShardSums& sums, const ShardInfluence& influence) {
  const auto episodes = static_cast<std::size_t>(sums.logs.survey.episodes);
  bool fits = influence.estimators.size() == sums.estimators.size() && influence.logged.size() == episodes;
  for (const std::vector<double>& each : influence.estimators) fits = fits && (each.empty() || each.size() == episodes);
  if (fits) return;
  throw InvalidArgument(fmt::format(
      "the influence of {} on {} was given, for sums of {} and {}: those of all parts are needed, each once",
      counted(static_cast<std::int64_t>(influence.logged.size()), "episode"),
      counted(static_cast<std::int64_t>(influence.estimators.size()), "estimator"),
      counted(sums.logs.survey.episodes, "episode"),
      counted(static_cast<std::int64_t>(sums.estimators.size()), "estimator")));
}

void expect_all_replicates(const ShardSums& sums, const ReplicateAnswers& replicates, const IntervalRecipe& recipe) {
  const std::int64_t wanted = recipe.replicates.value_or(usual_block_replicates);
  bool fits = replicates.estimators.size() == sums.estimators.size();
  for (const auto& [values, failed] : replicates.estimators) {
    const std::int64_t given = static_cast<std::int64_t>(values.size()) + failed;
    fits = fits && (given == 0 || given == wanted);
  }
  if (fits) return;
  throw InvalidArgument(fmt::format("what {} say in {} is needed: every run of them, once",
                                    counted(static_cast<std::int64_t>(sums.estimators.size()), "estimator"),
                                    counted(wanted, "replicate")));
}

}  // namespace

Evaluation finish(const ShardSums& sums, const ShardInfluence& influence, const EvaluateOptions& options) {
  expect_all_episodes(sums, influence);
  return finished_sums(sums, {.influence = &influence}, options);
}

Evaluation finish(const ShardSums& sums, const ShardInfluence& influence, const ReplicateAnswers& replicates,
                  const EvaluateOptions& options) {
  expect_all_episodes(sums, influence);
  expect_all_replicates(sums, replicates, options.interval);
  return finished_sums(sums, {.influence = &influence, .replicates = &replicates}, options);
}

}  // namespace starope
