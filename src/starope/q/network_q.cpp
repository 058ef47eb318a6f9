#include "starope/q/network_q.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/base/text.hpp"
#include "starope/base/work.hpp"
#include "starope/q/q_regression.hpp"
#include "starope/q/weighted_returns.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

SparseInputs inputs_of(const StateFeatures& features, std::int64_t rows) {
  SparseInputs inputs{.width = features.width};
  for (std::int64_t i = 0; i < rows; ++i) inputs.add(features.row(i));
  return inputs;
}

// Which steps train and which are held out: whole episodes, a tenth of them, chosen by the seed.
struct Split {
  std::vector<std::int64_t> train, held_out;
  std::int64_t episodes_held_out = 0;
};

Split split_steps(const std::vector<LoggedStep>& steps, std::span<const std::int64_t> episodes, Seed seed) {
  Split split;
  const auto count = static_cast<std::int64_t>(episodes.size());
  Random random(seed, Stream::split, 0);
  std::vector<bool> out(*std::max_element(episodes.begin(), episodes.end()) + 1, false);
  // Fewer than ten episodes are too few to give any away.
  for (const std::int64_t k : sample_without_replacement(random, count, count / 10)) {
    out[episodes[k]] = true;
    ++split.episodes_held_out;
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    (out[steps[i].episode] ? split.held_out : split.train).push_back(static_cast<std::int64_t>(i));
  return split;
}

// Networks learn numbers of size one.
struct Unit {
  double center = 0.0, scale = 1.0;
};

Unit unit_of(const std::vector<double>& y, std::span<const std::int64_t> examples) {
  double sum = 0.0, squares = 0.0;
  const auto n = static_cast<double>(examples.size());
  for (const std::int64_t e : examples) sum += y[e];
  for (const std::int64_t e : examples) squares += std::pow(y[e] - sum / n, 2);
  Unit unit{.center = sum / n, .scale = std::sqrt(squares / n)};
  if (!(unit.scale > 1e-6 * std::abs(unit.center))) unit.scale = std::max(1e-6 * std::abs(unit.center), 1e-12);
  return unit;
}

void write(const Network& network, const SparseInputs& inputs, const Unit& unit, std::span<const std::int64_t> rows,
           QValues& values) {
  const std::vector<float> found = network.predict(inputs, rows);
  const auto actions = static_cast<std::size_t>(values.actions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t a = 0; a < actions; ++a)
      values.at(rows[i])[a] = unit.center + unit.scale * static_cast<double>(found[i * actions + a]);
  }
}

OutputLoss squared_loss(const std::vector<LoggedStep>& steps, const std::vector<double>& y, const Unit& unit) {
  return [&steps, &y, unit](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
    const auto a = steps[e].action;
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    const double error = static_cast<double>(q[a]) - (y[e] - unit.center) / unit.scale;
    gradient[a] = static_cast<float>(error);
    return 0.5 * error * error;
  };
}

}  // namespace

NetworkFit fit_network_fqe(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> train,
                           std::span<const std::int64_t> write_to, const NetworkFitOptions& options, QValues& values) {
  STAROPE_ASSERT(!features.indicator());
  const SparseInputs inputs = inputs_of(features, logs.problem().data().state_rows());
  const std::vector<LoggedStep> steps = logs.steps(train);
  const Split split = split_steps(steps, train, options.network.seed);
  const auto known = [&](const std::vector<std::int64_t>& all) {
    std::vector<std::int64_t> some;
    for (const std::int64_t e : all) {
      if (steps[e].outcome != Outcome::Kind::unknown) some.push_back(e);
    }
    return some;
  };
  const std::vector<std::int64_t> train_known = known(split.train), held_known = known(split.held_out);
  std::vector<std::int64_t> row_of, next_rows;
  std::vector<std::size_t> next_of;
  std::vector<double> y;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    row_of.push_back(steps[i].row);
    y.push_back(steps[i].reward);
    if (steps[i].outcome != Outcome::Kind::next) continue;
    next_rows.push_back(steps[i].next_row);
    next_of.push_back(i);
  }
  const auto by_time = rows_by_time(logs, write_to);
  const std::optional<Horizon> horizon = logs.horizon();
  const std::int64_t most = horizon ? horizon->steps() : options.iterations;

  refuse_absurd({.what = fmt::format("training a network for {}", counted(most, "step")),
                 .operations = 1e3 * static_cast<double>(most) * static_cast<double>(options.updates),  // at least
                 .bytes = 0.0,
                 .remedy = "Give a smaller horizon, or other features"});
  Network network(inputs.width, logs.actions(), options.network);
  NetworkFit fit{.held_out = split.episodes_held_out};
  double before = 0.0;
  int still = 0;
  for (std::int64_t s = 1; s <= most; ++s) {
    const auto& examples = s == 1 || train_known.empty() ? split.train : train_known;
    const auto& held_out = s == 1 ? split.held_out : held_known;
    const Unit unit = unit_of(y, examples);
    const TrainingReport report = network.train(
        inputs, row_of,
        {.updates = s == 1 ? options.first_updates : options.updates, .examples = examples, .held_out = held_out},
        squared_loss(steps, y, unit));
    fit.updates += report.updates;
    fit.validation_loss = report.loss * unit.scale * unit.scale;
    fit.iterations = s;
    const std::size_t t = horizon ? static_cast<std::size_t>(horizon->steps() - s) : 0;
    if (horizon && t < by_time.size()) write(network, inputs, unit, by_time[t], values);

    // The targets of the next regression: one more step.
    const std::vector<float> q = network.predict(inputs, next_rows);
    double sum = 0.0;
    for (std::size_t j = 0; j < next_rows.size(); ++j) {
      const auto pi = logs.target(next_rows[j]);
      double v = 0.0;
      for (std::size_t a = 0; a < pi.size(); ++a) v += pi[a] * static_cast<double>(q[j * pi.size() + a]);
      v = unit.center + unit.scale * v;
      y[next_of[j]] = steps[next_of[j]].reward + logs.gamma() * v;
      sum += v;
    }
    if (horizon) continue;
    if (!by_time.empty()) write(network, inputs, unit, by_time[0], values);
    if (next_rows.empty()) break;
    // Minibatches never stand quite still: three small changes in a row are enough.
    const double mean = sum / static_cast<double>(next_rows.size());
    still = std::abs(mean - before) <= 1e-3 * (std::abs(mean) + unit.scale) ? still + 1 : 0;
    before = mean;
    if (still == 3) break;
  }
  return fit;
}

