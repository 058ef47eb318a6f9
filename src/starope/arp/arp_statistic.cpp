#include "starope/arp/arp_statistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

constexpr std::size_t chunk_steps = 256;

void add_all(std::vector<double>& into, const std::vector<double>& other) {
  for (std::size_t z = 0; z < into.size(); ++z) into[z] += other[z];
}

std::int64_t cells_of(const Labels& labels, const Problem& problem, TimeModel time) {
  if (time == TimeModel::pooled) return labels.cells;
  // One layer per time step, and one for the states after the last steps.
  const std::int64_t layers = problem.longest() + 1;
  if (labels.cells > std::int64_t{std::numeric_limits<Label>::max()} / layers) {
    throw InvalidArgument(
        fmt::format("time=indexed would need {} abstract states x {} time steps cells; use fewer abstract states",
                    labels.cells, layers));
  }
  return labels.cells * layers;
}

}  // namespace

void ArpStatistic::raise_unit(int larger) {
  if (unit && *unit < larger) {
    const double factor = Scaled{1.0, *unit}.relative_to(larger);
    for (auto* sums : {&reward, &exit, &cut}) {
      for (double& x : *sums) x *= factor;
    }
    move.rescale(factor);
  }
  if (!unit || *unit < larger) unit = larger;
}

ArpStatistic& ArpStatistic::operator+=(const ArpStatistic& other) {
  if (recipe != other.recipe) {
    throw InvalidArgument(
        fmt::format("cannot merge ARP statistics of different recipes: {} cells, clip {}, gamma {} against {} cells, "
                    "clip {}, gamma {}",
                    recipe.cells, recipe.options.clip.text(), recipe.gamma, other.recipe.cells,
                    other.recipe.options.clip.text(), other.recipe.gamma));
  }
  episodes += other.episodes;
  add_all(start, other.start);
  if (!other.unit) return *this;
  raise_unit(*other.unit);
  const auto absorb = [this](const ArpStatistic& same_unit) {
    add_all(reward, same_unit.reward);
    add_all(exit, same_unit.exit);
    add_all(cut, same_unit.cut);
    move += same_unit.move;
  };
  if (*other.unit == *unit) {
    absorb(other);
  } else {
    ArpStatistic raised = other;
    raised.raise_unit(*unit);
    absorb(raised);
  }
  return *this;
}

ArpFold::ArpFold(const Labels& labels, const Problem& problem, const ArpOptions& options)
    : labels_(labels),
      // In a time-indexed cell all steps share the same g^t: it cancels, and leaving it out keeps late cells alive.
      recipe_{.cells = cells_of(labels, problem, options.time),
              .options = options,
              .gamma = options.time == TimeModel::pooled ? problem.discount().gamma() : 1.0},
      weights_(make_weight_rule(problem, options.clip, recipe_.gamma)) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.of_row.size()) >= problem.data().steps());
  if (problem.horizon()) horizon_ = problem.horizon()->steps();
  const bool dense_pooled = options.time == TimeModel::pooled && recipe_.cells <= MoveCounts::most_dense_cells;
  if (!dense_pooled || !weights_.moderate || weights_.gamma != 1.0) return;
  if (options.clip.is_none()) loop_ = Loop::all_ratios;
  if (options.clip == Clip::last(1)) loop_ = Loop::one_ratio;
  if (options.clip == Clip::last(2)) loop_ = Loop::two_ratios;
}

ArpStatistic ArpFold::identity() const {
  const std::vector<double> zeros(static_cast<std::size_t>(recipe_.cells), 0.0);
  return {.recipe = recipe_,
          .episodes = 0,
          .start = zeros,
          .reward = zeros,
          .exit = zeros,
          .cut = zeros,
          .move = MoveCounts(recipe_.cells),
          .unit = {}};
}

Outcome::Kind ArpFold::outcome_of_last_step(const LoggedEpisode& episode) const {
  if (episode.end == EpisodeEnd::terminated || recipe_.options.truncation == TruncationRule::end)
    return Outcome::Kind::ended;
  // Nothing behind the horizon counts. A time-indexed cell knows that it is the last one before it.
  if (recipe_.options.time == TimeModel::indexed && horizon_ == episode.length()) return Outcome::Kind::ended;
  return episode.final_row ? Outcome::Kind::next : Outcome::Kind::unknown;
}

Label ArpFold::final_cell(const LoggedEpisode& episode) const {
  const Label z = labels_.of_row[static_cast<std::size_t>(*episode.final_row)];
  return recipe_.options.time == TimeModel::pooled ? z : static_cast<Label>(episode.length() * labels_.cells) + z;
}

