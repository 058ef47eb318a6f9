#include "starope/statistic.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/solve.hpp"
#include "starope/data/random_logs.hpp"
#include "starope/error.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

using ::testing::HasSubstr;

TEST(ArpOptions, DefaultsAreThePapersEquations) {
  const ArpOptions options;
  EXPECT_EQ(options.clip, Clip::last(1));
  EXPECT_EQ(options.truncation, TruncationRule::end);
  EXPECT_EQ(options.time, TimeModel::pooled);
  EXPECT_FALSE(options == ArpOptions{.clip = Clip::none()});
}

struct Counted {
  Dataset logs = testing::random_logs({.episodes = 40, .discrete_states = 5}, Seed{3});
  ArpCount count{};

  explicit Counted(const ArpOptions& options = {}) {
    count.question = {.discount = Discount{0.9}, .horizon = Horizon{8}};
    count.phi = *fit_abstraction(Identity{}, make_problem(logs, count.question)).phi;
    count.options = options;
    count.whole = survey(dataset_source(logs), count.question);
  }
};

TEST(Statistic, TheSurveyOfASourceIsThatOfTheProblem) {
  const Counted c;
  EXPECT_EQ(c.count.whole, make_problem(c.logs, c.count.question).survey());
  EXPECT_EQ(survey(dataset_source(c.logs, 7), c.count.question, Threads{3}), c.count.whole);
}

TEST(Statistic, AFoldOverASourceHasTheSumsOfTheProblem) {
  const Counted c({.clip = Clip::last(2)});
  const Problem problem = make_problem(c.logs, c.count.question);
  const Labels labels = c.count.phi.label(c.logs);
  const Statistic whole = fold(c.count, dataset_source(c.logs));
  EXPECT_EQ(whole.sums(), fold(ArpFold(labels, problem, c.count.options), problem));
  EXPECT_EQ(whole.episodes(), 40.0);
  EXPECT_EQ(whole.recipe().phi, c.count.phi.fingerprint());
}

TEST(Statistic, PartsThatTravelledAsBytesAddUpToTheWhole) {
  const Counted c;
  const Statistic whole = fold(c.count, dataset_source(c.logs));
  const Bytes far = fold(c.count, dataset_source(c.logs.take(0, 13))).to_bytes();
  Statistic total = Statistic::from_bytes(far);
  EXPECT_FALSE(total == whole);
  const Statistic first = total;
  total += fold(c.count, dataset_source(c.logs.take(13, 40)));
  EXPECT_EQ(first.episodes(), 13.0);  // copies are values of their own
  EXPECT_EQ(total.episodes(), 40.0);
  EXPECT_NEAR(finish(c.count, total).value, finish(c.count, whole).value, 1e-12);
}

TEST(Statistic, FinishSolvesTheProcess) {
  for (const TimeModel time : {TimeModel::pooled, TimeModel::indexed}) {
    const Counted c({.time = time});
    const Statistic whole = fold(c.count, dataset_source(c.logs));
    const std::optional<Horizon> steps = time == TimeModel::pooled ? c.count.question.horizon : std::nullopt;
    const ArpSolution expected = solve(make_model(whole.sums()), c.count.question.discount, steps);
    const ArpValue found = finish(c.count, whole);
    EXPECT_EQ(found.value, expected.value);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(found.visits, expected.visits);
    EXPECT_EQ(found.unsupported, expected.unsupported);
  }
}

TEST(Statistic, RefusesStrangers) {
  const Counted one, two({.clip = Clip::none()});
  Statistic total = fold(one.count, dataset_source(one.logs));
  const Statistic stranger = fold(two.count, dataset_source(two.logs));
  EXPECT_THROW(total += stranger, InvalidArgument);
  EXPECT_THROW(finish(one.count, stranger), InvalidArgument);
  Bytes damaged = total.to_bytes();
  damaged.back() ^= std::byte{1};
  EXPECT_THROW(Statistic::from_bytes(damaged), DataError);
}

}  // namespace
}  // namespace starope
