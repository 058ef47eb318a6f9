#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/checks/state_cells.hpp"
#include "starope/checks/zero_means.hpp"
#include "starope/data.hpp"
#include "starope/finding.hpp"

namespace starope {

// Logs as the checks see them. The ratios may come from a policy that is a function, not from a column.
struct CheckedLogs {
  const Dataset& data;
  std::span<const double> ratios{};  // target / behavior, one per step; empty: no target policy
};

inline double linear(const LoggedProbabilities& logged, std::int64_t step) {
  const double value = logged.values[step];
  return logged.scale == LoggedProbabilities::Scale::linear ? value : std::exp(value);
}

// The logarithm of a product, without one for each factor.
class LogProduct {
 public:
  void multiply(double x) noexcept {
    if (!(x > 1e-100 && x < 1e100)) {
      log_ += std::log(x);
      return;
    }
    product_ *= x;
    if (product_ > 1e-200 && product_ < 1e200) return;
    log_ += std::log(product_);
    product_ = 1.0;
  }
  double log() const noexcept { return log_ + std::log(product_); }

 private:
  double product_ = 1.0, log_ = 0.0;
};

// Discrete actions in at most eight groups: tables by action stay small however many there are.
struct ActionGroups {
  static constexpr std::int32_t most = 8;
  std::int32_t actions = 0;
  std::int32_t count() const noexcept { return actions < most ? actions : most; }
  std::int32_t of(std::int32_t action) const noexcept { return action % most; }
  // How many actions a group has.
  std::int32_t size(std::int32_t group) const noexcept { return (actions - group + most - 1) / most; }
  std::string name(std::int32_t group) const;  // "action 2", "actions 2, 10, ..."
};

// Actions with a probability from `least` to `most`: how many of the steps that have some should take one, and do.
struct CalibrationRow {
  double least = 0.0, most = 0.0;
  double expected = 0.0, observed = 0.0;
  double errors = 0.0;  // standard errors between the two
  std::int64_t steps = 0;
};

// Do the logged probabilities belong to the logged actions? Each test is a sum of terms with mean zero, given all that
// came before, if they do, whatever the policies and the process are:
//   ratio - 1                                        by step, by region of the state (if the target is supported)
//   1{action in g} / behavior_prob - size of g       by action, step, region (if the actions are always possible)
//   1{action in g} - probability of g                the same where full distributions are logged, and by probability
//   the last two times the reward of the row before  a reward that knows the next action stands in the wrong row
// And one that needs no number of episodes: the product of all ratios has a mean of at most 1, so it exceeds K with a
// probability of at most 1 / K.
class ProbabilityChecks {
 public:
  struct Statistic {
    ZeroMeans means;
    std::vector<std::int64_t> step_rows{};  // by bin of steps
    std::vector<std::int64_t> cell_rows{};
    std::vector<double> expected{};  // by bin of probability: how many actions
    std::vector<std::int64_t> bin_rows{};
    std::int64_t rows = 0;
    std::int64_t above_one = 0;  // probabilities that rounding took above 1
    std::int64_t equal = 0;      // ratios that are exactly 1
    double log_ratios = 0.0;     // their sum over all steps of all episodes
    Statistic& operator+=(const Statistic& other);
  };

  // The sample tells what the columns are, and where to divide the states.
  explicit ProbabilityChecks(const Dataset& sample);

  Statistic identity() const;
  void add(Statistic& total, const CheckedLogs& logs, std::int64_t episode) const;

  // The sample serves to find which mistake would explain what was found. Where episodes are copies of each other,
  // chance has more room than their number says: `shrink` times the standard errors.
  std::vector<Finding> findings(const Statistic& statistic, const Dataset& sample, double shrink = 1.0) const;

  // Of the logged distributions of the behavior policy; empty where there are none.
  std::vector<CalibrationRow> calibration(const Statistic& statistic) const;

 private:
  struct Worst {
    std::size_t test = 0;
    double errors = 0.0;
  };
  enum class Side { either, above, below };

  std::size_t action_test(std::size_t family, std::int64_t part, std::int32_t group) const {
    return family + static_cast<std::size_t>(part * groups_.count() + group);
  }
  struct Step {
    std::int64_t row = 0, t = 0, cell = 0;
  };
  // The columns of some logs, found once for all steps of an episode; null where there are none.
  struct StepColumns;
  void add_step(Statistic& total, const StepColumns& columns, const Step& step) const;
  void add_actions(Statistic& total, const StepColumns& columns, const Step& step) const;
  void add_bins(Statistic& total, std::span<const double> probabilities, std::int32_t action) const;
  Worst worst_of(const Statistic& statistic, std::size_t first, std::size_t last, Side side) const;
  struct Place {
    std::string name{};
    double rows = 0.0;
    std::int32_t group = 0;
  };
  Place place_of(const Statistic& statistic, std::size_t test) const;
  double allowed(const Statistic& statistic) const;
  bool check_calibration(const Statistic& statistic, double limit, std::vector<Finding>& to) const;
  bool check_counts(const Statistic& statistic, double limit, const Dataset& sample, std::vector<Finding>& to) const;
  void check_ratios(const Statistic& statistic, double limit, const Dataset& sample, std::vector<Finding>& to) const;
  static void check_likelihood(const Statistic& statistic, const Dataset& sample, double shrink,
                               std::vector<Finding>& to);
  void check_rewards(const Statistic& statistic, double limit, std::vector<Finding>& to) const;
  double missing_support(const Statistic& statistic, double limit) const;

  StateCells cells_;
  ActionGroups groups_{};
  bool behavior_ = false;
  bool full_ = false;  // the behavior policy's distributions are logged
  double reward_mean_ = 0.0;
  double reward_deviation_ = 0.0;
  // Where each family of tests begins.
  std::size_t ratio_step_ = 0, ratio_cell_ = 0, action_all_ = 0, action_step_ = 0, action_cell_ = 0;
  std::size_t action_reward_ = 0, bins_ = 0, end_ = 0;
};

}  // namespace starope