// cells: those of the steps of this chunk and of the one after it; the last step of an episode is not among them.
void ArpFold::add_steps(ArpStatistic& total, std::span<const Label> cells, const double* weights,
                        const double* rewards) const {
  double* const reward = total.reward.data();
  if (total.move.is_dense()) {
    double* const move = total.move.dense_row(0);
    const auto k = static_cast<std::size_t>(recipe_.cells);
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      const std::size_t z = cells[i];
      reward[z] += weights[i] * rewards[i];
      move[z * k + cells[i + 1]] += weights[i];
    }
  } else {
    for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
      reward[cells[i]] += weights[i] * rewards[i];
      total.move.add(cells[i], cells[i + 1], weights[i]);
    }
  }
}

void ArpFold::add(ArpStatistic& total, const LoggedEpisode& episode) const {
  ++total.episodes;
  total.start[cell(episode, 0)] += 1.0;
  if (loop_ != Loop::chunks && total.unit.value_or(0) == 0) return add_fused(total, episode);
  with_weights(weights_, episode.ratios, [&](auto& weights) { add_chunks(total, episode, weights); });
}

// The common case in one loop: no discount, a window of one or two steps or none, a dense matrix. The same products in
// the same order as through the chunks, but without a detour of the weights through memory.
void ArpFold::add_fused(ArpStatistic& total, const LoggedEpisode& episode) const {
  const Label* const z = labels_.of_row.data() + episode.first_row;
  const double* const ratio = episode.ratios.data();
  const double* const rewards = episode.rewards.data();
  double* const reward = total.reward.data();
  double* const move = total.move.dense_row(0);
  const auto k = static_cast<std::size_t>(recipe_.cells);
  const std::size_t last = episode.rewards.size() - 1;
  const auto run = [&](const auto& weight_at) {
    for (std::size_t t = 0; t < last; ++t) {
      const double w = weight_at(t);
      reward[z[t]] += w * rewards[t];
      move[z[t] * k + z[t + 1]] += w;
    }
    add_last_step(total, episode, z[last], weight_at(last));
  };
  total.unit = 0;
  double memory = 1.0;  // the ratio before, or the product of all before
  switch (loop_) {
    case Loop::one_ratio:
      return run([&](std::size_t t) { return ratio[t]; });
    case Loop::all_ratios:
      return run([&](std::size_t t) { return memory *= ratio[t]; });
    case Loop::two_ratios:
      return run([&](std::size_t t) {
        const double w = ratio[t] * memory;
        memory = ratio[t];
        return w;
      });
    case Loop::chunks:
      break;
  }
  STAROPE_ASSERT(false);
}

template <class Weights>
void ArpFold::add_chunks(ArpStatistic& total, const LoggedEpisode& episode, Weights& stream) const {
  const auto length = static_cast<std::size_t>(episode.length());
  std::array<double, chunk_steps> weights;
  std::array<Label, chunk_steps + 1> indexed;
  for (std::size_t t = 0; t < length; t += chunk_steps) {
    const std::size_t size = std::min(chunk_steps, length - t);
    const std::optional<int> unit = stream.next({weights.data(), size}, total.unit);
    if (!unit) continue;  // nothing but zero weights so far
    if (unit != total.unit) total.raise_unit(*unit);

    const bool has_last = t + size == length;
    const std::size_t shown = has_last ? size : size + 1;
    std::span<const Label> cells(labels_.of_row.data() + static_cast<std::size_t>(episode.first_row) + t, shown);
    if (recipe_.options.time == TimeModel::indexed) {
      for (std::size_t i = 0; i < shown; ++i) indexed[i] = cell(episode, static_cast<std::int64_t>(t + i));
      cells = {indexed.data(), shown};
    }
    add_steps(total, cells, weights.data(), episode.rewards.data() + t);
    if (has_last) add_last_step(total, episode, cells[size - 1], weights[size - 1]);
  }
}

void ArpFold::add_last_step(ArpStatistic& total, const LoggedEpisode& episode, Label last, double weight) const {
  total.reward[last] += weight * episode.rewards.back();
  switch (outcome_of_last_step(episode)) {
    case Outcome::Kind::ended:
      total.exit[last] += weight;
      break;
    case Outcome::Kind::unknown:
      total.cut[last] += weight;
      break;
    case Outcome::Kind::next:
      total.move.add(last, final_cell(episode), weight);
      break;
  }
}

}  // namespace starope
