#include "starope/arp/arp_statistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "starope/data/log_vectors.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/fold/fold.hpp"
#include "starope/phi.hpp"

namespace starope {
namespace {

Labels random_labels(const Problem& problem, std::int64_t cells, Seed seed) {
  Random random(seed, Stream::test_data, 99);
  Labels labels{.cells = cells, .of_row = std::vector<Label>(problem.data().state_rows())};
  for (Label& z : labels.of_row) z = static_cast<Label>(random.below(static_cast<std::uint64_t>(cells)));
  return labels;
}

// Two episodes, two cells. Episode 0: z = 0,1,0 ratios 2,3,5 rewards 1,10,100, terminated.
//                          Episode 1: z = 1,1   ratios 7,0.5 rewards 4,8, truncated, then in cell 0.
struct HandCase {
  Problem problem;
  Labels labels;
};
HandCase hand_case(double gamma, bool final_state) {
  Columns c;
  c.offsets = {0, 3, 5};
  std::vector<std::int64_t> ids{0, 1, 0, 1, 1};
  if (final_state) ids.push_back(0);
  c.states = make_discrete_states(ids);
  c.has_final_state = {false, final_state};
  c.rewards = {1, 10, 100, 4, 8};
  c.behavior = LoggedProbabilities{.values = {.1, .1, .1, .1, .1}};
  c.target = LoggedProbabilities{.values = {.2, .3, .5, .7, .05}};
  c.ends = {EpisodeEnd::terminated, EpisodeEnd::truncated};
  Labels labels{.cells = 2, .of_row = {0, 1, 0, 1, 1}};
  if (final_state) labels.of_row.push_back(0);
  return {make_problem(Dataset(std::move(c)), {.discount = Discount{gamma}}), labels};
}

double move_of(const ArpStatistic& s, Label from, Label to) {
  const SparseRows rows = s.move.rows();
  const std::size_t at = rows.find(from, to);
  return at < rows.value.size() ? rows.value[at] : 0.0;
}

TEST(ArpStatistic, HandComputedSumsWithClipOneAndDiscount) {
  const HandCase c = hand_case(0.5, false);
  const ArpStatistic s = fold(ArpFold(c.labels, c.problem, {}), c.problem);
  // Weights g^t rho_t: episode 0: 2, 1.5, 1.25; episode 1: 7, 0.25.
  EXPECT_EQ(s.episodes, 2);
  EXPECT_EQ(s.start, (std::vector<double>{1, 1}));
  EXPECT_NEAR(s.reward[0], 2 * 1 + 1.25 * 100, 1e-12);
  EXPECT_NEAR(s.reward[1], 1.5 * 10 + 7 * 4 + 0.25 * 8, 1e-12);
  EXPECT_NEAR(move_of(s, 0, 1), 2, 1e-12);
  EXPECT_NEAR(move_of(s, 1, 0), 1.5, 1e-12);
  EXPECT_NEAR(move_of(s, 1, 1), 7, 1e-12);
  EXPECT_NEAR(s.exit[0], 1.25, 1e-12);
  EXPECT_NEAR(s.exit[1], 0.25, 1e-12);  // truncation=end: the cut is an exit
  EXPECT_EQ(s.cut, (std::vector<double>{0, 0}));
}

TEST(ArpStatistic, HandComputedWindowsOfTwoAndOfAll) {
  const HandCase c = hand_case(1.0, false);
  const ArpStatistic two = fold(ArpFold(c.labels, c.problem, {.clip = Clip::last(2)}), c.problem);
  // Products of the last two ratios: 2, 6, 15; 7, 3.5.
  EXPECT_NEAR(two.exit[0], 15, 1e-12);
  EXPECT_NEAR(move_of(two, 1, 0), 6, 1e-12);
  EXPECT_NEAR(two.exit[1], 3.5, 1e-12);
  const ArpStatistic all = fold(ArpFold(c.labels, c.problem, {.clip = Clip::none()}), c.problem);
  EXPECT_NEAR(all.exit[0], 30, 1e-12);
  EXPECT_NEAR(all.reward[0], 2 * 1 + 30 * 100, 1e-12);
}

TEST(ArpStatistic, ACensoredCutIsNeitherMoveNorExit) {
  const HandCase unknown = hand_case(1.0, false);
  const ArpOptions censor{.truncation = TruncationRule::censor};
  const ArpStatistic s = fold(ArpFold(unknown.labels, unknown.problem, censor), unknown.problem);
  EXPECT_EQ(s.exit[1], 0.0);
  EXPECT_NEAR(s.cut[1], 0.5, 1e-12);
  EXPECT_NEAR(s.reward[1], 3 * 10 + 7 * 4 + 0.5 * 8, 1e-12);  // its reward counts

  const HandCase known = hand_case(1.0, true);
  const ArpStatistic k = fold(ArpFold(known.labels, known.problem, censor), known.problem);
  EXPECT_EQ(k.cut[1], 0.0);
  EXPECT_NEAR(move_of(k, 1, 0), 3 + 0.5, 1e-12);  // a known final state is a move
}

TEST(ArpStatistic, TimeIndexedCellsAreLayers) {
  const HandCase c = hand_case(0.5, false);
  const ArpFold recipe(c.labels, c.problem, {.time = TimeModel::indexed});
  EXPECT_EQ(recipe.recipe().cells, 2 * 4);
  const ArpStatistic s = fold(recipe, c.problem);
  // Cell (z, t) is t * 2 + z; no discount inside the counts, it cancels within a layer.
  EXPECT_NEAR(move_of(s, 0, 3), 2, 1e-12);
  EXPECT_NEAR(move_of(s, 3, 4), 3, 1e-12);
  EXPECT_NEAR(s.exit[4], 5, 1e-12);
  EXPECT_NEAR(move_of(s, 1, 3), 7, 1e-12);
  EXPECT_NEAR(s.exit[3], 0.5, 1e-12);
}

TEST(ArpStatistic, TheLastLayerBeforeTheHorizonExits) {
  const HandCase c = hand_case(1.0, false);
  const Problem cut = c.problem.with({.horizon = Horizon{2}});
  const ArpStatistic s =
      fold(ArpFold(c.labels, cut, {.truncation = TruncationRule::censor, .time = TimeModel::indexed}), cut);
  EXPECT_NEAR(s.exit[3], 3 + 0.5, 1e-12);  // both episodes reach the horizon in cell 1 at t = 1
  EXPECT_EQ(s.cut, std::vector<double>(6, 0.0));
}

// The sums written down as in the definition, step by step, without chunks, units or dense matrices.
struct Oracle {
  std::map<Label, double> reward, exit, cut;
  std::map<std::pair<Label, Label>, double> move;
};
Oracle oracle(const Problem& problem, const Labels& labels, const ArpOptions& options) {
  Oracle o;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode e = problem.episode(i);
    const auto z = [&](std::int64_t t) { return labels.of_row[e.first_row + t]; };
    for (std::int64_t t = 0; t < e.length(); ++t) {
      double w = std::pow(problem.discount().gamma(), static_cast<double>(t));
      const std::int64_t first = options.clip.is_none() ? 0 : std::max<std::int64_t>(0, t - *options.clip.window() + 1);
      for (std::int64_t j = first; j <= t; ++j) w *= e.ratios[j];
      o.reward[z(t)] += w * e.rewards[t];
      if (t + 1 < e.length()) {
        o.move[{z(t), z(t + 1)}] += w;
      } else if (e.end == EpisodeEnd::terminated || options.truncation == TruncationRule::end) {
        o.exit[z(t)] += w;
      } else if (e.final_row) {
        o.move[{z(t), labels.of_row[*e.final_row]}] += w;
      } else {
        o.cut[z(t)] += w;
      }
    }
  }
  return o;
}

void expect_definition(const Problem& problem, const Labels& labels, const ArpOptions& options) {
  const ArpStatistic s = fold(ArpFold(labels, problem, options), problem);
  const Oracle o = oracle(problem, labels, options);
  const double unit = std::ldexp(1.0, 256 * s.unit.value_or(0));
  const auto near = [&](double actual, double expected) {
    EXPECT_NEAR(actual * unit, expected, 1e-11 * std::abs(expected) + 1e-290);
  };
  for (const auto& [z, x] : o.reward) EXPECT_NEAR(s.reward[z] * unit, x, 1e-9 * (1.0 + std::abs(x)));
  for (const auto& [z, x] : o.exit) near(s.exit[z], x);
  for (const auto& [z, x] : o.cut) near(s.cut[z], x);
  for (const auto& [pair, x] : o.move) near(move_of(s, pair.first, pair.second), x);
}

TEST(ArpStatistic, EqualsTheDefinitionOnRandomLogs) {
  for (const std::int64_t longest : {20, 700}) {     // shorter and longer than a chunk
    for (const std::int64_t cells : {1, 7, 1100}) {  // dense and sparse move counts
      for (const double gamma : {1.0, 0.999}) {
        const Problem problem =
            testing::random_problem({.episodes = 12, .longest = longest, .zero_target = 0.05, .final_states = 0.5},
                                    Seed{static_cast<std::uint64_t>(cells)}, {.discount = Discount{gamma}});
        const Labels labels = random_labels(problem, cells, Seed{3});
        for (const Clip clip : {Clip::last(1), Clip::last(2), Clip::last(3), Clip::last(20), Clip::none()}) {
          for (const TruncationRule truncation : {TruncationRule::end, TruncationRule::censor}) {
            expect_definition(problem, labels, {.clip = clip, .truncation = truncation});
          }
        }
      }
    }
  }
}

TEST(ArpStatistic, SplittingTheDataChangesNothingButRounding) {
  const Problem problem = testing::random_problem({.episodes = 60}, Seed{4});
  const Labels labels = random_labels(problem, 5, Seed{4});
  const ArpFold recipe(labels, problem, {.clip = Clip::last(2)});
  const ArpStatistic whole = fold(recipe, problem);
  for (const std::int64_t split : {0, 1, 30, 59, 60}) {
    ArpStatistic left = recipe.identity(), right = recipe.identity();
    for (std::int64_t i = 0; i < problem.episodes(); ++i) recipe.add(i < split ? left : right, problem.episode(i));
    left += right;
    EXPECT_EQ(left.episodes, whole.episodes);
    EXPECT_EQ(left.start, whole.start);
    for (std::size_t z = 0; z < 5; ++z) {
      EXPECT_NEAR(left.reward[z], whole.reward[z], 1e-12);
      EXPECT_NEAR(left.exit[z], whole.exit[z], 1e-12);
    }
  }
}

TEST(ArpStatistic, SameBitsForAnyNumberOfThreads) {
  const Problem problem = testing::random_problem({.episodes = 500}, Seed{5});
  for (const std::int64_t cells : {6, 1100}) {
    const Labels labels = random_labels(problem, cells, Seed{5});
    const ArpFold recipe(labels, problem, {.clip = Clip::none()});
    const ArpStatistic one = fold(recipe, problem, {.threads = Threads{1}, .steps_per_block = 200});
    const ArpStatistic many = fold(recipe, problem, {.threads = Threads{4}, .steps_per_block = 200});
    EXPECT_EQ(one.reward, many.reward);
    EXPECT_EQ(one.exit, many.exit);
    EXPECT_EQ(one.move.rows().value, many.move.rows().value);
  }
}

TEST(ArpStatistic, RefusesToMergeStrangers) {
  const Problem problem = testing::random_problem({}, Seed{6});
  const Labels labels = random_labels(problem, 3, Seed{6});
  ArpStatistic a = ArpFold(labels, problem, {.clip = Clip::last(1)}).identity();
  const ArpStatistic b = ArpFold(labels, problem, {.clip = Clip::last(2)}).identity();
  EXPECT_THROW(a += b, InvalidArgument);
}

TEST(ArpStatistic, ProductsBeyondTheRangeOfDoubleKeepTheirQuotients) {
  // Two episodes of 2000 steps, every ratio 2 in one and 1/2 in the other; and a third far in between.
  const auto problem_with = [](const std::vector<double>& target) {
    testing::LogVectors c;
    for (const double p : target) {
      for (int t = 0; t < 2000; ++t) {
        c.rewards.push_back(1.0);
        c.behavior.push_back(0.4);
        c.target.push_back(p);
      }
      c.end_episode();
    }
    return make_problem(std::move(c).dataset());
  };
  const Problem problem = problem_with({0.2, 0.8, 0.4});
  const Labels labels{.cells = 1, .of_row = std::vector<Label>(6000, 0)};
  const ArpStatistic s = fold(ArpFold(labels, problem, {.clip = Clip::none()}), problem);
  // The weights of the second episode are 2, 4, ..., 2^2000: the exit share is 2^2000 / (2^2001 - 2), the rest is
  // nothing.
  EXPECT_NEAR(s.exit[0] / (s.exit[0] + move_of(s, 0, 0)), 0.5, 1e-12);
  // Alone, the vanishing weights of the first episode 2^-1, ..., 2^-2000 still have their quotients.
  const Problem tiny = problem_with({0.2});
  const Labels one{.cells = 1, .of_row = std::vector<Label>(2000, 0)};
  const ArpStatistic t = fold(ArpFold(one, tiny, {.clip = Clip::none()}), tiny);
  EXPECT_NEAR(t.reward[0] / (t.exit[0] + move_of(t, 0, 0)), 1.0, 1e-12);
}

// Two fits of as many cells are not the same cells: their counts must not be added up.
TEST(ArpStatistic, RefusesToMergeWithAnotherPhi) {
  const Problem problem = testing::random_problem({.episodes = 60}, Seed{4});
  const Labels one = fit_abstraction(Clusters{.clusters = 8, .seed = Seed{1}}, problem).labels;
  const Labels two = fit_abstraction(Clusters{.clusters = 8, .seed = Seed{2}}, problem).labels;
  ASSERT_EQ(one.cells, two.cells);
  ArpStatistic a = fold(ArpFold(one, problem, {}), problem);
  const ArpStatistic b = fold(ArpFold(two, problem, {}), problem);
  try {
    a += b;
    FAIL();
  } catch (const InvalidArgument& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(one.phi.text()), std::string::npos) << message;
    EXPECT_NE(message.find(two.phi.text()), std::string::npos) << message;
  }
  const Problem shorter = problem.with_horizon(Horizon{3});
  EXPECT_THROW(a += fold(ArpFold(one, shorter, {}), shorter), InvalidArgument);
  EXPECT_NO_THROW(a += fold(ArpFold(one, problem, {}), problem));
}

