#include "starope/estimators/importance_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/error.hpp"

namespace starope {
namespace {

struct WeightedReturn {
  Scaled weight;       // rho_{0:T-1}
  double total = 0.0;  // G = sum g^t r_t
};

WeightedReturn weighted_return(const LoggedEpisode& episode, double g) {
  WeightedReturn result;
  double discount = 1.0;
  for (std::size_t t = 0; t < episode.rewards.size(); ++t) {
    result.weight = result.weight * Scaled::of(episode.ratios[t]);
    result.total += discount * episode.rewards[t];
    discount *= g;
  }
  return result;
}

double per_decision_return(const LoggedEpisode& episode, double g) {
  Scaled product;
  double sum = 0.0, discount = 1.0;
  for (std::size_t t = 0; t < episode.rewards.size(); ++t, discount *= g) {
    product = product * Scaled::of(episode.ratios[t]);
    sum += discount * product.to_double() * episode.rewards[t];
  }
  return sum;
}

[[noreturn]] void no_support(const char* what) {
  throw DegenerateModel(
      fmt::format("{} that the target policy never takes: all weights are zero. Use star with a small "
                  "clip, or collect logs that cover the target policy",
                  what));
}

void write_all(ByteWriter& to, const std::vector<ScaledSum>& sums) {
  for (const ScaledSum& sum : sums) sum.write(to);
}

// One at a time: what is announced but not there is found before it is allocated.
std::vector<ScaledSum> read_all(ByteReader& from, std::int64_t count) {
  std::vector<ScaledSum> sums;
  for (std::int64_t t = 0; t < count; ++t) sums.push_back(ScaledSum::read(from));
  return sums;
}

double read_episodes(ByteReader& from) {
  const double episodes = from.finite();
  if (episodes < 0.0) from.fail("a negative number of episodes");
  return episodes;
}

}  // namespace

double ReturnScore::operator()(const LoggedEpisode& episode) const {
  if (weight == ReturnWeight::per_decision) return per_decision_return(episode, gamma);
  const WeightedReturn r = weighted_return(episode, gamma);
  return weight == ReturnWeight::none ? r.total : (r.weight * Scaled::of(r.total)).to_double();
}

ScoreFold<ReturnScore> make_return_fold(ReturnWeight weight, const ProblemOptions& question) {
  const char* const of = weight == ReturnWeight::none ? "naive" : weight == ReturnWeight::whole ? "is" : "pdis";
  return {.recipe = {.of = of, .question = question}, .score = {.weight = weight, .gamma = question.discount.gamma()}};
}

WisSums& WisSums::operator+=(const WisSums& other) {
  expect_same_recipe(recipe, other.recipe);
  episodes += other.episodes;
  weighted_return += other.weighted_return;
  weight += other.weight;
  return *this;
}

void WisSums::write(ByteWriter& to) const {
  recipe.write(to);
  to.number(episodes);
  weighted_return.write(to);
  weight.write(to);
}

WisSums WisSums::read(ByteReader& from) {
  WisSums sums;
  sums.recipe = SumRecipe::read(from);
  sums.episodes = read_episodes(from);
  sums.weighted_return = ScaledSum::read(from);
  sums.weight = ScaledSum::read(from);
  return sums;
}

void WisFold::add(WisSums& total, const LoggedEpisode& episode, double times) const {
  const WeightedReturn r = weighted_return(episode, question.discount.gamma());
  const Scaled weight = times == 1.0 ? r.weight : r.weight * Scaled::of(times);
  total.episodes += times;
  total.weighted_return.add(weight * Scaled::of(r.total));
  total.weight.add(weight);
}

WisValue::WisValue(const WisSums& sums) : sums_(sums) {
  if (sums.weight.sum == 0.0) no_support("every logged episode contains an action");
  value_ = ratio(sums.weighted_return, sums.weight);
}

// J = A / B: n dJ = W_i (G_i - J) / mean(W).
double WisValue::influence(const LoggedEpisode& episode) const {
  const WeightedReturn r = weighted_return(episode, sums_.recipe.question.discount.gamma());
  return sums_.episodes * r.weight.relative_to(sums_.weight.scale) / sums_.weight.sum * (r.total - value_);
}

void WpdisSums::resize(std::size_t steps) {
  for (auto* sums : {&reward, &weight, &ended}) sums->resize(steps);
}

WpdisSums& WpdisSums::operator+=(const WpdisSums& other) {
  expect_same_recipe(recipe, other.recipe);
  episodes += other.episodes;
  resize(std::max(reward.size(), other.reward.size()));
  for (std::size_t t = 0; t < other.reward.size(); ++t) {
    reward[t] += other.reward[t];
    weight[t] += other.weight[t];
    ended[t] += other.ended[t];
  }
  return *this;
}

void WpdisSums::write(ByteWriter& to) const {
  recipe.write(to);
  to.number(episodes);
  to.number(static_cast<std::uint64_t>(reward.size()));
  for (const auto* sums : {&reward, &weight, &ended}) write_all(to, *sums);
}

WpdisSums WpdisSums::read(ByteReader& from) {
  WpdisSums sums;
  sums.recipe = SumRecipe::read(from);
  sums.episodes = read_episodes(from);
  const std::int64_t steps = from.number_within(0, std::numeric_limits<std::int64_t>::max());
  for (auto* part : {&sums.reward, &sums.weight, &sums.ended}) *part = read_all(from, steps);
  return sums;
}

void WpdisFold::add(WpdisSums& total, const LoggedEpisode& episode, double times) const {
  total.episodes += times;
  const std::size_t length = episode.rewards.size();
  if (total.reward.size() < length + 1) total.resize(length + 1);
  Scaled product = Scaled::of(times);  // 1 times: the exact one
  for (std::size_t t = 0; t < length; ++t) {
    product = product * Scaled::of(episode.ratios[t]);
    total.reward[t].add(product * Scaled::of(episode.rewards[t]));
    total.weight[t].add(product);
  }
  total.ended[length].add(product);
}

WpdisValue::WpdisValue(const WpdisSums& sums)
    : gamma_(sums.recipe.question.discount.gamma()), episodes_(sums.episodes) {
  if (sums.weight.empty() || sums.weight[0].sum == 0.0) no_support("every logged episode begins with an action");
  const std::size_t longest = sums.reward.size() - 1;
  mean_reward_.resize(longest, 0.0);
  all_weights_.resize(longest);
  ScaledSum ended;
  double discount = 1.0;
  for (std::size_t t = 0; t < longest; ++t, discount *= gamma_) {
    ended += sums.ended[t];
    all_weights_[t] = sums.weight[t];
    all_weights_[t] += ended;
    if (all_weights_[t].sum == 0.0) {
      unsupported_from_ = unsupported_from_.value_or(static_cast<std::int64_t>(t));
      continue;
    }
    mean_reward_[t] = ratio(sums.reward[t], all_weights_[t]);
    value_ += discount * mean_reward_[t];
  }

  // n dJ = n sum_t g^t W_t (r_t - R_t) / sum W_t; behind the end of an episode r_t = 0 and W_t is its last product, so
  // the tail is - n W_{T-1} sum_{t >= T} g^t R_t / (sum W_t): suffix sums of a term that no longer depends on the
  // episode.
  tail_.resize(longest + 1);
  for (std::size_t t = longest; t-- > 0;) {
    tail_[t] = tail_[t + 1];
    if (all_weights_[t].sum == 0.0) continue;
    Scaled term = Scaled::of(std::pow(gamma_, static_cast<double>(t)) * mean_reward_[t] / all_weights_[t].sum);
    if (term.mantissa != 0.0) term.exponent -= all_weights_[t].scale;
    tail_[t].add(term);
  }
}

double WpdisValue::influence(const LoggedEpisode& episode) const {
  Scaled product;
  double score = 0.0, power = 1.0;
  for (std::size_t t = 0; t < episode.rewards.size(); ++t, power *= gamma_) {
    product = product * Scaled::of(episode.ratios[t]);
    if (all_weights_[t].sum == 0.0) break;
    score += power * product.relative_to(all_weights_[t].scale) / all_weights_[t].sum *
             (episode.rewards[t] - mean_reward_[t]);
  }
  const ScaledSum& rest = tail_[episode.rewards.size()];
  Scaled behind = product * Scaled::of(rest.sum);
  if (behind.mantissa != 0.0) behind.exponent += rest.scale;
  return episodes_ * (score - behind.to_double());
}

}  // namespace starope
