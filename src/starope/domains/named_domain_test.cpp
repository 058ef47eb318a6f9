#include "starope/domains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "starope/domains/cartpole.hpp"
#include "starope/domains/toys.hpp"
#include "starope/error.hpp"

namespace starope::domains {
namespace {

using ::testing::HasSubstr;

const std::vector<NamedPolicy> known{
    {"uniform", "all the same"},
    {"eps-greedy", "greedy with exceptions", PolicyParameter{.name = "eps", .value = 0.1, .low = 0.0, .high = 1.0}}};

std::string error_of(const std::string& text) {
  try {
    parse_policy(text, known);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParsePolicy, TakesNamesWithAndWithoutNumbers) {
  EXPECT_EQ(parse_policy("uniform", known), (PolicyChoice{"uniform", 0.0}));
  EXPECT_EQ(parse_policy("eps-greedy", known), (PolicyChoice{"eps-greedy", 0.1}));
  EXPECT_EQ(parse_policy("eps-greedy(0.25)", known), (PolicyChoice{"eps-greedy", 0.25}));
  EXPECT_EQ(parse_policy("EPS_greedy(eps=1)", known), (PolicyChoice{"eps-greedy", 1.0}));
}

TEST(ParsePolicy, SaysWhatIsWrong) {
  EXPECT_THAT(error_of("unifrom"), HasSubstr("did you mean 'uniform'"));
  EXPECT_THAT(error_of("uniform(0.5)"), HasSubstr("takes no parameter"));
  EXPECT_THAT(error_of("eps-greedy(2)"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of("eps-greedy(nan)"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of("eps-greedy(0.5x)"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of("eps-greedy()"), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of("eps-greedy(tau=1)"), HasSubstr("is called eps"));
  EXPECT_THAT(error_of("eps-greedy(0.5"), HasSubstr("closing parenthesis"));
  EXPECT_THAT(error_of(""), HasSubstr("unknown policy"));
}

TEST(ParsePolicy, TablesFromFiles) {
  std::vector<std::string> asked;
  const auto read = [&](const std::string& path) {
    asked.push_back(path);
    return PolicyTable{.actions = 2, .values = {0.25, 0.75}, .source = path};
  };
  EXPECT_EQ(parse_policy("dir (1)/a.csv", known, read).table->values, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(parse_policy("greedy(b.csv,0.5)", known, read).table->values, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(parse_policy("greedy(b.csv,0)", known, read).table->values, (std::vector<double>{0.0, 1.0}));
  EXPECT_GT(parse_policy("softmax(b.csv,0.1)", known, read).table->values[1], 0.99);
  EXPECT_EQ(asked, (std::vector<std::string>{"dir (1)/a.csv", "b.csv", "b.csv", "b.csv"}));
  EXPECT_THROW(parse_policy("greedy(b.csv,2)", known, read), InvalidArgument);
  EXPECT_THROW(parse_policy("sharpen(b.csv,2)", known, read), InvalidArgument);
  EXPECT_THROW(parse_policy("a.csv", known), InvalidArgument);
}

NamedDomain chain() {
  NamedDomain d;
  d.name = "single-path";
  d.horizon = Horizon{6};
  d.policies = {{"first", "action 0", PolicyParameter{.name = "p", .value = 0.4}}};
  add_exact_simulation(d, single_path(6),
                       [](const PolicyChoice& c) { return first_action_policy(single_path(6), c.parameter); });
  return d;
}

TEST(NamedDomain, OfAnMdpIsExact) {
  const NamedDomain d = chain();
  const TrueValue value = d.value("first", {});
  EXPECT_NEAR(value.value, 2.4, 1e-12);
  EXPECT_EQ(value.standard_error, 0.0);
  EXPECT_NEAR(d.value("first(0.5)", {.horizon = Horizon{2}, .discount = Discount{0.5}}).value, 0.75, 1e-12);
  const Dataset logs = d.simulate("first(0.6)", "first", {.episodes = 20});
  EXPECT_EQ(logs.longest(), 6);
  EXPECT_EQ(logs.target_distribution()->values[0], 0.4);
  EXPECT_EQ(d.simulate("first", "first", {.episodes = 2, .horizon = Horizon{3}}).longest(), 3);
}

TEST(NamedDomain, OfAnyWorldIsSimulated) {
  NamedDomain d;
  d.horizon = Horizon{10};
  d.policies = {{"uniform", ""}};
  add_simulation(d, CartPole{}, [](const PolicyChoice&) { return CartPolePolicy::uniform(); });
  const TrueValue value = d.value("uniform", {.episodes = 500});
  EXPECT_EQ(value.episodes, 500);
  EXPECT_GT(value.standard_error, 0.0);
  EXPECT_LE(value.value, 10.0);
  EXPECT_THROW(d.simulate("other", "uniform", {}), InvalidArgument);
}

TEST(FindDomain, ForgivesSpelling) {
  const std::vector<NamedDomain> domains{chain()};
  EXPECT_EQ(find_domain(domains, "Single_Path").name, "single-path");
  try {
    find_domain(domains, "single-pth");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'single-path'"));
  }
}

}  // namespace
}  // namespace starope::domains
