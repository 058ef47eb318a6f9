#include "starope/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/data/episode_hashes.hpp"
#include "starope/error.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/stats/jackknife.hpp"

namespace starope {
namespace {

// ---- what to count -------------------------------------------------------------------------------------------------

template <class Sums>
Grouped<Sums> groups_of(const Sums& none) {
  return Grouped<Sums>(shard_groups, none);
}

ScoreFold<ReturnScore> return_fold(const std::string& name, const ProblemOptions& question) {
  const ReturnWeight weight = name == "naive" ? ReturnWeight::none
                              : name == "is"  ? ReturnWeight::whole
                                              : ReturnWeight::per_decision;
  return make_return_fold(weight, question);
}

// Which of the mean-of-scores estimators sums are of; their recipe says it.
ScoreFold<ReturnScore> return_fold(const ScoreSums& sums) {
  for (const char* name : {"naive", "is", "pdis"}) {
    ScoreFold<ReturnScore> fold = return_fold(name, sums.recipe.question);
    if (fold.recipe == sums.recipe) return fold;
  }
  throw InvalidArgument("these sums are of an estimator that this program does not know");
}

[[noreturn]] void refuse(const std::string& estimator, const std::string& why) {
  throw InvalidArgument(fmt::format("{} cannot be counted in parts: {}", estimator, why));
}

// Parts must agree on what only all of them together would show.
void check(const NamedEstimator& named, const Star& star, const ProblemOptions& asked, const SeenLogs& logs) {
  if (std::holds_alternative<Time>(star.phi))
    refuse(named.text,
           "its cells are the steps of the longest episode of all parts. Use wpdis, which is nearly the same");
  if (star.rollouts > 0) refuse(named.text, "rollouts are drawn when all parts are there. Leave rollouts= out");
  if (star.time == TimeModel::indexed && !asked.horizon)
    refuse(named.text, "its cells reach to the longest episode of all parts. Give --horizon H, the same for all parts");
  const bool inferred = star.truncation == TruncationRule::censor && logs.cut.episodes > 0 && !star.horizon;
  if (inferred && !asked.horizon)
    refuse(named.text, "truncation=censor would take the horizon from each part. Give --horizon H, the same for all");
}

CountedEstimator prepared(const NamedEstimator& named, const Source& part, const ProblemOptions& question,
                          const SeenLogs& logs, Threads threads) {
  CountedEstimator entry{.text = named.text};
  if (std::holds_alternative<Naive>(named.estimator)) {
    entry.sums = groups_of(return_fold("naive", question).identity());
  } else if (const auto* sampling = std::get_if<ImportanceSampling>(&named.estimator)) {
    if (!sampling->weighted) {
      entry.sums = groups_of(return_fold(sampling->per_decision ? "pdis" : "is", question).identity());
    } else if (sampling->per_decision) {
      entry.sums = groups_of(WpdisFold{question}.identity());
    } else {
      entry.sums = groups_of(WisFold{question}.identity());
    }
  } else if (const auto* star = std::get_if<Star>(&named.estimator)) {
    check(named, *star, question, logs);
    StarSums sums{.options = {.clip = star->clip, .truncation = star->truncation, .time = star->time},
                  .asked = question_of(*star, logs, question)};
    sums.phi = fit_phi(star->phi, part, sums.asked, threads).phi;
    // Other parts may be in states that this one never meets. A table that was given must know all.
    const auto first = part.open()();
    const bool by_id = first && std::holds_alternative<DiscreteStates>(first->states());
    const bool given = std::holds_alternative<LookupTable>(star->phi) || std::holds_alternative<One>(star->phi);
    if ((by_id || std::holds_alternative<Grid>(star->phi)) && !given && !sums.phi.has_elsewhere())
      sums.phi = sums.phi.with_elsewhere();
    entry.sums = std::move(sums);
  } else {
    refuse(named.text, "naive, is, pdis, wis, wpdis and star can. For others, read all logs at once");
  }
  return entry;
}

// A time-indexed process has a layer per step up to the horizon, whatever the longest episode of a part.
Survey survey_of(const StarSums& star, const SeenLogs& logs) {
  Survey survey = logs.survey;
  if (star.options.time == TimeModel::indexed && star.asked.horizon) survey.longest = star.asked.horizon->steps();
  return survey;
}

// ---- counting ------------------------------------------------------------------------------------------------------

// The same recipe with nothing counted.
ShardSums nothing_of(ShardSums like, const SeenLogs& logs) {
  like.logs = {.recipe = logs.recipe};
  like.weights = like.squares = {};
  like.parts.clear();
  for (CountedEstimator& each : like.estimators) {
    if (auto* scores = std::get_if<Grouped<ScoreSums>>(&each.sums)) {
      *scores = groups_of(return_fold(scores->front()).identity());
    } else if (std::holds_alternative<Grouped<WisSums>>(each.sums)) {
      each.sums = groups_of(WisFold{like.question}.identity());
    } else if (std::holds_alternative<Grouped<WpdisSums>>(each.sums)) {
      each.sums = groups_of(WpdisFold{like.question}.identity());
    } else {
      auto& star = std::get<StarSums>(each.sums);
      const ArpBlockFold fold{
          .phi = star.phi, .options = star.options, .whole = survey_of(star, logs), .question = star.asked};
      star.process = groups_of(fold.identity());
      star.weights = WeightFold{make_weight_rule(logs.survey, star.options.clip, 1.0), star.asked}.identity();
      star.logs = {.recipe = {.of = logs.recipe.of, .question = star.asked, .model = logs.recipe.model}};
    }
  }
  return like;
}

class BlockCounter {
 public:
  BlockCounter(const ShardSums& none, const SeenLogs& logs) : none_(none), logs_(logs) {}

