#include "starope/study/case_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/base/error.hpp"
#include "starope/io/read.hpp"
#include "starope/rng/random.hpp"
#include "starope/study/world.hpp"

namespace starope {
namespace {

// The rows of a table with `width` values per row.
template <class T>
std::vector<T> take_rows(std::span<const T> from, std::span<const std::int64_t> rows, std::int64_t width = 1) {
  std::vector<T> taken;
  taken.reserve(rows.size() * static_cast<std::size_t>(width));
  for (const std::int64_t row : rows) {
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * width);
    taken.insert(taken.end(), first, first + static_cast<std::ptrdiff_t>(width));
  }
  return taken;
}

template <class T>
std::vector<T> take_rows(const std::vector<T>& from, std::span<const std::int64_t> rows, std::int64_t width = 1) {
  return take_rows(std::span<const T>(from), rows, width);
}

States take_states(const States& states, std::span<const std::int64_t> rows) {
  if (const auto* discrete = std::get_if<DiscreteStates>(&states)) {
    std::vector<std::int64_t> ids;
    ids.reserve(rows.size());
    for (const std::int64_t row : rows) {
      ids.push_back(discrete->ids[static_cast<std::size_t>(discrete->code[static_cast<std::size_t>(row)])]);
    }
    return make_discrete_states(ids);
  }
  if (const auto* dense = std::get_if<DenseStates>(&states)) {
    return DenseStates{.dimension = dense->dimension,
                       .values = take_rows(dense->values, rows, dense->dimension),
                       .names = dense->names};
  }
  if (const auto* bits = std::get_if<BinaryStates>(&states)) {
    return BinaryStates{.dimension = bits->dimension,
                        .words = take_rows(bits->words, rows, static_cast<std::int64_t>(bits->words_per_row())),
                        .names = bits->names};
  }
  return {};
}

Actions take_actions(const Actions& actions, std::span<const std::int64_t> rows) {
  if (const auto* discrete = std::get_if<DiscreteActions>(&actions)) {
    return DiscreteActions{.id = take_rows(discrete->id, rows), .count = discrete->count};
  }
  if (const auto* continuous = std::get_if<ContinuousActions>(&actions)) {
    return ContinuousActions{.dimension = continuous->dimension,
                             .values = take_rows(continuous->values, rows, continuous->dimension)};
  }
  return {};
}

std::optional<LoggedProbabilities> take(const std::optional<LoggedProbabilities>& from,
                                        std::span<const std::int64_t> rows) {
  if (!from) return std::nullopt;
  return LoggedProbabilities{.values = take_rows(from->values, rows), .scale = from->scale, .density = from->density};
}

std::optional<ActionProbabilities> take(const std::optional<ActionProbabilities>& from,
                                        std::span<const std::int64_t> rows) {
  if (!from) return std::nullopt;
  return ActionProbabilities{.actions = from->actions, .values = take_rows(from->values, rows, from->actions)};
}

}  // namespace

Dataset episodes_of(const Dataset& data, std::span<const std::int64_t> episodes) {
  Columns columns;
  columns.offsets = {0};
  std::vector<std::int64_t> rows, final_rows;
  std::vector<std::string> names;
  for (const std::int64_t i : episodes) {
    for (std::int64_t t = 0; t < data.length(i); ++t) rows.push_back(data.first_step(i) + t);
    columns.offsets.push_back(static_cast<std::int64_t>(rows.size()));
    const auto final_row = data.final_row(i);
    columns.has_final_state.push_back(final_row.has_value());
    if (final_row) final_rows.push_back(*final_row);
    columns.ends.push_back(data.end(i));
    names.push_back(data.episode_name(i));
  }
  columns.episode_ids = std::move(names);
  columns.actions = take_actions(data.actions(), rows);
  columns.rewards = take_rows(data.rewards(), rows);
  columns.behavior = take(data.behavior(), rows);
  columns.target = take(data.target(), rows);
  columns.behavior_distribution = take(data.behavior_distribution(), rows);
  columns.target_distribution = take(data.target_distribution(), rows);
  if (final_rows.empty()) columns.has_final_state.clear();
  rows.insert(rows.end(), final_rows.begin(), final_rows.end());
  columns.states = take_states(data.states(), rows);
  return Dataset(std::move(columns));
}

struct StudyData::Source {
  std::optional<envs::NamedDomain> world{};
  mutable std::mutex mutex{};
  mutable std::optional<Dataset> logs{};

  Dataset read(const std::string& file) const {  // copies share their columns
    const std::scoped_lock lock(mutex);
    if (!logs) logs = io::read(file, {.need_state = false}).data;
    return *logs;
  }
};

StudyData::StudyData(const StudySpec& spec) : spec_(spec) {
  for (const StudyDomain& domain : spec_.domains) {
    auto source = std::make_unique<Source>();
    if (!domain.domain.empty()) source->world = study_world(domain);
    sources_.push_back(std::move(source));
  }
}

StudyData::~StudyData() = default;
StudyData::StudyData(StudyData&&) noexcept = default;
StudyData& StudyData::operator=(StudyData&&) noexcept = default;

Problem StudyData::problem(const StudyCell& cell) const {
  const StudyDomain& domain = spec_.domains.at(cell.domain);
  const Source& source = *sources_.at(cell.domain);
  const Seed seed = cell_seed(spec_, cell);
  const ProblemOptions options{.discount = domain.discount.value_or(Discount{1.0}), .horizon = domain.horizon};
  if (source.world) {
    const envs::SimulateOptions how{.episodes = cell.size,
                                    .horizon = domain.horizon,
                                    .seed = seed,
                                    .threads = Threads{1},
                                    .features_as_bits = source.world->bits};
    return make_problem(source.world->simulate(domain.behavior, domain.target, how), options);
  }
  const Dataset logs = source.read(domain.file);
  if (cell.size >= logs.episodes()) return make_problem(logs, options);
  Random random(seed, Stream::study_sample, 0);
  std::vector<std::int64_t> chosen = sample_without_replacement(random, logs.episodes(), cell.size);
  std::sort(chosen.begin(), chosen.end());
  return make_problem(episodes_of(logs, chosen), options);
}

std::optional<StudyTruth> StudyData::truth(std::size_t index, Threads threads) const {
  const StudyDomain& domain = spec_.domains.at(index);
  const Source& source = *sources_.at(index);
  if (!source.world) {
    if (!domain.truth) return std::nullopt;
    return StudyTruth{.domain = domain.name, .value = *domain.truth};
  }
  const Seed seed = truth_seed(spec_, index);
  const envs::TrueValue found = source.world->value(domain.target, {.horizon = domain.horizon,
                                                                    .discount = domain.discount,
                                                                    .episodes = spec_.truth_episodes,
                                                                    .seed = seed,
                                                                    .threads = threads});
  StudyTruth truth{
      .domain = domain.name, .value = found.value, .std_error = found.standard_error, .episodes = found.episodes};
  if (found.episodes > 0) truth.seed = seed;
  return truth;
}

}  // namespace starope
