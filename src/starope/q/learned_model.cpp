#include "starope/q/learned_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/neural/network.hpp"
#include "starope/q/state_features.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

float logistic(float x) {
  return 1.0F / (1.0F + std::exp(-x));
}

// -log of the probability that a logit gives to y in {0, 1}; the gradient is p - y.
double bernoulli_loss(float logit, float y, float& gradient) {
  gradient = logistic(logit) - y;
  const auto x = static_cast<double>(logit);
  return std::max(x, 0.0) - x * static_cast<double>(y) + std::log1p(std::exp(-std::abs(x)));
}

void softmax(std::span<const float> logits, std::span<float> p) {
  const float most = *std::max_element(logits.begin(), logits.end());
  float sum = 0.0F;
  for (std::size_t a = 0; a < p.size(); ++a) sum += p[a] = std::exp(logits[a] - most);
  for (float& x : p) x /= sum;
}

struct Range {
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  void add(float x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  float clamp(float x) const { return std::clamp(x, low, high); }
};

// Mean and spread of the targets, so that every output is a number of size one.
struct Scale {
  float center = 0.0F, spread = 1.0F;
};

template <class Values>
Scale scale_of_targets(std::int64_t count, const Values& value) {
  double sum = 0.0, squares = 0.0;
  for (std::int64_t i = 0; i < count; ++i) sum += value(i);
  const double mean = count > 0 ? sum / static_cast<double>(count) : 0.0;
  for (std::int64_t i = 0; i < count; ++i) squares += (value(i) - mean) * (value(i) - mean);
  const double sd = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0.0;
  return {static_cast<float>(mean), sd > 0.0 ? static_cast<float>(sd) : 1.0F};
}

NetworkOptions network_options(const LearnedModel& options) {
  return {.hidden = options.hidden, .batch = options.batch, .rate = options.rate, .seed = options.seed};
}

class Simulator {
 public:
  Simulator(const QLogs& logs, const LearnedModel& options)
      : logs_(logs),
        options_(options),
        features_(make_features({.kind = FeatureKind::raw}, logs)),
        width_(static_cast<std::size_t>(features_.width)),
        actions_(static_cast<std::size_t>(logs.actions())),
        steps_(logs.steps(logs.all_episodes())),
        dynamics_(features_.width + logs.actions(), features_.width + 1, network_options(options)),
        ends_(features_.width + logs.actions(), 1, other_seed(network_options(options), 1)),
        policy_(features_.width, logs.actions(), other_seed(network_options(options), 2)) {
    measure();
  }

  void train(LearnedModelValue& result) {
    std::vector<std::int64_t> examples, held_out, row_of;
    Random random(options_.seed, Stream::split, 2);
    const std::int64_t n = logs_.problem().episodes();
    std::vector<bool> out(n, false);
    for (const std::int64_t i : sample_without_replacement(random, n, n / 10)) out[i] = true;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      row_of.push_back(static_cast<std::int64_t>(i));
      (out[steps_[i].episode] ? held_out : examples).push_back(row_of.back());
    }
    const TrainingPlan plan{
        .updates = options_.updates, .check_every = 50, .patience = 6, .examples = examples, .held_out = held_out};
    SparseInputs state_action{.width = features_.width + logs_.actions()}, state{.width = features_.width};
    for (const LoggedStep& step : steps_) {
      state_action.add_hot(features_.row(step.row), features_.width + step.action);
      state.add(features_.row(step.row));
    }
    result.dynamics_loss = dynamics_
                               .train(state_action, row_of, plan,
                                      [this](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
                                        return dynamics_loss(steps_[e], q, gradient);
                                      })
                               .loss;
    ends_.train(state_action, row_of, plan,
                [this](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
                  const Outcome::Kind outcome = steps_[e].outcome;
                  gradient[0] = 0.0F;
                  if (outcome == Outcome::Kind::unknown) return 0.0;
                  return bernoulli_loss(q[0], outcome == Outcome::Kind::ended ? 1.0F : 0.0F, gradient[0]);
                });
    std::vector<float> p(actions_);
    result.policy_loss = policy_
                             .train(state, row_of, plan,
                                    [&](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
                                      const auto target = logs_.target(steps_[e].row);
                                      softmax(q, p);
                                      double loss = 0.0;
                                      for (std::size_t a = 0; a < actions_; ++a) {
                                        gradient[a] = p[a] - static_cast<float>(target[a]);
                                        if (target[a] > 0.0)
                                          loss -= target[a] * std::log(std::max(static_cast<double>(p[a]), 1e-30));
                                      }
                                      return loss;
                                    })
                             .loss;
  }

  void roll_out(LearnedModelValue& result) const {
    const std::int64_t n = logs_.problem().episodes();
    const std::int64_t each = std::max<std::int64_t>(1, (options_.least_rollouts + n - 1) / n);
    result.rollouts = n * each;
    result.of_episode.assign(n, 0.0);
    // Without horizon: until nobody has more than a thousandth of its weight left, or far beyond all experience.
    const std::int64_t most = logs_.horizon() ? logs_.horizon()->steps() : 100 * logs_.problem().longest();
    std::vector<Rollout> alive;
    for (std::int64_t k = 0; k < n * each; ++k) {
      const auto first = features_.row(logs_.problem().episode(k % n).first_row);
      alive.push_back({.episode = k % n,
                       .random = Random(options_.seed, Stream::model_rollout, static_cast<std::uint64_t>(k)),
                       .state = {first.begin(), first.end()}});
    }
    const StepBudget budget({.what = fmt::format("rollouts of a learned model over {}", counted(most, "step")),
                             .operations = 1e3 * static_cast<double>(most) * static_cast<double>(alive.size()),
                             .bytes = 0.0,
                             .remedy = "Give a smaller horizon"},
                            most);
    while (!alive.empty() && result.steps < most) {
      budget.expect_possible(result.steps);
      advance(alive, each, result.of_episode);
      ++result.steps;
      std::erase_if(alive, [](const Rollout& r) { return r.weight < 1e-3; });
    }
    result.unfinished = !logs_.horizon() && !alive.empty();
  }