  ShardSums count(const Dataset& block, std::int64_t before) const {
    ShardSums part = none_;
    const Problem problem = make_problem(block, none_.question);
    part.logs = seen_logs(problem);
    std::vector<std::size_t> groups;
    for (const std::uint64_t hash : episode_hashes(block, before)) groups.push_back(hash % shard_groups);
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      Scaled product;
      for (const double ratio : problem.episode(i).ratios) product = product * Scaled::of(ratio);
      part.weights.add(product);
      part.squares.add(product * product);
    }
    for (CountedEstimator& each : part.estimators) {
      if (auto* star = std::get_if<StarSums>(&each.sums)) {
        add(*star, problem, groups);
      } else if (auto* scores = std::get_if<Grouped<ScoreSums>>(&each.sums)) {
        add(return_fold(scores->front()), *scores, problem, groups);
      } else if (auto* wis = std::get_if<Grouped<WisSums>>(&each.sums)) {
        add(WisFold{none_.question}, *wis, problem, groups);
      } else {
        add(WpdisFold{none_.question}, std::get<Grouped<WpdisSums>>(each.sums), problem, groups);
      }
    }
    return part;
  }

 private:
  template <class Fold>
  static void add(const Fold& fold, Grouped<typename Fold::Statistic>& to, const Problem& problem,
                  const std::vector<std::size_t>& groups) {
    for (std::int64_t i = 0; i < problem.episodes(); ++i)
      fold.add(to[groups[static_cast<std::size_t>(i)]], problem.episode(i));
  }

  void add(StarSums& star, const Problem& problem, const std::vector<std::size_t>& groups) const {
    const Problem asked = problem.with(star.asked);
    const Labels labels = star.phi.label(asked.data(), Threads{1});
    const ArpFold fold(labels, asked, star.options, survey_of(star, logs_));
    add(fold, star.process, asked, groups);
    const WeightFold weights{make_weight_rule(logs_.survey, star.options.clip, 1.0), star.asked};
    for (std::int64_t i = 0; i < asked.episodes(); ++i) weights.add(star.weights, asked.episode(i));
    star.logs = seen_logs(asked);
  }

