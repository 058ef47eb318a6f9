#include "starope/evaluate/shard_replicates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/shard_finish.hpp"
#include "starope/evaluate/shard_sums.hpp"
#include "starope/inference/block_replicates.hpp"
#include "starope/inference/interval_of.hpp"
#include "starope/inference/replicate_counts.hpp"
#include "starope/inference/replicate_fold.hpp"

namespace starope {
namespace {

Star star_of(const StarSums& counted) {
  return {.clip = counted.options.clip, .truncation = counted.options.truncation, .time = counted.options.time};
}

void expect_sums(const IntervalRecipe& recipe) {
  const auto refuse = [&](const char* why) {
    throw InvalidArgument(fmt::format("{}: {}. Logs in parts have bootstrap-percentile and bootstrap-bca without refit",
                                      text(recipe), why));
  };
  if (!is_bootstrap(recipe.method)) refuse("this is no bootstrap");
  if (recipe.method == IntervalMethod::bootstrap_studentized)
    refuse("the standard error of every replicate would take a pass of its own over the logs");
  if (recipe.refit) refuse("abstractions that are fitted anew in every replicate need all logs in memory");
}

// ---- counting ------------------------------------------------------------------------------------------------------

// Sums with nothing in them, one per replicate.
struct Nothing {
  std::int64_t replicates = 0;

  template <class Sums>
  EstimatorReplicates of(const Sums& identity) const {
    return std::vector<Sums>(replicates, identity);
  }
  EstimatorReplicates operator()(const Grouped<ScoreSums>& groups) const {
    return of(return_fold(groups.front()).identity());
  }
  EstimatorReplicates operator()(const Grouped<WisSums>& groups) const {
    return of(WisFold{groups.front().recipe.question}.identity());
  }
  EstimatorReplicates operator()(const Grouped<WpdisSums>& groups) const {
    return of(WpdisFold{groups.front().recipe.question}.identity());
  }
  EstimatorReplicates operator()(const StarSums& counted) const {
    if (replicate_bytes(counted.phi, counted.logs, counted.options.time, replicates) > most_replicate_bytes) return {};
    return of(ArpBlockFold{.phi = counted.phi,
                           .options = counted.options,
                           .whole = survey_of(counted, counted.logs),
                           .question = counted.asked}
                  .identity());
  }
  EstimatorReplicates operator()(const AutoCounted& /*counted*/) const { return {}; }
};

// Adds a block of logs to the replicates of one estimator.
struct AddBlock {
  const Problem& block;
  const ReplicateCounts& counts;
  Threads threads;
  EstimatorReplicates& to;

  template <class Fold>
  void add(const Fold& fold, const Problem& asked) const {
    using Sums = typename Fold::Statistic;
    add_replicates(std::get<std::vector<Sums>>(to), asked, counts, threads,
                   [&](Sums& sum, const LoggedEpisode& episode, double times) { fold.add(sum, episode, times); });
  }
  void operator()(const Grouped<ScoreSums>& groups) const { add(return_fold(groups.front()), block); }
  void operator()(const Grouped<WisSums>& groups) const { add(WisFold{groups.front().recipe.question}, block); }
  void operator()(const Grouped<WpdisSums>& groups) const { add(WpdisFold{groups.front().recipe.question}, block); }
  void operator()(const StarSums& counted) const {
    const Problem asked = block.with(counted.asked);
    const Labels labels = counted.phi.label(asked.data(), threads);
    add(ArpFold(labels, asked, counted.options, survey_of(counted, counted.logs)), asked);
  }
  void operator()(const AutoCounted& /*counted*/) const {}
};

// ---- what they say -------------------------------------------------------------------------------------------------

// Of a run of replicates: one of another estimator than what all parts counted is refused.
struct Solve {
  const EstimatorReplicates& sums;
  Threads threads;

