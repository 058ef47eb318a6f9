#include "starope/auto/wave_basis.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "starope/auto/cosines.hpp"
#include "starope/base/assert.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

const double* features_of(const BagFeatures& features, std::int64_t row) {
  const std::int64_t point = features.point_of_row.empty() ? row : features.point_of_row[row];
  return features.values.data() + point * features.dimension;
}

// Mean over the steps that count, and the root of the sum of the variances.
struct Spread {
  std::vector<double> center{};
  double width = 0.0;
};

Spread measure(const BagFeatures& features, const Problem& problem, std::int64_t columns) {
  const auto d = static_cast<std::size_t>(columns);
  std::vector<double> sum(d, 0.0), squares(d, 0.0);
  const auto visit = [&](const auto& body) {
    for (std::int64_t i = 0; i < problem.episodes(); ++i) {
      const LoggedEpisode episode = problem.episode(i);
      for (std::int64_t t = 0; t < episode.length(); ++t) body(features_of(features, episode.first_row + t));
    }
  };
  visit([&](const double* x) {
    for (std::size_t j = 0; j < d; ++j) sum[j] += x[j];
  });
  const auto steps = static_cast<double>(problem.steps());
  for (double& s : sum) s /= steps;
  visit([&](const double* x) {
    for (std::size_t j = 0; j < d; ++j) squares[j] += (x[j] - sum[j]) * (x[j] - sum[j]);
  });
  double variance = 0.0;
  for (const double s : squares) variance += s / steps;
  return {.center = std::move(sum), .width = std::sqrt(variance)};
}

}  // namespace

void WaveBasis::evaluate(const double* x, double* out) const {
  const std::size_t d = center.size(), count = phases.size();
  const double scale = std::sqrt(static_cast<double>(d)) / width;
  out[0] = 1.0;
  // Centered numbers first: the waves look at them before they are scaled.
  for (std::size_t i = 0; i < d; ++i) out[1 + i] = x[i] - center[i];
  wave_row({.x = out + 1,
            .features = d,
            .directions = directions.data(),
            .phases = phases.data(),
            .count = count,
            .out = out + 1 + d});
  for (std::size_t i = 0; i < d; ++i) out[1 + i] *= scale;
}

std::vector<WaveBasis> draw_waves(const BagFeatures& features, const Problem& problem, const WaveOptions& options) {
  STAROPE_ASSERT(options.draws >= 1 && options.waves >= 3);
  // Of slow features, as many as the middle member of a bag looks at.
  const std::int64_t columns =
      features.prefixes.empty() ? features.dimension : features.prefixes[features.prefixes.size() / 2];
  Spread spread = measure(features, problem, columns);
  // States that are all alike: any width will do.
  if (!(spread.width > 0.0)) spread.width = 1.0;
  std::vector<WaveBasis> draws;
  constexpr std::size_t lanes = 8;
  const std::size_t count = (static_cast<std::size_t>(1 + columns + options.waves) + lanes - 1) / lanes * lanes -
                            static_cast<std::size_t>(1 + columns);
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.seed, Stream::waves, std::uint64_t{options.which} << 32U | static_cast<std::uint64_t>(draw));
    WaveBasis basis{.center = spread.center, .width = spread.width};
    basis.directions.resize(count * spread.center.size());
    for (std::size_t j = 0; j < count; ++j) {
      const double frequency = options.frequencies[j * options.frequencies.size() / count] / spread.width;
      for (std::size_t i = 0; i < spread.center.size(); ++i)
        basis.directions[i * count + j] = frequency * random.normal();
      basis.phases.push_back(random.uniform(0.0, 2.0 * std::numbers::pi));
    }
    draws.push_back(std::move(basis));
  }
  return draws;
}

WaveRows::WaveRows(std::vector<WaveBasis> draws, const BagFeatures& features, Threads threads)
    : draws_(std::move(draws)), features_(&features) {
  constexpr std::int64_t most_numbers = 2'000'000;
  const std::int64_t points = static_cast<std::int64_t>(features.values.size()) / features.dimension;
  if (points * columns() * static_cast<std::int64_t>(draws_.size()) > most_numbers) return;
  kept_.assign(draws_.size(), RowMatrix(points, columns()));
  parallel_for(static_cast<std::int64_t>(draws_.size()), threads, [&](std::int64_t draw) {
    RowMatrix& kept = kept_[draw];
    for (std::int64_t i = 0; i < points; ++i) {
      draws_[draw].evaluate(features.values.data() + i * features.dimension, kept.row(i).data());
    }
  });
}

void WaveRows::evaluate(std::size_t draw, std::span<const std::int64_t> rows, double* out) const {
  for (const std::int64_t row : rows) {
    const std::int64_t point = point_of(row);
    if (kept_.empty()) {
      draws_[draw].evaluate(features_->values.data() + point * features_->dimension, out);
    } else {
      std::copy_n(kept_[draw].row(point).data(), columns(), out);
    }
    out += columns();
  }
}

void WaveRows::evaluate(std::size_t draw, std::span<const std::int64_t> rows, RowMatrix& out) const {
  out.resize(static_cast<Eigen::Index>(rows.size()), columns());
  evaluate(draw, rows, out.data());
}

const double* WaveLook::functions(const WaveRows& waves, std::size_t draw, std::span<const std::int64_t> rows) {
  if (const double* kept = waves.kept(draw, rows)) return kept;
  if (slots_.size() <= draw) slots_.resize(waves.draws());
  Slot& slot = slots_[draw];
  const bool same = slot.of == &waves && rows.size() <= slot.rows.size() &&
                    std::equal(rows.begin(), rows.end(), slot.rows.begin());  // or the first of them
  if (!same) {
    slot.of = &waves;
    slot.rows.assign(rows.begin(), rows.end());
    slot.functions.resize(rows.size() * static_cast<std::size_t>(waves.columns()));
    waves.evaluate(draw, rows, slot.functions.data());
  }
  return slot.functions.data();
}

}  // namespace starope
