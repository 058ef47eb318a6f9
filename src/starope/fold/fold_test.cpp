#include "starope/fold/fold.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "starope/data/random_logs.hpp"

namespace starope {
namespace {

// A sum whose last bits depend on the order of addition.
struct RewardSum {
  struct Statistic {
    double sum = 0.0;
    std::int64_t episodes = 0;
    Statistic& operator+=(const Statistic& other) {
      sum += other.sum;
      episodes += other.episodes;
      return *this;
    }
  };
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode& episode) const {
    for (const double r : episode.rewards) total.sum += r / 3.0;
    ++total.episodes;
  }
};

TEST(Fold, SameBitsForAnyNumberOfThreads) {
  const Problem problem = testing::random_problem({.episodes = 2000}, Seed{1});
  const auto one = fold(RewardSum{}, problem, {.threads = Threads{1}, .steps_per_block = 100});
  EXPECT_EQ(one.episodes, 2000);
  for (const int threads : {2, 3, 8}) {
    const auto many = fold(RewardSum{}, problem, {.threads = Threads{threads}, .steps_per_block = 100});
    EXPECT_EQ(many.sum, one.sum);
  }
  // The test above could not fail if addition were associative here: it is not.
  const auto other_blocks = fold(RewardSum{}, problem, {.threads = Threads{1}, .steps_per_block = 1000});
  EXPECT_NE(other_blocks.sum, one.sum);
  EXPECT_NEAR(other_blocks.sum, one.sum, 1e-9);
}

TEST(FoldTogether, GivesEveryRecipeTheBitsItHasAlone) {
  struct ScaledSum {
    using Statistic = RewardSum::Statistic;
    Statistic identity() const { return {}; }
    void add(Statistic& total, const LoggedEpisode& episode) const {
      for (const double r : episode.rewards) total.sum += factor * r;
      ++total.episodes;
    }
    double factor;
  };
  const Problem problem = testing::random_problem({.episodes = 500}, Seed{2});
  const FoldOptions options{.threads = Threads{3}, .steps_per_block = 100};
  const FoldTogether<ScaledSum> both{.ops = {{0.1}, {0.7}}};
  const auto sums = fold(both, problem, options);
  ASSERT_EQ(sums.of.size(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(sums.of[i].sum, fold(both.ops[i], problem, options).sum);
    EXPECT_EQ(sums.of[i].episodes, 500);
  }
  EXPECT_NE(sums.of[0].sum, sums.of[1].sum);
}

// Every thread that adds its first episode waits until three have come: passing proves three threads worked at once.
struct Meeting {
  struct Statistic {
    std::set<std::thread::id> threads;
    Statistic& operator+=(const Statistic& other) {
      threads.insert(other.threads.begin(), other.threads.end());
      return *this;
    }
  };
  std::barrier<>* all_here;
  std::mutex* mutex;
  std::set<std::thread::id>* arrived;
  Statistic identity() const { return {}; }
  void add(Statistic& total, const LoggedEpisode&) const {
    bool first_time = false;
    {
      const std::scoped_lock lock(*mutex);
      first_time = arrived->insert(std::this_thread::get_id()).second;
    }
    if (first_time) all_here->arrive_and_wait();
    total.threads.insert(std::this_thread::get_id());
  }
};

TEST(Fold, SeveralThreadsReallyWorkOnSeveralBlocks) {
  const Problem problem = testing::random_problem({.episodes = 300}, Seed{1});
  ASSERT_GT(make_blocks(problem.data(), 50).size(), 3u);
  std::barrier all_here(3);
  std::mutex mutex;
  std::set<std::thread::id> arrived;
  const auto total =
      fold(Meeting{&all_here, &mutex, &arrived}, problem, {.threads = Threads{3}, .steps_per_block = 50});
  EXPECT_EQ(total.threads.size(), 3u);
}

TEST(Fold, AnExceptionLeavesWithItsMessage) {
  struct Failing : RewardSum {
    void add(Statistic&, const LoggedEpisode& episode) const {
      if (episode.index == 150) throw std::runtime_error("episode 150");
    }
  };
  const Problem problem = testing::random_problem({.episodes = 300}, Seed{1});
  EXPECT_THROW(fold(Failing{}, problem, {.threads = Threads{3}, .steps_per_block = 50}), std::runtime_error);
}

// The reward sum of every episode, where an episode may count several times.
struct RepeatedSum : RewardSum {
  void add(Statistic& total, const LoggedEpisode& episode, double times = 1.0) const {
    for (const double r : episode.rewards) total.sum += times * (r / 3.0);
    ++total.episodes;
  }
};

TEST(Fold, AnEpisodeMayCountSeveralTimesOrNotAtAll) {
  const Problem problem = testing::random_problem({.episodes = 3}, Seed{1});
  const auto alone = [&](std::int64_t i) {
    RewardSum::Statistic sum;
    RewardSum{}.add(sum, problem.episode(i));
    return sum.sum;
  };
  const auto total = fold(RepeatedSum{}, problem, std::vector<double>{2.0, 0.0, 0.5});
  EXPECT_NEAR(total.sum, 2.0 * alone(0) + 0.5 * alone(2), 1e-12);
  EXPECT_EQ(total.episodes, 2);  // the second was not looked at
}

struct RewardSumOfBlocks {
  using Statistic = RewardSum::Statistic;
  Statistic identity() const { return {}; }
  void add_block(Statistic& total, const Problem& block) const {
    for (std::int64_t i = 0; i < block.episodes(); ++i) RewardSum{}.add(total, block.episode(i));
  }
};

TEST(FoldOverASource, HasTheBitsOfTheFoldInMemory) {
  const Problem problem = testing::random_problem({.episodes = 2000}, Seed{3}, {.horizon = Horizon{7}});
  const auto memory = fold(RewardSum{}, problem, {.threads = Threads{1}, .steps_per_block = 100});
  const Source source = dataset_source(problem.data(), 100);
  for (const int threads : {1, 2, 5}) {
    const auto stream = fold(RewardSumOfBlocks{}, source, problem.options(), Threads{threads});
    EXPECT_EQ(stream.sum, memory.sum);
    EXPECT_EQ(stream.episodes, 2000);
  }
}

TEST(FoldOverASource, TheErrorOfTheEarliestBlockLeaves) {
  const Dataset data = testing::random_logs({.episodes = 300}, Seed{3});
  struct Failing : RewardSumOfBlocks {
    void add_block(Statistic&, const Problem& block) const {
      if (block.data().episode_name(0) != "0") throw std::runtime_error(block.data().episode_name(0));
    }
  };
  const std::string second = dataset_source(data, 50).open() ? data.episode_name(make_blocks(data, 50)[1].first) : "";
  for (const int threads : {1, 4}) {
    try {
      fold(Failing{}, dataset_source(data, 50), {}, Threads{threads});
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), second);
    }
  }
}

TEST(ForEachEpisode, VisitsEveryEpisodeOnce) {
  const Problem problem = testing::random_problem({.episodes = 500}, Seed{2});
  std::vector<int> visits(500, 0);
  for_each_episode(problem, {.threads = Threads{3}, .steps_per_block = 64},
                   [&](const LoggedEpisode& episode) { ++visits[episode.index]; });
  EXPECT_EQ(visits, std::vector<int>(500, 1));
}

}  // namespace
}  // namespace starope