 private:
  struct Rollout {
    std::int64_t episode = 0;
    double weight = 1.0;  // discount times the probability that it still goes on
    Random random;
    std::vector<float> state{};
  };

  // Other first weights than the dynamics' for the other networks.
  static NetworkOptions other_seed(NetworkOptions options, std::uint64_t which) {
    options.seed.value ^= which * 0x9e3779b97f4a7c15ULL;
    return options;
  }

  void measure() {
    bits_.assign(width_, true);
    range_.resize(width_);
    std::vector<std::int64_t> moves;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto x = features_.row(steps_[i].row);
      for (std::size_t k = 0; k < width_; ++k) {
        bits_[k] = bits_[k] && (x[k] == 0.0F || x[k] == 1.0F);
        range_[k].add(x[k]);
      }
      rewards_.add(static_cast<float>(steps_[i].reward));
      if (steps_[i].outcome == Outcome::Kind::next) moves.push_back(static_cast<std::int64_t>(i));
    }
    const auto count = static_cast<std::int64_t>(moves.size());
    for (std::size_t k = 0; k < width_; ++k) {
      change_.push_back(scale_of_targets(count, [&](std::int64_t i) {
        const LoggedStep& step = steps_[moves[i]];
        return static_cast<double>(features_.row(step.next_row)[k] - features_.row(step.row)[k]);
      }));
    }
    reward_ =
        scale_of_targets(static_cast<std::int64_t>(steps_.size()), [&](std::int64_t i) { return steps_[i].reward; });
  }

  // Outputs: one per feature, and the reward. Without a next state a step teaches the reward alone.
  double dynamics_loss(const LoggedStep& step, std::span<const float> q, std::span<float> gradient) const {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    const auto squared = [&](std::size_t k, float y) {
      gradient[k] = q[k] - y;
      return 0.5 * static_cast<double>(gradient[k]) * static_cast<double>(gradient[k]);
    };
    double loss = squared(width_, (static_cast<float>(step.reward) - reward_.center) / reward_.spread);
    if (step.outcome != Outcome::Kind::next) return loss;
    const auto x = features_.row(step.row), next = features_.row(step.next_row);
    for (std::size_t k = 0; k < width_; ++k) {
      loss += bits_[k] ? bernoulli_loss(q[k], next[k], gradient[k])
                       : squared(k, (next[k] - x[k] - change_[k].center) / change_[k].spread);
    }
    return loss;
  }

  void advance(std::vector<Rollout>& alive, std::int64_t each, std::vector<double>& value) const {
    SparseInputs state{.width = features_.width}, state_action{.width = features_.width + logs_.actions()};
    std::vector<std::int64_t> rows;
    for (const Rollout& r : alive) {
      rows.push_back(state.rows());
      state.add(r.state);
    }
    const std::vector<float> logits = policy_.predict(state, rows);
    std::vector<float> p(actions_);
    for (std::size_t i = 0; i < alive.size(); ++i) {
      softmax(std::span(logits).subspan(i * actions_, actions_), p);
      const double u = alive[i].random.uniform();
      std::size_t a = 0;
      for (double sum = static_cast<double>(p[0]); u >= sum && a + 1 < actions_; sum += static_cast<double>(p[a])) ++a;
      state_action.add_hot(alive[i].state, features_.width + static_cast<std::int64_t>(a));
    }
    const std::vector<float> found = dynamics_.predict(state_action, rows), end = ends_.predict(state_action, rows);
    for (std::size_t i = 0; i < alive.size(); ++i) {
      Rollout& r = alive[i];
      const float* q = found.data() + i * (width_ + 1);
      const float reward = rewards_.clamp(reward_.center + reward_.spread * q[width_]);
      value[r.episode] += r.weight * static_cast<double>(reward) / static_cast<double>(each);
      r.weight *= logs_.gamma() * (1.0 - static_cast<double>(logistic(end[i])));
      for (std::size_t k = 0; k < width_; ++k) {
        if (bits_[k]) {
          // A bit that is as good as certain needs no draw.
          const float chance = logistic(q[k]);
          const bool certain = chance < 1e-3F || chance > 1.0F - 1e-3F;
          r.state[k] = (certain ? chance > 0.5F : r.random.uniform() < static_cast<double>(chance)) ? 1.0F : 0.0F;
        } else {
          r.state[k] = range_[k].clamp(r.state[k] + change_[k].center + change_[k].spread * q[k]);
        }
      }
    }
  }

  const QLogs& logs_;
  LearnedModel options_;
  StateFeatures features_;
  std::size_t width_, actions_;
  std::vector<LoggedStep> steps_;
  // Ends have a network of their own: their chance would drown the rest in the loss that decides when to stop.
  Network dynamics_, ends_, policy_;
  std::vector<bool> bits_{};
  std::vector<Range> range_{};
  std::vector<Scale> change_{};
  Range rewards_{};
  Scale reward_{};
};

}  // namespace

LearnedModelValue roll_out_learned_model(const QLogs& logs, const LearnedModel& options) {
  LearnedModelValue result;
  Simulator model(logs, options);
  model.train(result);
  model.roll_out(result);
  return result;
}

}  // namespace starope
