#include "starope/estimators/dice.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cstdint>
#include <variant>
#include <vector>

#include "starope/error.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/q/fit_q.hpp"
#include "starope/q/q_logs.hpp"
#include "starope/q/state_features.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

// Features of pairs of state and action: those of the state at the place of the action, zero at all others.
class PairFeatures {
 public:
  PairFeatures(const StateFeatures& states, std::int32_t actions)
      : states_(states), width_(states.width), size_(states.width * actions) {}

  std::int64_t size() const { return size_; }

  // Adds factor * phi(row, action).
  void add(std::int64_t row, std::int32_t action, double factor, Eigen::VectorXd& to) const {
    const std::int64_t first = action * width_;
    if (states_.indicator()) {
      to[first + static_cast<std::int64_t>(states_.cell[row])] += factor;
      return;
    }
    const auto values = states_.row(row);
    for (std::int64_t k = 0; k < width_; ++k) to[first + k] += factor * static_cast<double>(values[k]);
  }
  // The same averaged over the target policy's actions.
  void add_mean(const QLogs& logs, std::int64_t row, double factor, Eigen::VectorXd& to) const {
    const auto pi = logs.target(row);
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(pi.size()); ++a) {
      if (pi[a] != 0.0) add(row, a, factor * pi[a], to);
    }
  }

 private:
  const StateFeatures& states_;
  std::int64_t width_, size_;
};

// The flow balanced by the features, summed over all logged steps whose outcome is known.
struct Flow {
  Eigen::MatrixXd a{};
  Eigen::VectorXd b{}, c{};
  std::vector<Eigen::Index> unseen{};  // features that no step has: of cells, pairs without data
  double ridge = 0.0;                  // that was added
};

class DiceLogs {
 public:
  DiceLogs(const QLogs& logs, const StateFeatures& states)
      : logs_(logs),
        problem_(logs.problem()),
        actions_(std::get<DiscreteActions>(problem_.data().actions())),
        features_(states, logs.actions()) {}

  const PairFeatures& features() const { return features_; }

  Eigen::VectorXd first(std::int64_t episode) const {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(features_.size());
    features_.add_mean(logs_, problem_.episode(episode).first_row, 1.0, mean);
    return mean;
  }

  // Calls use(episode, reward, phi, phi - g phibar') for every step whose outcome is known, and what the target policy
  // would do after it.
  template <class Use>
  void each(const Use& use) const {
    Eigen::VectorXd here(features_.size()), change(features_.size());
    for (std::int64_t i = 0; i < problem_.episodes(); ++i) {
      const LoggedEpisode episode = problem_.episode(i);
      for (std::int64_t t = 0; t < episode.length(); ++t) {
        const Outcome outcome = outcome_of(episode, t);
        if (!outcome.seen() || (outcome.next_row && logs_.target(*outcome.next_row).empty())) continue;
        here.setZero();
        features_.add(episode.first_row + t, actions_.id[episode.first_row + t], 1.0, here);
        change = here;
        if (outcome.next_row) features_.add_mean(logs_, *outcome.next_row, -problem_.discount().gamma(), change);
        use(i, episode.rewards[t], here, change);
      }
    }
  }

  Flow flow(double ridge) const {
    const Eigen::Index size = features_.size();
    Flow sums{
        .a = Eigen::MatrixXd::Zero(size, size), .b = Eigen::VectorXd::Zero(size), .c = Eigen::VectorXd::Zero(size)};
    each([&](std::int64_t, double reward, const Eigen::VectorXd& here, const Eigen::VectorXd& change) {
      for (Eigen::Index k = 0; k < size; ++k) {
        if (here[k] != 0.0) sums.a.row(k) += here[k] * change.transpose();
      }
      sums.c += reward * here;
    });
    for (std::int64_t i = 0; i < problem_.episodes(); ++i) sums.b += first(i);
    sums.b /= static_cast<double>(problem_.episodes());
    for (Eigen::Index k = 0; k < size; ++k) {
      if (sums.a(k, k) == 0.0 && sums.a.row(k).isZero(0.0)) sums.unseen.push_back(k);
    }
    sums.ridge = ridge * sums.a.diagonal().cwiseAbs().mean();
    sums.a.diagonal().array() += sums.ridge;
    return sums;
  }

