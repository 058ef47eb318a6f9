#include "starope/behavior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "starope/behavior/action_logs.hpp"
#include "starope/behavior/policy_fit.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

constexpr std::array every_method{BehaviorMethod::global, BehaviorMethod::counts, BehaviorMethod::clusters,
                                  BehaviorMethod::logistic, BehaviorMethod::neighbors};
// The choice looks at so many steps at most; the fit that is used sees all.
constexpr std::int64_t most_choosing_steps = 40'000;

struct Split {
  std::vector<std::int64_t> training{}, held_out{};
};

class Chooser {
 public:
  Chooser(const ActionLogs& logs, std::int64_t folds, Seed seed, Threads threads)
      : logs_(logs), seed_(seed), threads_(threads) {
    const auto steps = static_cast<std::int64_t>(logs.action.size());
    const std::int64_t every = 1 + (steps - 1) / most_choosing_steps;
    splits_.resize(folds);
    for (std::int64_t row = 0; row < steps; row += every) {
      for (std::int64_t fold = 0; fold < folds; ++fold) {
        Split& split = splits_[fold];
        const bool out = logs.fold[row] == fold;
        (out && folds > 1 ? split.held_out : split.training).push_back(row);
      }
    }
    if (folds == 1) splits_.front().held_out = splits_.front().training;
  }

  double log_likelihood(const PolicySetting& setting) const {
    double sum = 0.0, count = 0.0;
    each_held_out(setting, [&](std::int64_t row, std::span<const double> p) {
      sum += std::log(p[logs_.action[row]]);
      count += 1.0;
    });
    return sum / count;
  }

  std::vector<CalibrationBin> calibration(const PolicySetting& setting) const {
    constexpr std::size_t bins = 10;
    std::vector<CalibrationBin> table(bins);
    each_held_out(setting, [&](std::int64_t row, std::span<const double> p) {
      for (std::size_t a = 0; a < p.size(); ++a) {
        CalibrationBin& bin = table[std::min(bins - 1, static_cast<std::size_t>(p[a] * bins))];
        bin.predicted += p[a];
        bin.observed += logs_.action[row] == static_cast<std::int32_t>(a) ? 1.0 : 0.0;
        ++bin.count;
      }
    });
    for (std::size_t k = 0; k < bins; ++k) {
      table[k].lower = static_cast<double>(k) / bins;
      table[k].upper = static_cast<double>(k + 1) / bins;
      if (table[k].count == 0) continue;
      table[k].predicted /= static_cast<double>(table[k].count);
      table[k].observed /= static_cast<double>(table[k].count);
    }
    std::erase_if(table, [](const CalibrationBin& bin) { return bin.count == 0; });
    return table;
  }

 private:
  template <class Use>
  void each_held_out(const PolicySetting& setting, const Use& use) const {
    const auto actions = static_cast<std::size_t>(logs_.actions);
    for (const Split& split : splits_) {
      const std::vector<double> p =
          fitted_probabilities(setting, logs_, split.training, split.held_out, seed_, threads_);
      for (std::size_t i = 0; i < split.held_out.size(); ++i)
        use(split.held_out[i], std::span(p).subspan(i * actions, actions));
    }
  }

  const ActionLogs& logs_;
  Seed seed_;
  Threads threads_;
  std::vector<Split> splits_;
};

struct Scored {
  PolicySetting setting{};
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

// What is tried for a method: the settings of the recipe, where it names one.
std::vector<PolicySetting> settings_of(BehaviorMethod method, const ActionLogs& logs, const BehaviorRecipe& recipe) {
  std::vector<PolicySetting> settings = settings_of(method, logs);
  if (method != BehaviorMethod::counts || !recipe.pseudo_counts || settings.empty()) return settings;
  return {{.method = method, .strength = std::max(*recipe.pseudo_counts, unshrunken)}};
}

// The setting of the fit that is used, after one was chosen by held-out likelihood. What suits the actions of other
// episodes shrinks too much where the fit weighs its own: products of ratios suffer most from means that are not one.
PolicySetting used_setting(PolicySetting chosen, const BehaviorRecipe& recipe) {
  constexpr double most = 1.0;
  if (chosen.method == BehaviorMethod::counts && !recipe.cross_fit && !recipe.pseudo_counts)
    chosen.strength = std::min(chosen.strength, most);
  return chosen;
}

std::optional<Scored> best_of(BehaviorMethod method, const ActionLogs& logs, const BehaviorRecipe& recipe,
                              const Chooser& chooser) {
  std::optional<Scored> best;
  for (const PolicySetting& setting : settings_of(method, logs, recipe)) {
    const double score = chooser.log_likelihood(setting);
    if (!best || score > best->log_likelihood) best = Scored{setting, score};
  }
  return best;
}

std::vector<Scored> scored_methods(const BehaviorRecipe& recipe, const ActionLogs& logs, const Chooser& chooser) {
  std::vector<Scored> scored;
  for (const BehaviorMethod method : every_method) {
    if (recipe.method != BehaviorMethod::automatic && recipe.method != method) continue;
    if (auto best = best_of(method, logs, recipe, chooser)) scored.push_back(*best);
  }
  if (scored.empty()) {
    throw InvalidArgument(fmt::format("the method {} does not fit these states: {}", name(recipe.method),
                                      recipe.method == BehaviorMethod::counts
                                          ? "it needs ids. Use clusters, logistic or neighbors"
                                          : "it needs numbers. Use counts or global"));
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const Scored& a, const Scored& b) { return a.log_likelihood > b.log_likelihood; });
  return scored;
}

