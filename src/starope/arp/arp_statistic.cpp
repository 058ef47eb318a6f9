#include "starope/arp/arp_statistic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "starope/base/assert.hpp"
#include "starope/base/bytes.hpp"
#include "starope/error.hpp"
#include "starope/fold/sum_recipe.hpp"
#include "starope/stats/scaled.hpp"

namespace starope {
namespace {

constexpr std::size_t steps_of_a_chunk = 256;

void add_all(std::vector<double>& into, const std::vector<double>& other) {
  for (std::size_t z = 0; z < into.size(); ++z) into[z] += other[z];
}

std::int64_t cells_of(std::int64_t cells, const Survey& whole, TimeModel time) {
  if (time == TimeModel::pooled) return cells;
  // One layer per time step, and one for the states after the last steps.
  const std::int64_t layers = whole.longest + 1;
  if (cells > std::int64_t{std::numeric_limits<Label>::max()} / layers) {
    throw InvalidArgument(fmt::format(
        "time=indexed would need {} abstract states x {} time steps cells; use fewer abstract states", cells, layers));
  }
  return cells * layers;
}

ArpRecipe make_recipe(std::int64_t cells, Fingerprint phi, const ArpOptions& options, const ProblemOptions& question,
                      const Survey& whole) {
  ArpRecipe recipe{.cells = cells_of(cells, whole, options.time), .options = options, .phi = phi, .question = question};
  // In a time-indexed cell all steps share the same g^t: it cancels, and leaving it out keeps late cells alive.
  if (options.time == TimeModel::indexed) recipe.question.discount = Discount{1.0};
  return recipe;
}

ArpStatistic nothing_of(const ArpRecipe& recipe) {
  const std::vector<double> zeros(recipe.cells, 0.0);
  return {.recipe = recipe,
          .episodes = 0.0,
          .start = zeros,
          .reward = zeros,
          .exit = zeros,
          .cut = zeros,
          .move = MoveCounts(recipe.cells),
          .unit = {}};
}

}  // namespace

std::string ArpRecipe::text() const {
  return fmt::format("{} cells of phi {}, clip {}, truncation={}, time={}, {}", cells, phi.text(), options.clip.text(),
                     options.truncation == TruncationRule::end ? "end" : "censor",
                     options.time == TimeModel::pooled ? "pooled" : "indexed", text_of(question));
}

void ArpRecipe::write(ByteWriter& to) const {
  to.number(cells);
  to.number(options.clip.window().value_or(0));
  to.flag(options.truncation == TruncationRule::censor);
  to.flag(options.time == TimeModel::indexed);
  to.fingerprint(phi);
  starope::write(to, question);
}

ArpRecipe ArpRecipe::read(ByteReader& from) {
  ArpRecipe recipe;
  recipe.cells = from.number_within(1, std::int64_t{std::numeric_limits<Label>::max()});
  const std::int64_t window = from.number_within(0, std::numeric_limits<std::int64_t>::max());
  recipe.options.clip = window == 0 ? Clip::none() : Clip::last(window);
  recipe.options.truncation = from.flag() ? TruncationRule::censor : TruncationRule::end;
  recipe.options.time = from.flag() ? TimeModel::indexed : TimeModel::pooled;
  recipe.phi = from.fingerprint();
  recipe.question = read_question(from);
  return recipe;
}

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
  expect_same_recipe(recipe, other.recipe);
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

void ArpStatistic::write(ByteWriter& to) const {
  recipe.write(to);
  to.number(episodes);
  for (const auto* sums : {&start, &reward, &exit, &cut}) to.numbers(std::span<const double>(*sums));
  const SparseRows moves = move.rows();
  to.numbers(std::span<const std::int64_t>(moves.offsets));
  to.numbers(std::span<const Label>(moves.column));
  to.numbers(std::span<const double>(moves.value));
  to.flag(unit.has_value());
  to.number(unit.value_or(0));
}

ArpStatistic ArpStatistic::read(ByteReader& from) {
  ArpStatistic read;
  read.recipe = ArpRecipe::read(from);
  read.episodes = from.finite();
  const auto cells = static_cast<std::size_t>(read.recipe.cells);
  for (auto* sums : {&read.start, &read.reward, &read.exit, &read.cut}) {
    *sums = from.reals();
    if (sums->size() != cells) from.fail("a sum does not have one number per cell");
  }
  const auto offsets = from.integers();
  const auto columns = from.labels();
  const auto weights = from.reals();
  if (offsets.size() != cells + 1 || offsets.front() != 0 || columns.size() != weights.size() ||
      offsets.back() != static_cast<std::int64_t>(weights.size()) || !std::is_sorted(offsets.begin(), offsets.end())) {
    from.fail("the moves are not rows of cells");
  }
  read.move = MoveCounts(read.recipe.cells);
  for (std::size_t z = 0; z < cells; ++z) {
    for (auto e = static_cast<std::size_t>(offsets[z]); e < static_cast<std::size_t>(offsets[z + 1]); ++e) {
      if (columns[e] >= cells) from.fail("a move leads to no cell");
      read.move.add(static_cast<Label>(z), columns[e], weights[e]);
    }
  }
  const bool has_unit = from.flag();
  const auto exponent = static_cast<int>(from.number_within(-1000000, 1000000));
  if (has_unit) read.unit = exponent;
  return read;
}

ArpFold::ArpFold(const Labels& labels, const Problem& problem, const ArpOptions& options)
    : ArpFold(labels, problem, options, problem.survey()) {}

ArpFold::ArpFold(const Labels& labels, const Problem& part, const ArpOptions& options, const Survey& whole)
    : labels_(labels),
      recipe_(make_recipe(labels.cells, labels.phi, options, part.options(), whole)),
      weights_(make_weight_rule(whole, options.clip, recipe_.question.discount.gamma())) {
  STAROPE_ASSERT(static_cast<std::int64_t>(labels.of_row.size()) >= part.data().steps());
  if (part.horizon()) horizon_ = part.horizon()->steps();
  const bool dense_pooled = options.time == TimeModel::pooled && recipe_.cells <= MoveCounts::most_dense_cells;
  if (!dense_pooled || !weights_.moderate || weights_.gamma != 1.0) return;
  if (options.clip.is_none()) loop_ = Loop::all_ratios;
  if (options.clip == Clip::last(1)) loop_ = Loop::one_ratio;
  if (options.clip == Clip::last(2)) loop_ = Loop::two_ratios;
}

ArpStatistic ArpFold::identity() const {
  return nothing_of(recipe_);
}

ArpStatistic ArpBlockFold::identity() const {
  return nothing_of(make_recipe(phi.cells(), phi.fingerprint(), options, question, whole));
}

void ArpBlockFold::add_block(ArpStatistic& total, const Problem& block) const {
  const Labels labels = phi.label(block.data(), Threads{1});  // blocks are what threads share
  const ArpFold op(labels, block, options, whole);
  for (std::int64_t i = 0; i < block.episodes(); ++i) op.add(total, block.episode(i));
}

Outcome::Kind ArpFold::outcome_of_last_step(const LoggedEpisode& episode) const {
  if (episode.end == EpisodeEnd::terminated || recipe_.options.truncation == TruncationRule::end)
    return Outcome::Kind::ended;
  // Nothing behind the horizon counts. A time-indexed cell knows that it is the last one before it.
  if (recipe_.options.time == TimeModel::indexed && horizon_ == episode.length()) return Outcome::Kind::ended;
  return episode.final_row ? Outcome::Kind::next : Outcome::Kind::unknown;
}

Label ArpFold::final_cell(const LoggedEpisode& episode) const {
  const Label z = labels_.of_row[*episode.final_row];
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

void ArpFold::add(ArpStatistic& total, const LoggedEpisode& episode, double times) const {
  total.episodes += times;
  total.start[cell(episode, 0)] += times;
  if (loop_ != Loop::chunks && times == 1.0 && total.unit.value_or(0) == 0) return add_fused(total, episode);
  with_weights(weights_, episode.ratios, [&](auto& weights) { add_chunks(total, episode, times, weights); });
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
void ArpFold::add_chunks(ArpStatistic& total, const LoggedEpisode& episode, double times, Weights& stream) const {
  const auto length = static_cast<std::size_t>(episode.length());
  std::array<double, steps_of_a_chunk> weights;
  std::array<Label, steps_of_a_chunk + 1> indexed;
  for (std::size_t t = 0; t < length; t += steps_of_a_chunk) {
    const std::size_t size = std::min(steps_of_a_chunk, length - t);
    const std::optional<int> unit = stream.next({weights.data(), size}, total.unit);
    if (!unit) continue;  // nothing but zero weights so far
    if (unit != total.unit) total.raise_unit(*unit);
    if (times != 1.0) {
      for (double& w : std::span(weights.data(), size)) w *= times;
    }

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