  template <class Sums, class Value>
  Replicates solved(const Grouped<Sums>& counted, const Value& value) const {
    const auto* found = std::get_if<std::vector<Sums>>(&sums);
    if (found == nullptr || !(found->front().recipe == counted.front().recipe))
      throw InvalidArgument("these replicates are of other estimators than the sums of all parts");
    return finished_replicates(*found, threads, value);
  }
  template <class Sums>
  Replicates operator()(const Grouped<Sums>& counted) const {
    return solved(counted, [](const Sums& sum) { return replicate_value(sum); });
  }
  Replicates operator()(const StarSums& counted) const {
    return solved(counted.process,
                  [&](const ArpStatistic& sum) { return replicate_value(star_of(counted), sum, counted.asked); });
  }
  Replicates operator()(const AutoCounted& /*counted*/) const { return {}; }
};

// ---- bytes ---------------------------------------------------------------------------------------------------------

template <class Sums>
EstimatorReplicates read_run(ByteReader& from, std::int64_t replicates) {
  std::vector<Sums> run;
  for (std::int64_t b = 0; b < replicates; ++b) {
    run.push_back(Sums::read(from));
    if (!(run.back().recipe == run.front().recipe)) from.fail("replicates were counted with different recipes");
  }
  return run;
}

ShardReplicates made(ReplicatedSums sums) {
  return ShardReplicates(std::make_shared<const ReplicatedSums>(std::move(sums)));
}

}  // namespace

void ReplicatedSums::write(ByteWriter& to) const {
  to.fingerprint(of);
  to.number(seed.value);
  to.number(first);
  to.number(replicates);
  to.number(episodes);
  to.number(static_cast<std::int64_t>(estimators.size()));
  for (const EstimatorReplicates& each : estimators) {
    to.number(static_cast<std::int64_t>(each.index()));
    std::visit(
        [&]<class Run>(const Run& run) {
          if constexpr (!std::is_same_v<Run, std::monostate>)
            for (const auto& sum : run) sum.write(to);
        },
        each);
  }
}

ReplicatedSums ReplicatedSums::read(ByteReader& from) {
  constexpr std::int64_t most = std::int64_t{1} << 53, most_replicates = 10'000'000, most_estimators = 10'000;
  ReplicatedSums sums{.of = from.fingerprint(), .seed = Seed{from.unsigned_number()}};
  sums.first = from.number_within(0, most_replicates);
  sums.replicates = from.number_within(1, most_replicates);
  sums.episodes = from.number_within(0, most);
  const std::int64_t count = from.number_within(1, most_estimators);
  for (std::int64_t i = 0; i < count; ++i) {
    EstimatorReplicates& each = sums.estimators.emplace_back();
    switch (from.number_within(0, 4)) {
      case 0:
        break;
      case 1:
        each = read_run<ScoreSums>(from, sums.replicates);
        break;
      case 2:
        each = read_run<WisSums>(from, sums.replicates);
        break;
      case 3:
        each = read_run<WpdisSums>(from, sums.replicates);
        break;
      default:
        each = read_run<ArpStatistic>(from, sums.replicates);
        break;
    }
  }
  return sums;
}

std::int64_t ShardReplicates::first() const noexcept {
  return sums_->first;
}
std::int64_t ShardReplicates::replicates() const noexcept {
  return sums_->replicates;
}
Bytes ShardReplicates::to_bytes() const {
  return sealed(*sums_);
}
ShardReplicates ShardReplicates::from_bytes(std::span<const std::byte> bytes) {
  return made(unsealed<ReplicatedSums>(bytes));
}

std::vector<ShardReplicates> ShardReplicates::split(std::int64_t most) const {
  if (most < 1) throw InvalidArgument(fmt::format("runs of {} replicates: at least one is needed", most));
  std::vector<ShardReplicates> runs;
  for (std::int64_t begin = 0; begin < sums_->replicates; begin += most) {
    const std::int64_t size = std::min(most, sums_->replicates - begin);
    ReplicatedSums run{.of = sums_->of,
                       .seed = sums_->seed,
                       .first = sums_->first + begin,
                       .replicates = size,
                       .episodes = sums_->episodes};
    for (const EstimatorReplicates& each : sums_->estimators) {
      run.estimators.push_back(std::visit(
          [&]<class Run>(const Run& all) -> EstimatorReplicates {
            if constexpr (std::is_same_v<Run, std::monostate>) {
              return {};
            } else {
              return Run(all.begin() + begin, all.begin() + begin + size);
            }
          },
          each));
    }
    runs.push_back(made(std::move(run)));
  }
  return runs;
}

ShardReplicates& ShardReplicates::operator+=(const ShardReplicates& other) {
  ReplicatedSums total = *sums_;
  const ReplicatedSums& more = *other.sums_;
  bool same = total.of == more.of && total.seed == more.seed && total.first == more.first &&
              total.replicates == more.replicates && total.estimators.size() == more.estimators.size();
  for (std::size_t i = 0; same && i < total.estimators.size(); ++i)
    same = total.estimators[i].index() == more.estimators[i].index();
  if (!same) {
    throw InvalidArgument(
        fmt::format("replicates {} to {} with the seed {} cannot be added to replicates {} to {} with the seed {}, or "
                    "those of other sums: parts are counted with the sums of all of them and one bootstrap",
                    more.first, more.first + more.replicates - 1, more.seed.value, total.first,
                    total.first + total.replicates - 1, total.seed.value));
  }
  total.episodes += more.episodes;
  for (std::size_t i = 0; i < total.estimators.size(); ++i) {
    std::visit(
        [&]<class Run>(Run& mine) {
          if constexpr (!std::is_same_v<Run, std::monostate>) {
            const auto& theirs = std::get<Run>(more.estimators[i]);
            for (std::size_t b = 0; b < mine.size(); ++b) mine[b] += theirs[b];
          }
        },
        total.estimators[i]);
  }
  sums_ = std::make_shared<const ReplicatedSums>(std::move(total));
  return *this;
}

ShardReplicates count_replicates(const Source& part, const ShardStatistics& total, const IntervalRecipe& recipe,
                                 Threads threads) {
  expect_sums(recipe);
  const ShardSums& sums = total.sums();
  ReplicatedSums all{.of = fingerprint_of(total.to_bytes()),
                     .seed = recipe.seed,
                     .replicates = recipe.replicates.value_or(usual_block_replicates)};
  for (const CountedEstimator& each : sums.estimators)
    all.estimators.push_back(std::visit(Nothing{all.replicates}, each.sums));
  const Source::Next next = part.open();
  while (const auto data = next()) {
    const Problem block = make_problem(*data, sums.question);
    const ReplicateCounts counts(block.data(), recipe.seed, all.episodes);
    for (std::size_t i = 0; i < sums.estimators.size(); ++i) {
      if (std::holds_alternative<std::monostate>(all.estimators[i])) continue;
      std::visit(AddBlock{.block = block, .counts = counts, .threads = threads, .to = all.estimators[i]},
                 sums.estimators[i].sums);
    }
    all.episodes += block.episodes();
  }
  return made(std::move(all));
}

ReplicateAnswers& ReplicateAnswers::operator+=(const ReplicateAnswers& next) {
  if (estimators.size() != next.estimators.size())
    throw InvalidArgument("replicates of other estimators cannot be put behind these");
  for (std::size_t i = 0; i < estimators.size(); ++i) {
    const std::vector<double>& more = next.estimators[i].values;
    estimators[i].values.insert(estimators[i].values.end(), more.begin(), more.end());
    estimators[i].failed += next.estimators[i].failed;
  }
  return *this;
}

ReplicateAnswers solve_replicates(const ShardReplicates& all, const ShardStatistics& total, Threads threads) {
  const ReplicatedSums& run = all.sums();
  const ShardSums& sums = total.sums();
  const std::int64_t episodes = sums.logs.survey.episodes;
  if (run.of != fingerprint_of(total.to_bytes()) || run.estimators.size() != sums.estimators.size())
    throw InvalidArgument("these replicates were counted with the sums of other parts");
  if (run.episodes != episodes) {
    throw InvalidArgument(
        fmt::format("replicates of {} were given, for sums of {}: those of all parts are needed, each once",
                    counted(run.episodes, "episode"), counted(episodes, "episode")));
  }
  ReplicateAnswers answers;
  for (std::size_t i = 0; i < sums.estimators.size(); ++i) {
    ReplicateAnswers::OfEstimator& answer = answers.estimators.emplace_back();
    if (std::holds_alternative<std::monostate>(run.estimators[i])) continue;
    Replicates found = std::visit(Solve{.sums = run.estimators[i], .threads = threads}, sums.estimators[i].sums);
    answer.values = std::move(found.values);
    answer.failed = found.failed;
  }
  return answers;
}

}  // namespace starope