std::vector<double> final_probabilities(const PolicySetting& setting, const ActionLogs& logs,
                                        const BehaviorRecipe& recipe, std::int64_t folds, Threads threads) {
  std::vector<std::int64_t> all(logs.action.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  if (!recipe.cross_fit || folds < 2) return fitted_probabilities(setting, logs, all, all, recipe.seed, threads);
  const auto actions = static_cast<std::size_t>(logs.actions);
  std::vector<double> out(all.size() * actions);
  for (std::int64_t fold = 0; fold < folds; ++fold) {
    Split split;
    for (const std::int64_t row : all) (logs.fold[row] == fold ? split.held_out : split.training).push_back(row);
    const auto p = fitted_probabilities(setting, logs, split.training, split.held_out, recipe.seed, threads);
    for (std::size_t i = 0; i < split.held_out.size(); ++i) {
      std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(i * actions), actions,
                  out.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(split.held_out[i]) * actions));
    }
  }
  return out;
}

}  // namespace

std::string name(BehaviorMethod method) {
  switch (method) {
    case BehaviorMethod::automatic:
      break;
    case BehaviorMethod::global:
      return "global";
    case BehaviorMethod::counts:
      return "counts";
    case BehaviorMethod::clusters:
      return "clusters";
    case BehaviorMethod::logistic:
      return "logistic";
    case BehaviorMethod::neighbors:
      return "neighbors";
  }
  return "auto";
}

BehaviorFit estimate_behavior(const Dataset& data, const BehaviorRecipe& recipe, Threads threads) {
  if (recipe.pseudo_counts && !(*recipe.pseudo_counts >= 0.0 && std::isfinite(*recipe.pseudo_counts)))
    throw InvalidArgument("pseudo-counts must be finite and not negative");
  if (recipe.folds < 2) throw InvalidArgument("the number of folds must be 2 or more");
  const std::int64_t folds = std::min(recipe.folds, data.episodes());
  const ActionLogs logs = make_action_logs(data, folds, recipe.seed);
  const Chooser chooser(logs, folds, recipe.seed, threads);
  const std::vector<Scored> scored = scored_methods(recipe, logs, chooser);
  BehaviorFit fit;
  const PolicySetting& chosen = scored.front().setting;
  const PolicySetting used = used_setting(chosen, recipe);
  fit.method = used.method;
  fit.setting = used.text();
  for (const Scored& each : scored)
    fit.scores.push_back(
        {.method = each.setting.method, .setting = each.setting.text(), .log_likelihood = each.log_likelihood});
  fit.calibration = chooser.calibration(chosen);
  fit.distribution = {.actions = logs.actions, .values = final_probabilities(used, logs, recipe, folds, threads)};
  return fit;
}

std::int64_t behavior_gaps(const Dataset& data) {
  const auto& logged = data.columns().behavior_with_gaps;
  if (!logged) return 0;
  return std::count_if(logged->values.begin(), logged->values.end(), [](double p) { return std::isnan(p); });
}

Dataset with_behavior(const Dataset& data, const BehaviorFit& fit) {
  const auto& actions = std::get<DiscreteActions>(data.actions());
  std::vector<double> taken;
  taken.reserve(data.steps());
  for (std::int64_t i = 0; i < data.steps(); ++i)
    taken.push_back(fit.distribution.values[i * fit.distribution.actions + actions.id[i]]);
  // Both at once: the probabilities of one policy contradict the distributions of another.
  Columns columns = data.columns();
  columns.behavior_distribution = fit.distribution;
  if (const auto& logged = columns.behavior_with_gaps) {
    const bool linear = logged->scale == LoggedProbabilities::Scale::linear;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      const double p = logged->values[static_cast<std::int64_t>(i)];
      if (!std::isnan(p)) taken[i] = linear ? p : std::exp(p);
    }
    columns.behavior_distribution.reset();
  }
  columns.behavior = LoggedProbabilities{.values = std::move(taken)};
  return Dataset(std::move(columns));
}

}  // namespace starope
