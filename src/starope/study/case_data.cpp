#include "starope/study/case_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/domains/choose_domain.hpp"
#include "starope/error.hpp"
#include "starope/rng/random.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/spec.hpp"

namespace starope {

struct StudyData::Source {
  std::optional<domains::NamedDomain> simulated{};
  mutable std::mutex mutex{};
  mutable std::optional<Dataset> logs{};

  Dataset read(const StudyDomain& domain) const {  // copies share their columns
    const std::scoped_lock lock(mutex);
    if (!logs) logs = read_logs(domain);
    return *logs;
  }
};

StudyData::StudyData(const StudySpec& spec, std::vector<std::optional<Dataset>> read) : spec_(spec) {
  read.resize(spec_.domains.size());
  for (std::size_t d = 0; d < spec_.domains.size(); ++d) {
    const StudyDomain& domain = spec_.domains[d];
    auto source = std::make_unique<Source>();
    source->logs = std::move(read[d]);
    if (!domain.domain.empty()) source->simulated = domains::choose_domain(domain.domain, {.icu_sepsis = domain.file});
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
  if (source.simulated) {
    const domains::SimulateOptions how{.episodes = cell.size,
                                       .horizon = domain.horizon,
                                       .seed = seed,
                                       .threads = Threads{1},
                                       .features_as_bits = source.simulated->bits};
    return make_problem(source.simulated->simulate(domain.behavior, domain.target, how), options);
  }
  const Dataset logs = source.read(domain);
  if (cell.size >= logs.episodes()) return make_problem(logs, options);
  Random random(seed, Stream::study_sample, 0);
  std::vector<std::int64_t> chosen = sample_without_replacement(random, logs.episodes(), cell.size);
  std::sort(chosen.begin(), chosen.end());
  return make_problem(logs.take(chosen), options);
}

std::optional<std::int64_t> StudyData::logged_episodes(std::size_t domain) const {
  const Source& source = *sources_.at(domain);
  if (source.simulated) return std::nullopt;
  return source.read(spec_.domains.at(domain)).episodes();
}

std::optional<StudyTruth> StudyData::truth(std::size_t index, Threads threads) const {
  const StudyDomain& domain = spec_.domains.at(index);
  const Source& source = *sources_.at(index);
  if (!source.simulated) {
    if (!domain.truth) return std::nullopt;
    return StudyTruth{.domain = domain.name, .value = *domain.truth};
  }
  const Seed seed = truth_seed(spec_, index);
  const domains::TrueValue found = source.simulated->value(domain.target, {.horizon = domain.horizon,
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
