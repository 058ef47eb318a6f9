#include "starope/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "starope/auto/auto_fold.hpp"
#include "starope/checks/check_logs.hpp"
#include "starope/checks/twins.hpp"
#include "starope/data/episode_hashes.hpp"
#include "starope/error.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate/shard_finish.hpp"
#include "starope/evaluate/shard_influence.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/parallel/ordered_merge.hpp"

namespace starope {
namespace {

// ---- what to count -------------------------------------------------------------------------------------------------

template <class Sums>
Grouped<Sums> shard_groups_of(const Sums& none) {
  return Grouped<Sums>(shard_groups, none);
}

[[noreturn]] void refuse(const std::string& estimator, const std::string& why) {
  throw InvalidArgument(fmt::format("{} cannot be counted in parts: {}", estimator, why));
}

// Parts must agree on what only all of them together would show.
void check(const NamedEstimator& named, const Star& star, const ProblemOptions& asked, const SeenLogs& logs,
           bool whole) {
  if (std::holds_alternative<Time>(star.phi))
    refuse(named.text,
           "its cells are the steps of the longest episode of all parts. Use wpdis, which is nearly the same");
  if (star.rollouts > 0) refuse(named.text, "rollouts are drawn when all parts are there. Leave rollouts= out");
  if (star.time == TimeModel::indexed && !asked.horizon)
    refuse(named.text, "its cells reach to the longest episode of all parts. Give --horizon H, the same for all parts");
  const bool inferred = star.truncation == TruncationRule::censor && logs.cut.episodes > 0 && !star.horizon;
  if (inferred && !asked.horizon && !whole)
    refuse(named.text, "truncation=censor would take the horizon from each part. Give --horizon H, the same for all");
}

// The model of `auto` is fitted to this part; others are scored with it.
AutoCounted fitted(const Auto& automatic, const Source& part, const ProblemOptions& question,
                   const CountOptions& options) {
  const EstimateOptions how{.threads = options.threads};
  const auto from_sample = [&](const SeenLogs& seen) {
    const std::int64_t steps = options.whole_steps > 0 ? options.whole_steps : seen.survey.steps;
    return fit_model_to_sample(automatic, part, question, how, {.seen = seen, .steps = steps});
  };
  FittedAuto fit = options.whole ? from_sample(options.whole->sums().logs) : fit_model(automatic, part, question, how);
  AutoCounted counted;
  counted.model = std::make_shared<const AutoModel>(std::move(fit.model));
  counted.details = std::move(fit.estimate.details);
  counted.families = std::move(fit.estimate.families);
  counted.findings = std::move(fit.estimate.findings);
  return counted;
}

// A horizon that nobody gave is the longest episode of the part that `auto` was fitted to.
void expect_no_longer(const AutoCounted& counted, const SeenLogs& logs, const ProblemOptions& question) {
  const std::int64_t horizon = counted.model->question().horizon->steps();
  if (question.horizon || logs.survey.longest <= horizon) return;
  throw InvalidArgument(
      fmt::format("auto was fitted to a part whose episodes have at most {} steps, and here is one of {}. Count the "
                  "first part with --horizon H, the number of steps that count, and the others like it",
                  horizon, logs.survey.longest));
}

CountedEstimator prepared(const NamedEstimator& named, const Source& part, const ProblemOptions& question,
                          const SeenLogs& logs, const CountOptions& options) {
  CountedEstimator entry{.text = named.text};
  if (std::holds_alternative<Naive>(named.estimator)) {
    entry.sums = shard_groups_of(return_fold("naive", question).identity());
  } else if (const auto* sampling = std::get_if<ImportanceSampling>(&named.estimator)) {
    if (!sampling->weighted) {
      entry.sums = shard_groups_of(return_fold(sampling->per_decision ? "pdis" : "is", question).identity());
    } else if (sampling->per_decision) {
      entry.sums = shard_groups_of(WpdisFold{question}.identity());
    } else {
      entry.sums = shard_groups_of(WisFold{question}.identity());
    }
  } else if (const auto* star = std::get_if<Star>(&named.estimator)) {
    check(named, *star, question, logs, options.whole.has_value());
    StarSums sums{.options = {.clip = star->clip, .truncation = star->truncation, .time = star->time},
                  .asked = question_of(*star, logs, question)};
    sums.phi = fit_phi(star->phi, part, sums.asked, options.threads).phi;
    // Other parts may be in states that this one never meets. A table that was given must know all.
    const auto first = part.open()();
    const bool by_id = first && std::holds_alternative<DiscreteStates>(first->states());
    const bool given = std::holds_alternative<LookupTable>(star->phi) || std::holds_alternative<One>(star->phi);
    if ((by_id || std::holds_alternative<Grid>(star->phi)) && !given && !sums.phi.has_elsewhere())
      sums.phi = sums.phi.with_elsewhere();
    entry.sums = std::move(sums);
  } else if (const auto* automatic = std::get_if<Auto>(&named.estimator)) {
    entry.sums = fitted(*automatic, part, question, options);
  } else {
    refuse(named.text, "naive, is, pdis, wis, wpdis, star and auto can. For others, read all logs at once");
  }
  return entry;
}

// ---- counting ------------------------------------------------------------------------------------------------------

WeightRule weight_rule(const SeenLogs& logs) {
  return make_weight_rule(logs.survey, Clip::last(1), 1.0);
}

// The same recipe with nothing counted.
ShardSums nothing_of(ShardSums like, const SeenLogs& logs) {
  like.logs = {.recipe = logs.recipe};
  like.weights = like.squares = {};
  like.logged = shard_groups_of(return_fold("naive", like.question).identity());
  like.noted.clear();
  like.checked.clear();
  like.twins = {};
  like.parts.clear();
  for (CountedEstimator& each : like.estimators) {
    if (auto* scores = std::get_if<Grouped<ScoreSums>>(&each.sums)) {
      *scores = shard_groups_of(return_fold(scores->front()).identity());
    } else if (std::holds_alternative<Grouped<WisSums>>(each.sums)) {
      each.sums = shard_groups_of(WisFold{like.question}.identity());
    } else if (std::holds_alternative<Grouped<WpdisSums>>(each.sums)) {
      each.sums = shard_groups_of(WpdisFold{like.question}.identity());
    } else if (auto* counted = std::get_if<AutoCounted>(&each.sums)) {
      expect_no_longer(*counted, logs, like.question);
      const ProblemOptions& asked = counted->model->question();
      counted->counts = shard_groups_of(no_counts(*counted->model));
      counted->weights = WeightFold{weight_rule(logs), asked}.identity();
      counted->logs = {.recipe = {.of = logs.recipe.of, .question = asked, .model = logs.recipe.model}};
    } else {
      auto& star = std::get<StarSums>(each.sums);
      const ArpBlockFold fold{
          .phi = star.phi, .options = star.options, .whole = survey_of(star, logs), .question = star.asked};
      star.process = shard_groups_of(fold.identity());
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
    Twins contents;
    for (std::int64_t i = 0; i < block.episodes(); ++i) add_content(contents, block, i);
    part.twins += contents;
    add(return_fold("naive", none_.question), part.logged, problem, groups);
    for (CountedEstimator& each : part.estimators) {
      if (auto* star = std::get_if<StarSums>(&each.sums)) {
        add(*star, problem, groups);
      } else if (auto* counted = std::get_if<AutoCounted>(&each.sums)) {
        add(*counted, problem, groups);
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
    for (std::int64_t i = 0; i < problem.episodes(); ++i) fold.add(to[groups[i]], problem.episode(i));
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

  void add(AutoCounted& counted, const Problem& problem, const std::vector<std::size_t>& groups) const {
    const Problem asked = problem.with(counted.model->question());
    add_block(*counted.model, asked, groups, counted.counts);
    const WeightFold weights{weight_rule(logs_), counted.model->question()};
    for (std::int64_t i = 0; i < asked.episodes(); ++i) weights.add(counted.weights, asked.episode(i));
    counted.logs = seen_logs(asked);
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
  total.noted = options.findings;
  if (options.checks) total.checked = check_logs(source, {.threads = options.threads});
  ByteWriter content;
  total.write(content);
  if (!options.part.empty()) content.text(options.part);
  total.parts = {fingerprint_of(content.bytes())};
  return ShardStatistics(std::make_shared<const ShardSums>(std::move(total)));
}

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

std::vector<Finding> ShardStatistics::between_parts() const {
  return sums_->between_parts();
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
  return std::holds_alternative<Naive>(estimator) || std::holds_alternative<ImportanceSampling>(estimator) ||
         std::holds_alternative<Auto>(estimator);
}

ShardStatistics count(const Source& part, const ProblemOptions& question, const std::vector<NamedEstimator>& estimators,
                      const CountOptions& options) {
  if (estimators.empty()) throw InvalidArgument("there is no estimator to count for");
  const SeenLogs logs = seen_logs(part, question, options.threads);
  const SeenLogs& whole = options.whole ? options.whole->sums().logs : logs;
  if (!(whole.recipe == logs.recipe)) refuse("a sample", "the pass over all parts answered another question");
  ShardSums recipe{.question = question, .target = options.target};
  for (const NamedEstimator& each : estimators)
    recipe.estimators.push_back(prepared(each, part, question, whole, options));
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
  return finish(total.sums(), level);
}

ShardInfluence influence(const Source& part, const ShardStatistics& total, Threads threads) {
  return influence(part, total.sums(), threads);
}
Evaluation finish(const ShardStatistics& total, const ShardInfluence& influence, const EvaluateOptions& options) {
  return finish(total.sums(), influence, options);
}
Evaluation finish(const ShardStatistics& total, const ShardInfluence& influence, const ReplicateAnswers& replicates,
                  const EvaluateOptions& options) {
  return finish(total.sums(), influence, replicates, options);
}

}  // namespace starope
