#include "starope/evaluate/estimator_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "starope/base/error.hpp"
#include "starope/base/text.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/q_text.hpp"

namespace starope {
namespace {

const std::vector<std::string> estimator_names{"auto", "naive", "is", "pdis", "wis", "wpdis", "star"};
const std::vector<std::string> star_options{"clusters", "phi",  "centroids",  "lookup",     "clip",    "init", "scale",
                                            "seed",     "bins", "iterations", "truncation", "horizon", "time"};

Seed seed_of(const EstimatorCall& call, Seed seed) {
  if (const auto given = call.whole_number("seed", 0)) seed = Seed{static_cast<std::uint64_t>(*given)};
  return seed;
}

AbstractionRecipe kmeans(const EstimatorCall& call, Seed seed) {
  call.forbid({"bins"}, "k-means clusters");
  KMeansOptions options{.clusters = call.whole_number("clusters", 1).value_or(KMeansOptions{}.clusters)};
  options.init = call.choice("init", {"random", "kmeans++"}) == 0 ? KMeansInit::random : KMeansInit::plus_plus;
  options.scale = call.choice("scale", {"standard", "none"}) == 0 ? FeatureScale::standard : FeatureScale::none;
  options.max_iterations = static_cast<int>(
      std::min<std::int64_t>(1000000, call.whole_number("iterations", 0).value_or(options.max_iterations)));
  options.seed = seed_of(call, seed);
  return options;
}

AbstractionRecipe named_phi(const EstimatorCall& call, Seed seed) {
  const std::vector<std::string> names{"kmeans", "one", "identity", "time", "grid", "random", "value"};
  const std::string phi = names[call.choice("phi", names)];
  if (phi == "kmeans") return kmeans(call, seed);
  call.forbid({"init", "scale", "iterations"}, "phi=" + phi);
  if (phi == "random") {
    call.forbid({"bins"}, "phi=random");
    return RandomCentroidsOptions{
        .clusters = call.whole_number("clusters", 1).value_or(RandomCentroidsOptions{}.clusters),
        .seed = seed_of(call, seed)};
  }
  call.forbid({"clusters", "seed"}, "phi=" + phi);
  if (phi == "grid") return GridOptions{.bins = call.whole_number("bins", 1).value_or(GridOptions{}.bins)};
  call.forbid({"bins"}, "phi=" + phi);
  if (phi == "one") return One{};
  if (phi == "time") return Time{};
  return Identity{};
}

AbstractionRecipe abstraction_of(const EstimatorCall& call, const EstimatorFiles& files, Seed seed) {
  const std::vector<std::string> fitting{"clusters", "phi", "init", "scale", "seed", "bins", "iterations"};
  if (const auto path = call.get("centroids")) {
    call.forbid(fitting, "centroids=FILE");
    call.forbid({"lookup"}, "centroids=FILE");
    if (!files.centroids) call.fail("files cannot be read here");
    return files.centroids(*path);
  }
  if (const auto path = call.get("lookup")) {
    call.forbid(fitting, "lookup=FILE");
    if (!files.lookup) call.fail("files cannot be read here");
    return files.lookup(*path);
  }
  if (!call.get("phi") && !call.get("clusters")) {
    call.fail(
        "star needs an abstraction: clusters=K, phi=one|identity|time|grid|random|value, centroids=FILE or "
        "lookup=FILE");
  }
  return named_phi(call, seed);
}

// Everything about a star but its abstraction.
Star star_options_of(const EstimatorCall& call) {
  Star result;
  if (const auto clip = call.get("clip"))
    result.clip = *clip == "none" ? Clip::none() : Clip::last(*call.whole_number("clip", 1));
  result.truncation = call.choice("truncation", {"end", "censor"}) == 0 ? TruncationRule::end : TruncationRule::censor;
  result.time = call.choice("time", {"pooled", "indexed"}) == 0 ? TimeModel::pooled : TimeModel::indexed;
  if (const auto horizon = call.get("horizon")) {
    result.horizon = *horizon == "none" ? std::optional<Horizon>{} : Horizon{*call.whole_number("horizon", 1)};
  }
  return result;
}

Star star(const EstimatorCall& call, const EstimatorFiles& files, Seed seed) {
  Star result = star_options_of(call);
  result.phi = abstraction_of(call, files, seed);
  return result;
}

ValueStar value_star(const EstimatorCall& call, Seed seed) {
  call.forbid({"init", "scale", "iterations", "bins", "centroids", "lookup"}, "phi=value");
  return {.clusters = call.whole_number("clusters", 1).value_or(ValueStar{}.clusters),
          .seed = seed_of(call, seed),
          .star = star_options_of(call)};
}

// "16,32,64" would be split at its commas: a ladder is written 16-32-64.
std::vector<std::int64_t> ladder_of(const EstimatorCall& call) {
  std::vector<std::int64_t> ladder;
  const std::string whole = *call.get("ladder");
  std::string_view rest = whole;
  while (true) {
    const std::size_t dash = rest.find('-');
    const EstimatorCall level(fmt::format("{}(ladder={})", call.name(), rest.substr(0, dash)));
    ladder.push_back(*level.whole_number("ladder", 1));
    if (dash == std::string_view::npos) break;
    rest.remove_prefix(dash + 1);
  }
  if (std::adjacent_find(ladder.begin(), ladder.end(), std::greater_equal<>()) != ladder.end()) {
    call.fail("a ladder is an ascending list of numbers of cells, like 16-32-64");
  }
  return ladder;
}

Auto automatic(const EstimatorCall& call, Seed seed) {
  call.allow_only({"history", "seeds", "ladder", "seed"});
  Auto result;
  constexpr History histories[] = {History::automatic, History::off, History::on, History::mixed};
  result.history = histories[call.choice("history", {"auto", "off", "on", "mixed"})];
  result.seeds = static_cast<int>(std::min<std::int64_t>(1000, call.whole_number("seeds", 1).value_or(result.seeds)));
  if (call.get("ladder")) result.ladder = ladder_of(call);
  result.seed = seed_of(call, seed);
  return result;
}

}  // namespace

NamedEstimator parse_estimator(std::string_view text, const EstimatorFiles& files, Seed seed) {
  const EstimatorCall call(text);
  NamedEstimator named{.text = call.text(), .estimator = Naive{}};
  if (call.name() == "star") {
    call.allow_only(star_options);
    if (call.get("phi") == "value") {
      named.estimator = value_star(call, seed);
    } else {
      named.estimator = star(call, files, seed);
    }
    return named;
  }
  if (call.name() == "auto") {
    named.estimator = automatic(call, seed);
    return named;
  }
  if (auto estimator = parse_q_estimator(call, files, seed)) {
    named.estimator = std::move(*estimator);
    return named;
  }
  if (std::find(estimator_names.begin(), estimator_names.end(), call.name()) == estimator_names.end()) {
    std::vector<std::string> known = estimator_names;
    known.insert(known.end(), q_estimator_names().begin(), q_estimator_names().end());
    throw InvalidArgument(unknown_name("estimator", call.name(), known));
  }
  call.allow_only({});
  if (call.name() != "naive") {
    named.estimator = ImportanceSampling{.weighted = call.name().front() == 'w',
                                         .per_decision = call.name().find("pdis") != std::string::npos};
  }
  return named;
}

std::vector<NamedEstimator> parse_estimators(std::string_view list, const EstimatorFiles& files, Seed seed) {
  std::vector<NamedEstimator> estimators;
  for (const std::string_view part : split_estimators(list)) {
    if (part.empty()) throw InvalidArgument(fmt::format("the estimator list '{}' has an empty entry", list));
    estimators.push_back(parse_estimator(part, files, seed));
  }
  return estimators;
}

}  // namespace starope
