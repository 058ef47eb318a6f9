#include "starope/evaluate/ledger.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starope {
namespace {

// Some processor time.
double work() {
  double sum = 0.0;
  for (int i = 1; i < 200'000; ++i) sum += std::sin(static_cast<double>(i));
  return sum;
}

TEST(Ledger, UsersShareEqually) {
  Ledger ledger;
  const Ledger::Item fit = ledger.open(), first = ledger.open(), second = ledger.open();
  ledger.uses(first, fit);
  ledger.uses(second, fit);
  double result = 0.0;
  {
    const Ledger::Timer timer(ledger, fit);
    result += work();
  }
  EXPECT_GT(ledger.seconds(fit), 0.0);
  EXPECT_EQ(ledger.seconds(first), 0.5 * ledger.seconds(fit));
  EXPECT_EQ(ledger.seconds(first), ledger.seconds(second));
  EXPECT_NE(result, 0.0);
}

// Whoever happens to come first is not charged for what all use: time inside
// goes to the inner item alone.
TEST(Ledger, TimeWithinIsChargedOnce) {
  Ledger ledger;
  const Ledger::Item outer = ledger.open(), inner = ledger.open(), other = ledger.open();
  double result = 0.0;
  {
    const Ledger::Timer timer(ledger, outer);
    const Ledger::Timer shared(ledger, inner);
    for (int i = 0; i < 10; ++i) result += work();
  }
  EXPECT_GT(ledger.seconds(inner), 100.0 * ledger.seconds(outer));
  EXPECT_GE(ledger.seconds(outer), 0.0);
  EXPECT_EQ(ledger.seconds(other), 0.0);
  EXPECT_NE(result, 0.0);
}

TEST(Ledger, SharesGoDownToTheLastUser) {
  Ledger ledger;
  const Ledger::Item labels = ledger.open(), features = ledger.open(), star = ledger.open(), model = ledger.open();
  ledger.uses(features, labels);
  ledger.uses(star, labels);
  ledger.uses(model, features);
  double result = 0.0;
  {
    const Ledger::Timer timer(ledger, labels);
    result += work();
  }
  EXPECT_EQ(ledger.seconds(star), 0.5 * ledger.seconds(labels));
  EXPECT_EQ(ledger.seconds(model), 0.5 * ledger.seconds(labels));
  EXPECT_NE(result, 0.0);
}

}  // namespace
}  // namespace starope
