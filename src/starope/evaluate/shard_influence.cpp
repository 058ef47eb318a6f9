#include "starope/evaluate/shard_influence.hpp"

#include <functional>
#include <memory>
#include <utility>

#include "starope/arp/influence.hpp"
#include "starope/error.hpp"
#include "starope/estimators/star.hpp"
#include "starope/evaluate/shard_finish.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

using OfBlock = std::function<std::vector<double>(const Problem& block)>;  // empty: there is no answer

template <class Value>
OfBlock of_episodes(Value value) {
  return [value = std::move(value)](const Problem& block) {
    std::vector<double> values;
    values.reserve(block.episodes());
    for (std::int64_t i = 0; i < block.episodes(); ++i) values.push_back(value(block.episode(i)));
    return values;
  };
}

// Sums, solved once; what solved them says how much an episode moves the answer.
struct Finished {
  OfBlock operator()(const Grouped<ScoreSums>& groups) const {
    const double mean = total_of(groups).scores.plain().mean();
    return of_episodes([score = return_fold(groups.front()).score, mean](const LoggedEpisode& episode) {
      return score(episode) - mean;
    });
  }
  OfBlock operator()(const Grouped<WisSums>& groups) const { return weighted(WisValue(total_of(groups))); }
  OfBlock operator()(const Grouped<WpdisSums>& groups) const { return weighted(WpdisValue(total_of(groups))); }
  OfBlock operator()(const StarSums& counted) const {
    const Star star{
        .clip = counted.options.clip, .truncation = counted.options.truncation, .time = counted.options.time};
    auto process = std::make_shared<const ArpStatistic>(total_of(counted.process));
    auto solved = std::make_shared<const SolvedStar>(solved_from(star, *process, counted.asked));
    return [&counted, process, solved](const Problem& block) {
      const Problem asked = block.with(counted.asked);
      const Labels labels = counted.phi.label(asked.data(), Threads{1});
      const ArpFold recipe(labels, asked, counted.options, survey_of(counted, counted.logs));
      return influence_values(recipe, *process, solved->model, solved->solution, asked, {.threads = Threads{1}});
    };
  }
  OfBlock operator()(const AutoCounted& counted) const {
    auto all = std::make_shared<const AutoCounts>(total_of(counted.counts));
    const double mean = mixed_value(*counted.model, *all);
    return [&counted, all, mean](const Problem& block) {
      std::vector<double> values = counted.model->score(block.with(counted.model->question()), all->sums).mixed;
      for (double& x : values) x -= mean;
      return values;
    };
  }

 private:
  template <class Value>
  static OfBlock weighted(Value value) {
    return of_episodes([value = std::move(value)](const LoggedEpisode& episode) { return value.influence(episode); });
  }
};

// Whoever has no answer is told when all is finished.
OfBlock finished(const CountedEstimator& estimator) {
  try {
    return std::visit(Finished{}, estimator.sums);
  } catch (const Error&) {
    return {};
  }
}

void append(std::vector<double>& to, const std::vector<double>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

ShardInfluence& ShardInfluence::operator+=(const ShardInfluence& next) {
  if (estimators.size() != next.estimators.size())
    throw InvalidArgument("the influence of episodes on other estimators cannot be added");
  append(logged, next.logged);
  for (std::size_t i = 0; i < estimators.size(); ++i) append(estimators[i], next.estimators[i]);
  return *this;
}

ShardInfluence influence(const Source& part, const ShardSums& total, Threads threads) {
  const OfBlock logged = Finished{}(total.logged);
  std::vector<OfBlock> estimators;
  for (const CountedEstimator& each : total.estimators) estimators.push_back(finished(each));
  ShardInfluence all{.estimators = std::vector<std::vector<double>>(estimators.size())};
  for_each_block(
      part, total.question, threads,
      [&](const Problem& block) {
        ShardInfluence of_block{.logged = logged(block)};
        for (const OfBlock& each : estimators)
          of_block.estimators.push_back(each ? each(block) : std::vector<double>{});
        return of_block;
      },
      [&](const ShardInfluence& of_block) { all += of_block; });
  return all;
}

}  // namespace starope
