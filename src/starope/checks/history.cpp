#include "starope/checks/history.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <unordered_map>
#include <utility>
#include <vector>

#include "starope/checks/zero_means.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t most_rows = 8'000;
constexpr std::int64_t fewest_rows = 400;
constexpr std::int64_t fewest_episodes = 20;
constexpr std::int64_t most_features = 16;
constexpr std::int64_t most_squared = 6;  // features, for their products to enter
constexpr std::int32_t most_actions = 16;
constexpr std::int64_t waves = 64;
constexpr double little_left = 0.02;   // of the variance: the state explains what there is
constexpr double little_gain = 0.1;    // of what is left
constexpr double false_alarms = 1e-4;  // of all targets together
constexpr double pseudo_counts = 5.0;  // that tables with the row before borrow from those without it

// Held-out errors without and with the row before, by episode.
struct Errors {
  std::string of{};
  double total = 0.0, without = 0.0, with = 0.0;  // squares; total: around the mean
  std::vector<double> gained{};                   // by episode

  void add(std::int64_t episode, double plain, double informed) {
    without += plain;
    with += informed;
    gained.resize(std::max(gained.size(), static_cast<std::size_t>(episode) + 1), 0.0);
    gained[episode] += plain - informed;
  }
  double errors() const {
    double sum = 0.0, squares = 0.0;
    for (const double x : gained) {
      sum += x;
      squares += x * x;
    }
    return squares > 0.0 ? sum / std::sqrt(squares) : 0.0;
  }
  double gain() const { return without > 0.0 ? std::max(0.0, 1.0 - with / without) : 0.0; }
  bool open() const { return without > little_left * total && total > 0.0; }
};

HistoryGain largest(const std::vector<Errors>& all, std::int64_t steps) {
  HistoryGain found{.steps = steps};
  const double allowed = errors_allowed(static_cast<std::int64_t>(all.size()), false_alarms);
  for (const Errors& each : all) {
    const bool matters = each.open() && each.gain() > little_gain && each.errors() > allowed;
    const bool first = found.of.empty();
    if (!each.open() && !first) continue;
    const double gain = each.open() ? each.gain() : 0.0;
    if (!first && std::pair(matters, gain) <= std::pair(found.matters, found.gain)) continue;
    found.of = each.of;
    found.gain = gain;
    found.errors = each.open() ? each.errors() : 0.0;
    found.matters = matters;
  }
  return found;
}

// A step that has one before it and whose outcome is known.
struct Row {
  std::int64_t step = 0, episode = 0;
  bool ended = false;  // the episode, with this step
};

std::vector<Row> rows_of(const Dataset& data, bool ends) {
  std::vector<Row> rows;
  for (std::int64_t e = 0; e < data.episodes() && static_cast<std::int64_t>(rows.size()) < most_rows; ++e) {
    const std::int64_t last = data.first_step(e + 1) - 1;
    for (std::int64_t i = data.first_step(e) + 1; i <= last; ++i) {
      if (i < last) rows.push_back({i, e});
      if (i == last && ends && data.end(e) == EpisodeEnd::terminated) rows.push_back({i, e, true});
    }
  }
  return rows;
}

// ---- Ids -----------------------------------------------------------------------------------------------------------

// Frequencies of what follows, and the mean reward.
struct Follows {
  std::unordered_map<std::int64_t, double> count{};
  double visits = 0.0, rewards = 0.0;
};

class Tables {
 public:
  Tables(const Dataset& data, const DiscreteStates& states, const DiscreteActions* actions)
      : data_(data), states_(states), actions_(actions), rows_(rows_of(data, true)) {}