TEST(ArpStatistic, AnEpisodeThatCountsThriceIsThreeEpisodes) {
  const Problem problem = testing::random_problem({.episodes = 40, .longest = 400, .final_states = 0.5}, Seed{6},
                                                  {.discount = Discount{0.9}});
  const Labels labels = fit_abstraction(Clusters{.clusters = 5}, problem).labels;
  for (const Clip clip : {Clip::last(1), Clip::last(2), Clip::none()}) {
    const ArpFold recipe(labels, problem, {.clip = clip, .truncation = TruncationRule::censor});
    ArpStatistic thrice = recipe.identity(), repeated = recipe.identity();
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      recipe.add(thrice, problem.episode(i), 3.0);
      for (int k = 0; k < 3; ++k) recipe.add(repeated, problem.episode(i));
    }
    EXPECT_EQ(thrice.episodes, 120.0);
    EXPECT_EQ(thrice.start, repeated.start);
    EXPECT_EQ(thrice.unit, repeated.unit);
    for (std::size_t z = 0; z < 5; ++z) {
      EXPECT_NEAR(thrice.reward[z], repeated.reward[z], 1e-12 * std::abs(repeated.reward[z]));
      EXPECT_NEAR(thrice.exit[z], repeated.exit[z], 1e-12 * repeated.exit[z]);
      EXPECT_NEAR(thrice.cut[z], repeated.cut[z], 1e-12 * repeated.cut[z]);
    }
  }
}