NetworkFit fit_network_regression(const QLogs& logs, const StateFeatures& features, std::span<const std::int64_t> train,
                                  std::span<const std::int64_t> write_to, const NetworkFitOptions& options, bool mrdr,
                                  QValues& values) {
  STAROPE_ASSERT(!features.indicator());
  const SparseInputs inputs = inputs_of(features, logs.problem().data().state_rows());
  const std::vector<LoggedStep> steps = logs.steps(train);
  const Split split = split_steps(steps, train, options.network.seed);
  const std::vector<double> y = weighted_returns(logs, steps);
  std::vector<double> weights(steps.size(), 1.0);
  if (mrdr) {
    weights = variance_weights(logs, steps);
  } else {
    for (std::size_t i = 0; i < steps.size(); ++i) weights[i] = steps[i].t == 0 ? 1.0 : weights[i - 1] * logs.gamma();
  }
  std::vector<std::int64_t> row_of;
  row_of.reserve(steps.size());
  for (const LoggedStep& step : steps) row_of.push_back(step.row);
  Unit unit = unit_of(y, split.train);
  double anchor = 0.0;  // the weight of plain regression beside the program of MRDR, as in fit_mrdr
  if (mrdr) {
    unit.center = 0.0;  // the quadratic form is not indifferent to a constant
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto pe = logs.target(steps[i].row), pb = logs.behavior(steps[i].row);
      for (std::size_t a = 0; a < pe.size(); ++a) anchor += pb[a] > 0.0 ? weights[i] * pe[a] * pe[a] / pb[a] : 0.0;
    }
    anchor = anchor > 0.0 ? options.mrdr_anchor * anchor / static_cast<double>(steps.size()) : 1.0;
  }

  const OutputLoss squared = squared_loss(steps, y, unit);
  const OutputLoss loss = [&](std::int64_t e, std::span<const float> q, std::span<float> gradient) {
    if (!mrdr) {
      const double value = weights[e] * squared(e, q, gradient);
      for (float& x : gradient) x *= static_cast<float>(weights[e]);
      return value;
    }
    // x = D q - 1_a y; loss x' Omega x / 2 with Omega = diag(1/pi_b) - 1 1'; gradient D Omega x.
    const auto pe = logs.target(steps[e].row), pb = logs.behavior(steps[e].row);
    const auto chosen = static_cast<std::size_t>(steps[e].action);
    double sum = 0.0, squares = 0.0;
    const auto x = [&](std::size_t a) {
      return pe[a] * static_cast<double>(q[a]) - (a == chosen ? y[e] / unit.scale : 0.0);
    };
    for (std::size_t a = 0; a < pe.size(); ++a) {
      if (pb[a] <= 0.0) continue;
      sum += x(a);
      squares += x(a) * x(a) / pb[a];
    }
    for (std::size_t a = 0; a < pe.size(); ++a)
      gradient[a] = pb[a] <= 0.0 ? 0.0F : static_cast<float>(weights[e] * pe[a] * (x(a) / pb[a] - sum));
    const double error = static_cast<double>(q[chosen]) - y[e] / unit.scale;
    gradient[chosen] += static_cast<float>(anchor * error);
    return 0.5 * weights[e] * (squares - sum * sum) + 0.5 * anchor * error * error;
  };
  Network network(inputs.width, logs.actions(), options.network);
  const TrainingReport report = network.train(
      inputs, row_of,
      {.updates = 2 * options.first_updates, .patience = 6, .examples = split.train, .held_out = split.held_out}, loss);
  for (const auto& rows : rows_by_time(logs, write_to)) write(network, inputs, unit, rows, values);
  return {.iterations = 1,
          .updates = report.updates,
          .validation_loss = report.loss * unit.scale * unit.scale,
          .held_out = split.episodes_held_out};
}

}  // namespace starope
