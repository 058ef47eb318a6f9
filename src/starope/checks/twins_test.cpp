#include "starope/checks/twins.hpp"

#include <gtest/gtest.h>

#include "starope/checks/testing.hpp"
#include "starope/data/log_vectors.hpp"

namespace starope {
namespace {

using testing::small_world;

Twins contents(const Dataset& data) {
  Twins twins;
  for (std::int64_t e = 0; e < data.episodes(); ++e) add_content(twins, data, e);
  return twins;
}

TEST(Twins, TheChanceIsTheProductOfTheActionProbabilities) {
  testing::LogVectors logs;
  logs.action_count = 2;
  logs.actions = {0, 1, 1};
  logs.rewards = {1.0, 2.0, 3.0};
  logs.behavior = {0.5, 0.25, 0.1};
  logs.target = {0.5, 0.5, 0.5};
  logs.end_episode();
  const Twins twins = contents(std::move(logs).dataset());
  ASSERT_EQ(twins.episodes.size(), 1U);
  EXPECT_NEAR(std::exp(twins.episodes[0].log_chance), 0.5 * 0.25 * 0.1, 1e-15);
}

TEST(Twins, EveryValueOfAStepBelongsToTheContent) {
  const testing::SmallWorld clean = small_world(1, Seed{1});
  const std::uint64_t hash = contents(clean.dataset()).episodes[0].hash;
  EXPECT_EQ(contents(clean.dataset()).episodes[0].hash, hash);
  for (int what = 0; what < 4; ++what) {
    testing::SmallWorld other = clean;
    if (what == 0) other.x[7] += 1e-9;
    if (what == 1) other.reward[7] += 1e-9;
    if (what == 2) other.action[7] = 1 - other.action[7];
    if (what == 3) std::swap(other.v[3], other.v[4]);
    EXPECT_NE(contents(other.dataset()).episodes[0].hash, hash) << what;
  }
}

TEST(Twins, FindsAllEpisodesTwice) {
  const Dataset data = small_world(300, Seed{1}).dataset();
  EXPECT_EQ(copies_among(contents(data)).copies, 0);
  const std::vector<Dataset> both = {data, data};
  const Copies found = copies_among(contents(concat(both)));
  EXPECT_EQ(2 * found.copies, found.counted);
  EXPECT_GE(found.counted, 590);  // of 600: all but those whose actions are nearly certain
  EXPECT_NEAR(found.shrink(), std::sqrt(2.0), 1e-12);
  const auto findings = twin_findings(found);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].severity, Severity::critical);
}

TEST(Twins, AFewCopiesAreAWarning) {
  const Dataset data = small_world(300, Seed{1}).dataset();
  const std::vector<Dataset> more = {data, data.take(10, 16)};
  const Copies found = copies_among(contents(concat(more)));
  ASSERT_EQ(found.copies, 6);
  EXPECT_EQ(twin_findings(found)[0].severity, Severity::warning);
}

// Three steps of two actions: eight episodes there are, so five hundred repeat each other.
TEST(Twins, ShortEpisodesOfASmallWorldRepeatByChance) {
  testing::LogVectors logs;
  logs.action_count = 2;
  Random random(Seed{5}, Stream::test_data, 0);
  for (int i = 0; i < 500; ++i) {
    for (int t = 0; t < 3; ++t) {
      logs.actions.push_back(random.uniform() < 0.5 ? 1 : 0);
      logs.rewards.push_back(logs.actions.back());
      logs.behavior.push_back(0.5);
      logs.target.push_back(0.5);
    }
    logs.end_episode();
  }
  EXPECT_EQ(copies_among(contents(std::move(logs).dataset())).copies, 0);
}

Twins of(const Twins& all, std::size_t first, std::size_t last) {
  Twins some;
  some.episodes.assign(all.episodes.begin() + static_cast<std::ptrdiff_t>(first),
                       all.episodes.begin() + static_cast<std::ptrdiff_t>(last));
  return some;
}

// Two parts of 2,400 episodes that share 400: a sixth of those that are looked at has a twin in the other part.
TEST(TwinSample, FindsWhatSeveralPartsHave) {
  const Twins all = contents(small_world(4400, Seed{2}).dataset());
  const Twins first = of(all, 0, 2400), second = of(all, 2000, 4400);
  TwinSample total, other;
  total += first;
  other += second;
  EXPECT_EQ(total.copies().copies, 0);
  total += other;
  const Copies found = total.copies();
  EXPECT_LE(found.counted, static_cast<std::int64_t>(TwinSample::most));
  EXPECT_NEAR(found.share(), 400.0 / 4800.0, 0.03);
}

TEST(TwinSample, IsTheSameInWhateverOrderItIsAddedUp) {
  const Twins all = contents(small_world(3000, Seed{3}).dataset());
  TwinSample whole;
  whole += all;
  for (const std::size_t middle : {1U, 700U, 1500U, 2999U}) {
    TwinSample first, second;
    first += of(all, 0, middle);
    second += of(all, middle, 3000);
    TwinSample back = second;
    back += first;
    first += second;
    EXPECT_EQ(first, whole);
    EXPECT_EQ(back, whole);
    ByteWriter bytes;
    back.write(bytes);
    ByteReader reader(bytes.bytes(), "sample");
    EXPECT_EQ(TwinSample::read(reader), whole);
  }
}

// A sample knows how many episodes it was taken from: what chance repeats in all of them is no copy in the sample.
TEST(TwinSample, ShortEpisodesOfASmallWorldRepeatByChance) {
  testing::LogVectors logs;
  logs.action_count = 2;
  Random random(Seed{6}, Stream::test_data, 0);
  for (int i = 0; i < 20'000; ++i) {
    for (int t = 0; t < 12; ++t) {
      logs.actions.push_back(random.uniform() < 0.5 ? 1 : 0);
      logs.rewards.push_back(logs.actions.back());
      logs.behavior.push_back(0.5);
      logs.target.push_back(0.5);
    }
    logs.end_episode();
  }
  TwinSample sample;
  sample += contents(std::move(logs).dataset());
  EXPECT_EQ(sample.copies().copies, 0);
}

TEST(Twins, MergingKeepsAllContents) {
  const Dataset data = small_world(40, Seed{1}).dataset();
  Twins merged = contents(data.take(0, 15));
  merged += contents(data.take(15, 40));
  EXPECT_EQ(merged.episodes, contents(data).episodes);
}

}  // namespace
}  // namespace starope
