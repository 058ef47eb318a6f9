#include "starope/arp/arp_model.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

ArpStatistic statistic(std::int64_t cells) {
  const std::vector<double> zeros(cells, 0.0);
  return {.recipe = {.cells = cells},
          .episodes = 4,
          .start = zeros,
          .reward = zeros,
          .exit = zeros,
          .cut = zeros,
          .move = MoveCounts(cells),
          .unit = 0};
}

TEST(ArpModel, DividesMovesByWhatWasSeenAndRewardsByVisits) {
  ArpStatistic s = statistic(2);
  s.start = {3, 1};
  s.move.add(0, 0, 1.0);
  s.move.add(0, 1, 2.0);
  s.exit = {1.0, 5.0};
  s.cut = {4.0, 0.0};
  s.reward = {16.0, 10.0};
  const ArpModel m = make_model(s);
  EXPECT_EQ(m.start, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(m.seen, (std::vector<double>{4.0, 5.0}));
  EXPECT_EQ(m.visit, (std::vector<double>{8.0, 5.0}));
  EXPECT_EQ(m.reward, (std::vector<double>{2.0, 2.0}));
  EXPECT_EQ(m.exit, (std::vector<double>{0.25, 1.0}));
  EXPECT_EQ(m.transition.values_of(0)[0], 0.25);
  EXPECT_EQ(m.transition.values_of(0)[1], 0.5);
}

TEST(ArpModel, CellsWithoutWeightStayEmpty) {
  ArpStatistic s = statistic(3);
  s.start = {4, 0, 0};
  s.move.add(0, 1, 1.0);
  s.cut[2] = 2.0;
  s.reward[2] = 6.0;
  const ArpModel m = make_model(s);
  EXPECT_EQ(m.reward[1], 0.0);
  EXPECT_EQ(m.seen[1], 0.0);
  EXPECT_EQ(m.transition.columns_of(1).size(), 0u);
  EXPECT_EQ(m.reward[2], 3.0);  // only cut steps: the reward is known, the outcome is not
  EXPECT_EQ(m.seen[2], 0.0);
}

}  // namespace
}  // namespace starope