  const ShardSums& none_;
  const SeenLogs& logs_;
};

ShardStatistics counted(const Source& source, const ShardSums& none, const SeenLogs& logs,
                        const CountOptions& options) {
  const BlockCounter counter(none, logs);
  ShardSums total = none;
  struct Block {
    Dataset episodes;
    std::int64_t before = 0;
  };
  ordered_merge_pulled(
      options.threads,
      [next = source.open(), before = std::int64_t{0}]() mutable -> std::optional<Block> {
        auto block = next();
        if (!block) return std::nullopt;
        const std::int64_t first = before;
        before += block->episodes();
        return Block{*std::move(block), first};
      },
      [&](const Block& block) { return counter.count(block.episodes, block.before); },
      [&](const ShardSums& part) { total.add_sums(part); });
  ByteWriter content;
  total.write(content);
  total.parts = {fingerprint_of(content.bytes())};
  return ShardStatistics(std::make_shared<const ShardSums>(std::move(total)));
}

// ---- finishing -----------------------------------------------------------------------------------------------------

// All groups, and all but one each: from both sides, because nothing can be taken out of a sum.
template <class Sums, class Value>
void add_errors(Estimate& estimate, const Grouped<Sums>& groups, const std::vector<double>& episodes,
                const Value& value) {
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
  const JackknifeError error = jackknife(estimate.value, left_out, sizes);
  if (!std::isfinite(error.std_error)) return;
  estimate.std_error = error.std_error;
  estimate.spread = ScoreSpread{.episodes = static_cast<std::int64_t>(used.size()),
                                .effective_scores = effective_scores(error.scores)};
}

template <class Sums>
Sums total_of(const Grouped<Sums>& groups) {
  Sums total = groups.front();
  for (std::size_t g = 1; g < groups.size(); ++g) total += groups[g];
  return total;
}

template <class Sums, class Episodes>
std::vector<double> sizes_of(const Grouped<Sums>& groups, const Episodes& episodes) {
  std::vector<double> sizes;
  for (const Sums& each : groups) sizes.push_back(episodes(each));
  return sizes;
}

struct Finish {
  const ShardSums& sums;
  double ess = 0.0;
  double mean_weight = 0.0;

  Estimate operator()(const Grouped<ScoreSums>& groups) const {
    const auto value = [](const ScoreSums& all) { return all.scores.plain().mean(); };
    Estimate estimate{.value = value(total_of(groups))};
    add_errors(estimate, groups, sizes_of(groups, [](const ScoreSums& g) { return g.scores.plain().times(); }), value);
    if (return_fold(groups.front()).score.weight == ReturnWeight::none) {
      estimate.ess = static_cast<double>(sums.logs.survey.episodes);
    } else {
      add_weight_findings(estimate);
    }
    return estimate;
  }
  Estimate operator()(const Grouped<WisSums>& groups) const {
    const auto value = [](const WisSums& all) { return WisValue(all).value(); };
    Estimate estimate{.value = value(total_of(groups))};
    add_errors(estimate, groups, sizes_of(groups, [](const WisSums& g) { return g.episodes; }), value);
    add_weight_findings(estimate);
    return estimate;
  }
  Estimate operator()(const Grouped<WpdisSums>& groups) const {
    const auto value = [](const WpdisSums& all) { return WpdisValue(all).value(); };
    const WpdisValue all(total_of(groups));
    Estimate estimate{.value = all.value()};
    add_errors(estimate, groups, sizes_of(groups, [](const WpdisSums& g) { return g.episodes; }), value);
    if (all.unsupported_from())
      estimate.findings.push_back({Severity::critical, "no_support", {{"step", *all.unsupported_from()}}});
    add_weight_findings(estimate);
    return estimate;
  }
  Estimate operator()(const StarSums& counted) const {
    const Star star{
        .clip = counted.options.clip, .truncation = counted.options.truncation, .time = counted.options.time};
    Estimate estimate = estimate_from(star, total_of(counted.process), counted.weights, counted.logs, counted.asked);
    add_errors(estimate, counted.process, sizes_of(counted.process, [](const ArpStatistic& g) { return g.episodes; }),
               [&](const ArpStatistic& all) { return value_from(star, all, counted.asked); });
    return estimate;
  }

 private:
  void add_weight_findings(Estimate& estimate) const {
    estimate.ess = ess;
    auto finding = low_ess(ess, sums.logs.survey.episodes);
    if (!finding) finding = missing_weight(mean_weight, sums.logs.survey.episodes);
    if (finding) estimate.findings.push_back(*std::move(finding));
  }
};

}  // namespace