 private:
  const QLogs& logs_;
  const Problem& problem_;
  const DiscreteActions& actions_;
  PairFeatures features_;
};

void check(const Problem& problem) {
  if (problem.discount().gamma() >= 1.0)
    throw InvalidArgument("dice is for processes that go on for ever, with a discount below 1: give --gamma");
  if (problem.horizon()) throw InvalidArgument("dice has no horizon: it counts all steps to come. Leave --horizon out");
}

// What flows into pairs without data and ends there. Their row of A is the ridge alone, so that of A'u = b it says:
// ridge u = b + g sum zeta phibar', the discounted probability of getting there.
void add_unseen_pairs(const Flow& sums, const Eigen::VectorXd& u, FeatureKind kind, Estimate& result) {
  double unseen = 0.0;
  std::int64_t pairs = 0;
  for (const Eigen::Index k : sums.unseen) {
    const double arrives = sums.ridge * u[k];
    if (!(arrives > 0.0)) continue;
    unseen += arrives;
    ++pairs;
  }
  add_unseen(unseen, pairs, kind == FeatureKind::clusters ? "cluster" : "state", result);
}

}  // namespace

// With phi of pairs, phibar(s) = sum_a pi_e(a|s) phi(s,a), and sums over all logged steps:
//   A = sum phi (phi - g phibar')',  b = mean phibar(s_0),  c = sum phi r.
// The ratio zeta = phi'u with A'u = b balances the flow: sum zeta (phi - g phibar') = b for every feature. The value is
// sum zeta r = u'c = b'w, where A w = c, and
//   n dJ = phibar(s_0)'w - J + n sum zeta (r - (phi - g phibar')'w).
Estimate estimate(const Dice& estimator, const Problem& problem, const EstimateOptions& options) {
  check(problem);
  const QLogs logs(problem, "dice");
  QRecipe recipe = estimator.features;
  recipe.method = QMethod::qreg;
  const FeatureOptions asked = feature_options(recipe, logs);
  const StateFeatures states = make_features(asked, logs, options.threads);
  const DiceLogs steps(logs, states);
  constexpr std::int64_t most_features = 4000;
  if (steps.features().size() > most_features) {
    throw InvalidArgument(fmt::format(
        "dice with {} features of state and action is too much work. Use features=clusters with fewer clusters",
        steps.features().size()));
  }
  const Flow sums = steps.flow(recipe.ridge.value_or(states.indicator() ? 1e-9 : 1e-6));
  const Eigen::PartialPivLU<Eigen::MatrixXd> solver(sums.a);
  const Eigen::VectorXd w = solver.solve(sums.c), u = solver.transpose().solve(sums.b);
  const auto n = static_cast<double>(problem.episodes());
  Estimate result;
  result.value = sums.b.dot(w);
  for (std::int64_t i = 0; i < problem.episodes(); ++i)
    result.influence.push_back(steps.first(i).dot(w) - result.value);
  double weight = 0.0, negative = 0.0;
  steps.each([&](std::int64_t i, double reward, const Eigen::VectorXd& here, const Eigen::VectorXd& change) {
    const double zeta = here.dot(u);
    weight += zeta;
    negative += zeta < 0.0 ? -zeta : 0.0;
    result.influence[i] += n * zeta * (reward - change.dot(w));
  });
  center_influence(result);
  if (problem.episodes() > 1) result.std_error = moments(result.influence).standard_error();
  result.findings = states.findings;
  result.details = {
      {.name = "occupancy",
       .value = weight,
       .meaning = "sum of the ratios: discounted steps of the target policy; 1 / (1 - gamma) if none end"},
      {.name = "negative_occupancy", .value = negative, .meaning = "how much of it is below zero"}};
  if (states.indicator()) add_unseen_pairs(sums, u, asked.kind, result);
  return result;
}

}  // namespace starope
