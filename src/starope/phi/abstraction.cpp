#include "starope/phi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "starope/data/sample_places.hpp"
#include "starope/phi/centroids.hpp"
#include "starope/phi/counted_states.hpp"
#include "starope/phi/grid.hpp"
#include "starope/phi/kmeans.hpp"
#include "starope/phi/lookup.hpp"
#include "starope/phi/phi.hpp"
#include "starope/phi/random_centroids.hpp"
#include "starope/phi/simple.hpp"

namespace starope {
namespace {

struct Fit {
  const Problem& problem;
  Threads threads;

  FittedAbstraction operator()(const One&) const { return fit_one(problem.data()); }
  FittedAbstraction operator()(const Time&) const { return fit_time(problem.data()); }
  FittedAbstraction operator()(const Identity&) const { return fit_identity(problem); }
  FittedAbstraction operator()(const Grid& grid) const { return fit_grid(grid, problem, threads); }
  FittedAbstraction operator()(const Clusters& options) const {
    Clusters quiet = options;
    quiet.inertia = false;  // labels are all that is asked for here
    KMeansFit fit = fit_kmeans(problem, quiet, threads);
    return {.phi = std::move(fit.phi), .labels = std::move(fit.labels), .findings = std::move(fit.findings)};
  }
  FittedAbstraction operator()(const RandomCentroids& options) const {
    return fit_random_centroids(options, problem, threads);
  }
  FittedAbstraction operator()(const CentroidTable& table) const { return fit_centroids(table, problem, threads); }
  FittedAbstraction operator()(const LookupTable& table) const { return fit_lookup(table, problem); }
};

std::string seed_text(Seed seed) {
  return seed == Seed{} ? std::string() : fmt::format(",seed={}", seed.value);
}

std::string source_text(const std::string& source) {
  return source.empty() ? "given" : source;
}

struct Describe {
  std::string operator()(const One&) const { return "phi=one"; }
  std::string operator()(const Time&) const { return "phi=time"; }
  std::string operator()(const Identity&) const { return "phi=identity"; }
  std::string operator()(const Grid& grid) const {
    return grid.bins == Grid{}.bins ? "phi=grid" : fmt::format("phi=grid,bins={}", grid.bins);
  }
  std::string operator()(const Clusters& options) const {
    const Clusters usual;
    std::string text = fmt::format("clusters={}", options.clusters);
    if (options.init != usual.init) text += ",init=kmeans++";
    if (options.scale != usual.scale) text += ",scale=none";
    if (options.max_iterations != usual.max_iterations) text += fmt::format(",iterations={}", options.max_iterations);
    if (options.tolerance != usual.tolerance) text += fmt::format(",tolerance={}", options.tolerance);
    return text + seed_text(options.seed);
  }
  std::string operator()(const RandomCentroids& options) const {
    return fmt::format("phi=random,clusters={}{}", options.clusters, seed_text(options.seed));
  }
  std::string operator()(const CentroidTable& table) const { return "centroids=" + source_text(table.source); }
  std::string operator()(const LookupTable& table) const { return "lookup=" + source_text(table.source); }
};

}  // namespace

namespace {

// What is fitted to a sample where the logs are many.
bool takes_a_sample(const AbstractionRecipe& recipe) {
  return std::holds_alternative<Grid>(recipe) || std::holds_alternative<Clusters>(recipe) ||
         std::holds_alternative<RandomCentroids>(recipe);
}

// The abstraction that was fitted to a sample, for all states.
Phi for_all(const Phi& phi) {
  const bool complete = std::holds_alternative<CentroidCells>(rule_of(phi));  // every point has a nearest centroid
  return complete ? phi : phi.with_elsewhere();
}

// The ids of all states, ascending; none where states are no ids.
std::optional<std::vector<std::int64_t>> all_ids(const Source& source) {
  std::vector<std::int64_t> all, merged;
  const Source::Next next = source.open();
  while (const auto block = next()) {
    const auto* discrete = std::get_if<DiscreteStates>(&block->states());
    if (discrete == nullptr) return std::nullopt;
    merged.clear();
    std::set_union(all.begin(), all.end(), discrete->ids.begin(), discrete->ids.end(), std::back_inserter(merged));
    std::swap(all, merged);
  }
  return all;
}

// How many numbers a state has; 0: it is something else.
std::int64_t features_of(const Source& source) {
  const std::optional<Dataset> first = source.open()();
  const auto* dense = first ? std::get_if<DenseStates>(&first->states()) : nullptr;
  return dense == nullptr ? 0 : dense->dimension;
}

// k-means of states with features, of which nothing but these is held, and once; none: states of another kind.
std::optional<PhiFit> fit_clusters(Clusters options, const Source& source, const ProblemOptions& question,
                                   Threads threads, std::int64_t most_steps) {
  const std::int64_t dimension = features_of(source);
  if (dimension == 0) return std::nullopt;
  options.inertia = false;
  KMeansFit fit = fit_kmeans(sampled_features(source, question.horizon, most_steps), dimension, options, threads);
  return PhiFit{.phi = std::move(fit.phi), .findings = std::move(fit.findings)};
}

// Of a block, what an abstraction looks at.
Source with_states_alone(const Source& source) {
  return Source([source]() -> Source::Next {
    return [next = source.open()]() -> std::optional<Dataset> {
      const std::optional<Dataset> block = next();
      if (!block) return std::nullopt;
      Columns columns = block->columns();
      columns.actions = {};
      columns.behavior_distribution.reset();
      columns.target_distribution.reset();
      return Dataset(std::move(columns));
    };
  });
}

}  // namespace

FittedAbstraction fit_abstraction(const AbstractionRecipe& recipe, const Problem& problem, Threads threads,
                                  std::int64_t most_steps) {
  if (problem.data().steps() <= most_steps || !takes_a_sample(recipe)) return std::visit(Fit{problem, threads}, recipe);
  const Problem sample = problem.take(sample_places(dataset_source(problem.data()), most_steps));
  FittedAbstraction fitted = std::visit(Fit{sample, threads}, recipe);
  fitted.phi = for_all(*fitted.phi);
  fitted.labels = fitted.phi->label(problem.data(), threads);
  return fitted;
}

PhiFit fit_phi(const AbstractionRecipe& recipe, const Source& source, const ProblemOptions& question, Threads threads,
               std::int64_t most_steps) {
  if (std::holds_alternative<One>(recipe)) return {};
  if (std::holds_alternative<Time>(recipe)) {
    TimeCells time;
    const Source::Next next = source.open();
    while (const auto block = next()) {
      for (std::int64_t i = 0; i < block->episodes(); ++i)
        time.cells = std::max(time.cells, block->length(i) + (block->final_row(i) ? 1 : 0));
    }
    return {.phi = make_phi(time), .findings = {}};
  }
  if (const auto* clusters = std::get_if<Clusters>(&recipe)) {
    if (auto fitted = fit_clusters(*clusters, source, question, threads, most_steps)) return *std::move(fitted);
  }
  if (std::holds_alternative<Identity>(recipe)) {
    if (auto ids = all_ids(source)) return {.phi = make_phi(identity_of(*std::move(ids))), .findings = {}};
  }
  const EpisodeSample sample = sample_episodes(with_states_alone(source), most_steps);
  FittedAbstraction fitted = std::visit(Fit{make_problem(sample.episodes, question), threads}, recipe);
  const bool complete = sample.whole || std::holds_alternative<LookupTable>(recipe);  // which must know all states
  return {.phi = complete ? *fitted.phi : for_all(*fitted.phi), .findings = std::move(fitted.findings)};
}

std::string describe(const AbstractionRecipe& recipe) {
  return std::visit(Describe{}, recipe);
}

}  // namespace starope