TEST(ArpStatistic, ComesBackFromItsBytes) {
  const Problem problem =
      testing::random_problem({.episodes = 50, .longest = 40, .final_states = 0.5}, Seed{7}, {.horizon = Horizon{30}});
  for (const TimeModel time : {TimeModel::pooled, TimeModel::indexed}) {  // the latter with more cells than are dense
    const Labels labels = fit_abstraction(Clusters{.clusters = 40}, problem).labels;
    const ArpFold recipe(labels, problem, {.clip = Clip::none(), .truncation = TruncationRule::censor, .time = time});
    const ArpStatistic statistic = fold(recipe, problem);
    const Bytes bytes = statistic.to_bytes();
    ArpStatistic again = ArpStatistic::from_bytes(bytes);
    EXPECT_EQ(again, statistic);
    again += statistic;  // the recipe came back as well
    EXPECT_EQ(again.episodes, 100.0);
    EXPECT_NE(again, statistic);
    for (std::size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 500) {
      Bytes bad = bytes;
      bad[i] ^= std::byte{16};
      EXPECT_THROW(ArpStatistic::from_bytes(bad), DataError);
      EXPECT_THROW(ArpStatistic::from_bytes(std::span(bytes).first(i)), DataError);
    }
  }
  const Labels labels = fit_abstraction(One{}, problem).labels;
  const ArpStatistic nothing = ArpFold(labels, problem, {}).identity();
  EXPECT_EQ(ArpStatistic::from_bytes(nothing.to_bytes()), nothing);
}

}  // namespace
}  // namespace starope