std::int64_t ShardStatistics::episodes() const noexcept {
  return sums_->logs.survey.episodes;
}
std::int64_t ShardStatistics::steps() const noexcept {
  return sums_->logs.survey.steps;
}
std::int64_t ShardStatistics::parts() const noexcept {
  return static_cast<std::int64_t>(sums_->parts.size());
}
const ProblemOptions& ShardStatistics::question() const noexcept {
  return sums_->question;
}
std::vector<std::string> ShardStatistics::estimators() const {
  std::vector<std::string> texts;
  for (const CountedEstimator& each : sums_->estimators) texts.push_back(each.text);
  return texts;
}

ShardStatistics& ShardStatistics::operator+=(const ShardStatistics& other) {
  ShardSums total = *sums_;
  total += *other.sums_;
  sums_ = std::make_shared<const ShardSums>(std::move(total));
  return *this;
}
bool operator==(const ShardStatistics& a, const ShardStatistics& b) {
  return a.sums_ == b.sums_ || *a.sums_ == *b.sums_;
}
Bytes ShardStatistics::to_bytes() const {
  return sums_->to_bytes();
}
ShardStatistics ShardStatistics::from_bytes(std::span<const std::byte> bytes) {
  return ShardStatistics(std::make_shared<const ShardSums>(ShardSums::from_bytes(bytes)));
}

bool counts_in_parts(const Estimator& estimator) {
  if (const auto* star = std::get_if<Star>(&estimator))
    return !std::holds_alternative<Time>(star->phi) && star->rollouts == 0;
  return std::holds_alternative<Naive>(estimator) || std::holds_alternative<ImportanceSampling>(estimator);
}

ShardStatistics count(const Source& part, const ProblemOptions& question, const std::vector<NamedEstimator>& estimators,
                      const CountOptions& options) {
  if (estimators.empty()) throw InvalidArgument("there is no estimator to count for");
  const SeenLogs logs = seen_logs(part, question, options.threads);
  ShardSums recipe{.question = question, .target = options.target};
  for (const NamedEstimator& each : estimators)
    recipe.estimators.push_back(prepared(each, part, question, logs, options.threads));
  return counted(part, nothing_of(std::move(recipe), logs), logs, options);
}

ShardStatistics count(const Source& part, const ShardStatistics& like, const CountOptions& options) {
  const ShardSums& model = like.sums();
  if (options.target != model.target) {
    throw InvalidArgument(
        fmt::format("the other part was counted for the target policy {}, and this one is asked for {}",
                    model.target.empty() ? "of the logs" : model.target,
                    options.target.empty() ? "the one of the logs" : options.target));
  }
  const SeenLogs logs = seen_logs(part, model.question, options.threads);
  return counted(part, nothing_of(model, logs), logs, options);
}

Evaluation finish(const ShardStatistics& total, const std::optional<Level>& level) {
  const ShardSums& sums = total.sums();
  Evaluation evaluation;
  Finish finish{.sums = sums};
  if (!sums.weights.empty) {
    const double root = sums.squares.sum / sums.weights.sum;
    finish.ess = Scaled{sums.weights.sum / root, 2 * sums.weights.scale - sums.squares.scale}.to_double();
    finish.mean_weight = sums.weights.to_double() / static_cast<double>(sums.logs.survey.episodes);
  }
  evaluation.data = describe_data(sums.logs, sums.question, finish.ess);
  if (level) evaluation.level = level->probability();
  for (const CountedEstimator& each : sums.estimators) {
    try {
      Answer answer = finished(each.text, std::visit(finish, each.sums), EvaluateOptions{.level = level});
      if (auto* estimate = std::get_if<Estimate>(&answer.result); estimate != nullptr && estimate->interval)
        estimate->interval->method = "jackknife";
      evaluation.estimates.push_back(std::move(answer));
    } catch (...) {
      evaluation.estimates.push_back({.estimator = each.text, .result = failure_of(std::current_exception())});
    }
  }
  return evaluation;
}

}  // namespace starope