  std::vector<Errors> errors() const {
    std::vector<Errors> result{{.of = "state"}, {.of = "reward"}};
    for (const std::int64_t half : {0, 1}) {
      const Fit other = fit(half);
      for (const Row& row : rows_) {
        if (row.episode % 2 == half) try_on(other, row, result);
      }
    }
    return result;
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

 private:
  std::int64_t here(std::int64_t step) const {
    const std::int64_t action = actions_ == nullptr ? 0 : actions_->id[step];
    return std::int64_t{states_.code[step]} * (actions_ == nullptr ? 1 : actions_->count) + action;
  }
  // Pairs of both rows: there are fewer than 2^31 states.
  std::pair<std::int64_t, std::int64_t> both(std::int64_t step) const { return {here(step - 1), here(step)}; }
  std::int64_t next(const Row& row) const { return row.ended ? -1 : states_.code[row.step + 1]; }

  struct PairHash {
    std::size_t operator()(const std::pair<std::int64_t, std::int64_t>& p) const noexcept {
      return std::hash<std::int64_t>{}(p.first * 1'000'003 + p.second);
    }
  };

  struct Fit {
    std::unordered_map<std::int64_t, Follows> plain{};
    std::unordered_map<std::pair<std::int64_t, std::int64_t>, Follows, PairHash> informed{};
    double reward_mean = 0.0;
  };

  Fit fit(std::int64_t without_half) const {
    Fit made;
    double count = 0.0;
    for (const Row& row : rows_) {
      if (row.episode % 2 == without_half) continue;
      for (Follows* const to : {&made.plain[here(row.step)], &made.informed[both(row.step)]}) {
        to->count[next(row)] += 1.0;
        to->visits += 1.0;
        to->rewards += reward(row);
      }
      made.reward_mean += reward(row);
      count += 1.0;
    }
    if (count > 0.0) made.reward_mean /= count;
    return made;
  }
  double reward(const Row& row) const { return data_.rewards()[row.step]; }

  // Squared errors of frequencies as predictions: 1 - 2 p(next) + sum p^2.
  void try_on(const Fit& fit, const Row& row, std::vector<Errors>& result) const {
    const auto plain = fit.plain.find(here(row.step));
    if (plain == fit.plain.end()) return;
    const Follows& all = plain->second;
    const auto found = fit.informed.find(both(row.step));
    const Follows none;
    const Follows& few = found == fit.informed.end() ? none : found->second;
    const double weight = 1.0 / (few.visits + pseudo_counts);
    double plain_squares = 0.0, squares = 0.0, plain_next = 0.0, informed_next = 0.0;
    for (const auto& [state, count] : all.count) {  // what follows the row before follows the state
      const double p = count / all.visits;
      const auto seen = few.count.find(state);
      const double q = weight * ((seen == few.count.end() ? 0.0 : seen->second) + pseudo_counts * p);
      plain_squares += p * p;
      squares += q * q;
      if (state != next(row)) continue;
      plain_next = p;
      informed_next = q;
    }
    result[0].add(row.episode, 1.0 - 2.0 * plain_next + plain_squares, 1.0 - 2.0 * informed_next + squares);
    result[0].total += 1.0;
    const double mean = all.rewards / all.visits;
    const double informed = weight * (few.rewards + pseudo_counts * mean);
    result[1].add(row.episode, std::pow(reward(row) - mean, 2), std::pow(reward(row) - informed, 2));
    result[1].total += std::pow(reward(row) - fit.reward_mean, 2);
  }

  const Dataset& data_;
  const DiscreteStates& states_;
  const DiscreteActions* actions_;
  std::vector<Row> rows_;
};

// ---- Numbers -------------------------------------------------------------------------------------------------------

class Regressions {
 public:
  Regressions(const Dataset& data, const DenseStates& states) : data_(data), rows_(rows_of(data, false)) {
    const auto n = static_cast<Eigen::Index>(data.steps());
    const auto* continuous = std::get_if<ContinuousActions>(&data.actions());
    actions_ = std::get_if<DiscreteActions>(&data.actions());
    features_ = states.dimension;
    const Eigen::Index more = continuous == nullptr ? 0 : continuous->dimension;
    x_.resize(n, features_ + more);
    std::vector<double> scratch;
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto row = states.row(i, scratch);
      for (Eigen::Index k = 0; k < features_; ++k) x_(i, k) = row[k];
      for (Eigen::Index k = 0; k < more; ++k) x_(i, features_ + k) = continuous->values[i * more + k];
    }
    for (Eigen::Index k = 0; k < x_.cols(); ++k) {
      const double mean = x_.col(k).mean();
      const double deviation = std::sqrt((x_.col(k).array() - mean).square().mean());
      x_.col(k) = (x_.col(k).array() - mean) * (deviation > 0.0 ? 1.0 / deviation : 0.0);
    }
    for (Eigen::Index k = 0; k < features_; ++k) {
      names_.push_back(states.names.empty() ? fmt::format("state_{}", k) : states.names[k]);
    }
    make_targets();
    make_designs();
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(rows_.size()); }

