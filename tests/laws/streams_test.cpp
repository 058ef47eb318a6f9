// Logs that come in blocks are the logs: the same numbers as in memory, to the bit, for the same blocks; and to
// rounding for any others.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "starope/data.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/estimators.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/estimators/star.hpp"
#include "starope/fold/fold.hpp"
#include "starope/inference/influence_interval.hpp"
#include "starope/inspect.hpp"
#include "starope/io.hpp"
#include "starope/io/testing_files.hpp"

namespace starope {
namespace {

// More than two blocks of the usual size, so that sums really are merged.
const Dataset& many_steps(bool ids) {
  static const Dataset features = testing::random_logs(
      {.episodes = 14000, .longest = 20, .zero_target = 0.02, .truncated = 0.4, .final_states = 0.5}, Seed{1});
  static const Dataset discrete = testing::random_logs({.episodes = 14000,
                                                        .longest = 20,
                                                        .discrete_states = 30,
                                                        .zero_target = 0.02,
                                                        .truncated = 0.4,
                                                        .final_states = 0.5},
                                                       Seed{2});
  return ids ? discrete : features;
}

std::vector<ProblemOptions> questions() {
  return {{},
          {.discount = Discount{0.9}},
          {.discount = Discount{0.9}, .horizon = Horizon{7}},
          {.horizon = Horizon{7}, .hide_beyond_horizon = true}};
}

void expect_same(const Estimate& stream, const Estimate& memory, const std::string& what) {
  EXPECT_EQ(stream.value, memory.value) << what;
  EXPECT_EQ(stream.std_error, memory.std_error) << what;
  EXPECT_EQ(stream.ess, memory.ess) << what;
  EXPECT_EQ(stream.findings, memory.findings) << what;
  const auto a = influence_interval(stream, Level{0.95}), b = influence_interval(memory, Level{0.95});
  ASSERT_EQ(a.has_value(), b.has_value()) << what;
  if (a) {
    EXPECT_NEAR(a->lower, b->lower, 1e-9 * (1.0 + std::abs(b->lower))) << what;
    EXPECT_NEAR(a->upper, b->upper, 1e-9 * (1.0 + std::abs(b->upper))) << what;
  }
}

// Where the logs are many, memory takes the same sample as a stream.
TEST(StreamLaws, PhiIsFittedToTheSameSample) {
  for (const bool ids : {false, true}) {
    const Dataset& data = many_steps(ids);
    const Problem problem = make_problem(data, ProblemOptions{.horizon = Horizon{7}});
    for (const AbstractionRecipe& recipe :
         std::vector<AbstractionRecipe>{Clusters{.clusters = 5}, Identity{}, RandomCentroids{.clusters = 4}}) {
      const FittedAbstraction memory = fit_abstraction(recipe, problem, Threads{2}, 20'000);
      const PhiFit stream = fit_phi(recipe, dataset_source(data), problem.options(), Threads{1}, 20'000);
      if (!ids && std::holds_alternative<Identity>(recipe)) continue;  // a cell per state: only ids can be listed
      EXPECT_EQ(memory.phi->fingerprint(), stream.phi.fingerprint()) << describe(recipe) << ids;
      EXPECT_EQ(memory.labels, stream.phi.label(data)) << describe(recipe) << ids;
    }
  }
  const FittedAbstraction grid = fit_abstraction(Grid{.bins = 3}, make_problem(many_steps(false)), Threads{2}, 20'000);
  EXPECT_TRUE(grid.phi->has_elsewhere());
  const PhiFit stream = fit_phi(Grid{.bins = 3}, dataset_source(many_steps(false)), {}, Threads{1}, 20'000);
  EXPECT_EQ(grid.phi->fingerprint(), stream.phi.fingerprint());
}

TEST(StreamLaws, InspectionsAreTheSame) {
  for (const bool ids : {false, true}) {
    const Dataset& data = many_steps(ids);
    Inspection memory = inspect(data), stream = inspect(dataset_source(data, 1000), {.threads = Threads{1}});
    ASSERT_EQ(memory.findings.size(), stream.findings.size());  // whose numbers depend on the blocks, to rounding
    for (std::size_t i = 0; i < memory.findings.size(); ++i)
      EXPECT_EQ(memory.findings[i].code, stream.findings[i].code);
    memory.findings = stream.findings = {};
    EXPECT_EQ(memory, stream);
    EXPECT_EQ(memory.steps, data.steps());
    EXPECT_FALSE(memory.weights.empty());
  }
}

TEST(StreamLaws, RolloutsOfTheProcessAreTheSame) {
  const Dataset& data = many_steps(true);
  const Star star{.phi = Identity{}, .rollouts = 200};
  const ProblemOptions question{.horizon = Horizon{7}};
  const Estimate memory = estimate(star, make_problem(data, question));
  expect_same(estimate(star, dataset_source(data), question), memory, "rollouts");
  EXPECT_NE(memory.value, estimate(Star{.phi = Identity{}}, make_problem(data, question)).value);
}

TEST(StreamLaws, WeightedEstimatorsHaveTheBitsOfMemory) {
  const Dataset& data = many_steps(false);
  ASSERT_GT(make_blocks(data).size(), 2u);
  const Source source = dataset_source(data);
  for (const ProblemOptions& question : questions()) {
    const Problem problem = make_problem(data, question);
    for (const int threads : {1, 3}) {
      const EstimateOptions options{.threads = Threads{threads}};
      expect_same(estimate(Naive{}, source, question, options), estimate(Naive{}, problem), "naive");
      for (const bool weighted : {false, true}) {
        for (const bool per_decision : {false, true}) {
          const ImportanceSampling estimator{.weighted = weighted, .per_decision = per_decision};
          expect_same(estimate(estimator, source, question, options), estimate(estimator, problem),
                      std::string(weighted ? "w" : "") + (per_decision ? "pdis" : "is"));
        }
      }
    }
  }
}

TEST(StreamLaws, StarHasTheBitsOfMemory) {
  for (const bool ids : {false, true}) {
    const Dataset& data = many_steps(ids);
    const Source source = dataset_source(data);
    std::vector<AbstractionRecipe> recipes{One{}, Time{}, Clusters{.clusters = 6, .max_iterations = 2}};
    recipes.push_back(ids ? AbstractionRecipe{Identity{}} : AbstractionRecipe{Grid{.bins = 3}});
    for (const ProblemOptions& question : questions()) {
      const Problem problem = make_problem(data, question);
      for (const AbstractionRecipe& phi : recipes) {
        for (const Clip clip : {Clip::last(1), Clip::last(3), Clip::none()}) {
          Star star{.phi = phi, .clip = clip};
          expect_same(estimate(star, source, question), estimate(star, problem), describe(phi) + " " + clip.text());
          if (!question.horizon || clip != Clip::last(3)) continue;
          star.truncation = TruncationRule::censor;
          star.time = std::holds_alternative<One>(phi) ? TimeModel::indexed : TimeModel::pooled;
          expect_same(estimate(star, source, question), estimate(star, problem), describe(phi) + " censored");
        }
      }
    }
  }
}

// Fitted to all of them; starope/auto/auto_fold_test.cpp has the law for a sample.
TEST(StreamLaws, AutoHasTheBitsOfMemory) {
  const Dataset& data = many_steps(false);
  const Auto automatic{.history = History::off, .seeds = 1, .ladder = {4, 8}};
  const ProblemOptions question{.discount = Discount{0.9}, .horizon = Horizon{7}};
  const Estimate memory = estimate(Estimator{automatic}, make_problem(data, question));
  const Estimate stream = estimate(automatic, dataset_source(data), question, {.threads = Threads{3}});
  expect_same(stream, memory, "auto");
  EXPECT_EQ(stream.families, memory.families);
  EXPECT_EQ(stream.spread->episodes, data.episodes());
}

TEST(StreamLaws, AnyBlocksInAnyOrderGiveTheSameNumbers) {
  const Dataset& whole = many_steps(false);
  const Dataset data = whole.take(0, 1500);
  std::vector<std::int64_t> backwards(1500);
  std::iota(backwards.rbegin(), backwards.rend(), std::int64_t{0});
  const Problem problem = make_problem(data, ProblemOptions{.discount = Discount{0.95}});
  const Phi phi = *fit_abstraction(Clusters{.clusters = 6}, problem).phi;
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); };
  const ArpBlockFold recipe{
      .phi = phi, .options = {.clip = Clip::last(2)}, .whole = problem.survey(), .question = problem.options()};
  const double expected =
      solve(make_model(fold(recipe, dataset_source(data), problem.options())), problem.discount(), {}).value;
  const double wpdis = estimate(ImportanceSampling{true, true}, problem).value;
  for (const Dataset& ordered : {data, data.take(backwards)}) {
    for (const std::int64_t steps : {1, 100, 3000}) {
      const Source source = dataset_source(ordered, steps);
      const ArpStatistic sums = fold(recipe, source, problem.options());
      EXPECT_TRUE(close(solve(make_model(sums), problem.discount(), {}).value, expected)) << steps;
      EXPECT_TRUE(close(estimate(ImportanceSampling{true, true}, source, problem.options()).value, wpdis)) << steps;
    }
  }
  // Parts that were counted elsewhere and sent as bytes.
  ArpStatistic sum = recipe.identity();
  for (std::int64_t first = 0; first < 1500; first += 500) {
    const Source part = dataset_source(data.take(first, first + 500));
    sum += ArpStatistic::from_bytes(fold(recipe, part, problem.options()).to_bytes());
  }
  EXPECT_TRUE(close(solve(make_model(sum), problem.discount(), {}).value, expected));
}

// A file that is read anew for every pass, in batches that end in the middle of episodes.
TEST(StreamLaws, AFileHasTheBitsOfMemory) {
  const testing::TemporaryFolder folder;
  const ProblemOptions question{.discount = Discount{0.9}, .horizon = Horizon{7}};
  for (const bool ids : {false, true}) {
    const std::string path = folder.path("logs.csv");
    io::write_csv(many_steps(ids), path);
    const Problem problem = make_problem(io::read(path).data, question);
    const Source source = io::open(path, {.chunk_bytes = 1 << 20}).source;
    const Star star{.phi = Clusters{.clusters = 6, .max_iterations = 2}, .clip = Clip::last(2)};
    expect_same(estimate(Naive{}, source, question), estimate(Naive{}, problem), "naive");
    const ImportanceSampling wpdis{.weighted = true, .per_decision = true};
    expect_same(estimate(wpdis, source, question), estimate(wpdis, problem), "wpdis");
    expect_same(estimate(star, source, question), estimate(star, problem), "star");
  }
}

TEST(StreamLaws, AWeightIsARepetition) {
  const Dataset data = many_steps(false).take(0, 300);
  std::vector<std::int64_t> repeated;
  std::vector<double> times;
  for (std::int64_t i = 0; i < 300; ++i) {
    times.push_back(static_cast<double>(i % 4));
    for (std::int64_t k = 0; k < i % 4; ++k) repeated.push_back(i);
  }
  const Problem once = make_problem(data), several = make_problem(data.take(repeated));
  const Phi phi = *fit_abstraction(Clusters{.clusters = 4}, once).phi;
  const Labels labels = phi.label(data), more = phi.label(several.data());
  const ArpStatistic a = fold(ArpFold(labels, once, {.clip = Clip::last(2)}), once, times);
  const ArpStatistic b = fold(ArpFold(more, several, {.clip = Clip::last(2)}), several);
  EXPECT_EQ(a.episodes, b.episodes);
  const double left = solve(make_model(a), Discount{1.0}, {}).value;
  EXPECT_NEAR(left, solve(make_model(b), Discount{1.0}, {}).value, 1e-11 * std::abs(left));
}

}  // namespace
}  // namespace starope