  std::vector<Errors> errors() const {
    std::vector<Errors> result;
    for (const std::string& name : names_) result.push_back({.of = name});
    result.push_back({.of = "reward"});
    for (const std::int64_t half : {0, 1}) {
      const Eigen::MatrixXd plain = residuals(plain_, half), informed = residuals(informed_, half);
      const auto mean = training_mean(half);
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (rows_[r].episode % 2 != half) continue;
        const auto at = static_cast<Eigen::Index>(r);
        for (std::size_t k = 0; k < result.size(); ++k) {
          const auto column = static_cast<Eigen::Index>(k);
          result[k].add(rows_[r].episode, std::pow(plain(at, column), 2), std::pow(informed(at, column), 2));
          result[k].total += std::pow(y_(at, column) - mean[column], 2);
        }
      }
    }
    return result;
  }

 private:
  // The changes of the features, and the reward: a feature that moves slowly is foreseen well by itself alone.
  void make_targets() {
    y_.resize(static_cast<Eigen::Index>(rows_.size()), features_ + 1);
    for (Eigen::Index r = 0; r < y_.rows(); ++r) {
      const std::int64_t i = rows_[r].step;
      for (Eigen::Index k = 0; k < features_; ++k) y_(r, k) = x_(i + 1, k) - x_(i, k);
      y_(r, features_) = data_.rewards()[i];
    }
  }

  void make_designs() {
    const Eigen::Index d = x_.cols();
    Eigen::MatrixXd direction(d, waves);
    Eigen::RowVectorXd phase(waves);
    constexpr std::array widths{0.7, 1.5, 3.0};
    for (Eigen::Index w = 0; w < waves; ++w) {
      Random random(Seed{0}, Stream::random_features, static_cast<std::uint64_t>(w));
      for (Eigen::Index k = 0; k < d; ++k)
        direction(k, w) = random.normal() / widths[static_cast<std::size_t>(w) % widths.size()];
      phase[w] = random.uniform(0.0, 2.0 * std::numbers::pi);
    }
    std::vector<double> row;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::int64_t i = rows_[r].step;
      plain_row(i, row);
      const auto at = static_cast<Eigen::Index>(r);
      if (r == 0) plain_.resize(y_.rows(), static_cast<Eigen::Index>(row.size()) + waves);
      plain_.row(at).head(static_cast<Eigen::Index>(row.size())) =
          Eigen::Map<const Eigen::RowVectorXd>(row.data(), static_cast<Eigen::Index>(row.size()));
      plain_.row(at).tail(waves) = ((x_.row(i) * direction) + phase).array().cos().matrix();
    }
    const Eigen::Index more = d + (actions_ == nullptr ? 0 : actions_->count - 1) + 1;
    informed_.resize(plain_.rows(), plain_.cols() + more);
    informed_.leftCols(plain_.cols()) = plain_;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const std::int64_t before = rows_[r].step - 1;
      auto to = informed_.row(static_cast<Eigen::Index>(r)).tail(more);
      to.head(d) = x_.row(before);
      for (Eigen::Index a = 0; a < more - d - 1; ++a) to[d + a] = actions_->id[before] == a + 1 ? 1.0 : 0.0;
      to[more - 1] = data_.rewards()[before];
    }
    // A reward may be in any unit.
    const auto last = informed_.cols() - 1;
    const double mean = informed_.col(last).mean();
    const double deviation = std::sqrt((informed_.col(last).array() - mean).square().mean());
    informed_.col(last) = (informed_.col(last).array() - mean) * (deviation > 0.0 ? 1.0 / deviation : 0.0);
  }

  void plain_row(std::int64_t i, std::vector<double>& row) const {
    row.assign(1, 1.0);
    const Eigen::Index d = x_.cols();
    for (Eigen::Index k = 0; k < d; ++k) row.push_back(x_(i, k));
    for (Eigen::Index k = 0; k < d && d <= most_squared; ++k) {
      for (Eigen::Index m = 0; m <= k; ++m) row.push_back(x_(i, k) * x_(i, m));
    }
    if (actions_ == nullptr) return;
    for (std::int32_t a = 1; a < actions_->count; ++a) {
      const double taken = actions_->id[i] == a ? 1.0 : 0.0;
      row.push_back(taken);
      for (Eigen::Index k = 0; k < d; ++k) row.push_back(taken * x_(i, k));
    }
  }

  Eigen::RowVectorXd training_mean(std::int64_t half) const {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(y_.cols());
    double count = 0.0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].episode % 2 == half) continue;
      sum += y_.row(static_cast<Eigen::Index>(r));
      count += 1.0;
    }
    return count > 0.0 ? Eigen::RowVectorXd(sum / count) : sum;
  }

  // Of all rows, by a fit to those of the other half.
  Eigen::MatrixXd residuals(const Eigen::MatrixXd& design, std::int64_t half) const {
    std::vector<Eigen::Index> training;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].episode % 2 != half) training.push_back(static_cast<Eigen::Index>(r));
    }
    const Eigen::MatrixXd columns = design(training, Eigen::all);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(design.cols(), design.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(columns.transpose());
    gram.diagonal().array() += 1e-6 * gram.diagonal().mean();
    const Eigen::MatrixXd whole = gram.selfadjointView<Eigen::Lower>();
    const Eigen::MatrixXd weights = whole.ldlt().solve(columns.transpose() * y_(training, Eigen::all));
    return y_ - design * weights;
  }

  const Dataset& data_;
  std::vector<Row> rows_;
  const DiscreteActions* actions_ = nullptr;
  Eigen::Index features_ = 0;
  std::vector<std::string> names_{};
  Eigen::MatrixXd x_{}, y_{}, plain_{}, informed_{};
};

}  // namespace

std::optional<HistoryGain> history_gain(const Dataset& sample) {
  if (sample.episodes() < fewest_episodes) return std::nullopt;
  const auto* actions = std::get_if<DiscreteActions>(&sample.actions());
  if (const auto* ids = std::get_if<DiscreteStates>(&sample.states())) {
    const Tables tables(sample, *ids, actions);
    if (tables.rows() < fewest_rows) return std::nullopt;
    return largest(tables.errors(), tables.rows());
  }
  const auto* dense = std::get_if<DenseStates>(&sample.states());
  if (dense == nullptr || dense->dimension > most_features || (actions != nullptr && actions->count > most_actions))
    return std::nullopt;
  const Regressions regressions(sample, *dense);
  if (regressions.rows() < fewest_rows) return std::nullopt;
  return largest(regressions.errors(), regressions.rows());
}

}  // namespace starope
