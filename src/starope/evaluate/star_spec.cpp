#include "starope/evaluate/star_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace starope {
namespace {

constexpr std::array inits{Choice<KMeansInit>{"random", KMeansInit::random},
                           Choice<KMeansInit>{"kmeans++", KMeansInit::plus_plus}};
constexpr std::array scales{Choice<FeatureScale>{"standard", FeatureScale::standard},
                            Choice<FeatureScale>{"none", FeatureScale::none}};
constexpr std::array truncations{Choice<TruncationRule>{"end", TruncationRule::end},
                                 Choice<TruncationRule>{"censor", TruncationRule::censor}};
constexpr std::array times{Choice<TimeModel>{"pooled", TimeModel::pooled},
                           Choice<TimeModel>{"indexed", TimeModel::indexed}};

// An abstraction by its name in phi=NAME, and the options that mean something with it.
struct PhiSpec {
  const char* name;
  std::vector<std::string> options{};
  Estimator (*make)(const EstimatorSource&, Star);  // of a star without its abstraction
};

Clusters clusters(const EstimatorSource& from) {
  Clusters k;
  k.clusters = from.call.whole_number("clusters").value_or(k.clusters);
  k.init = from.call.one_of("init", inits);
  k.scale = from.call.one_of("scale", scales);
  k.max_iterations = static_cast<int>(from.call.whole_number("iterations").value_or(k.max_iterations));
  k.tolerance = from.call.number("tolerance").value_or(k.tolerance);
  k.seed = from.call.seed(from.seed);
  return k;
}

template <class Phi>
Estimator with(Star star, Phi phi) {
  star.phi = std::move(phi);
  return star;
}

const std::vector<PhiSpec>& phi_specs() {
  static const std::vector<PhiSpec> specs{
      {"kmeans",
       {"clusters", "init", "scale", "iterations", "tolerance", "seed"},
       [](const EstimatorSource& from, Star star) { return with(std::move(star), clusters(from)); }},
      {"one", {}, [](const EstimatorSource&, Star star) { return with(std::move(star), One{}); }},
      {"identity", {}, [](const EstimatorSource&, Star star) { return with(std::move(star), Identity{}); }},
      {"time", {}, [](const EstimatorSource&, Star star) { return with(std::move(star), Time{}); }},
      {"grid",
       {"bins"},
       [](const EstimatorSource& from, Star star) {
         Grid grid;
         grid.bins = from.call.whole_number("bins").value_or(grid.bins);
         return with(std::move(star), grid);
       }},
      {"random",
       {"clusters", "seed"},
       [](const EstimatorSource& from, Star star) {
         RandomCentroids random;
         random.clusters = from.call.whole_number("clusters").value_or(random.clusters);
         random.seed = from.call.seed(from.seed);
         return with(std::move(star), random);
       }},
      {"value", {"clusters", "seed"}, [](const EstimatorSource& from, Star star) -> Estimator {
         ValueStar value;
         value.clusters = from.call.whole_number("clusters").value_or(value.clusters);
         value.seed = from.call.seed(from.seed);
         value.star = std::move(star);
         return value;
       }}};
  return specs;
}

std::vector<std::string> phi_names() {
  std::vector<std::string> names;
  for (const PhiSpec& phi : phi_specs()) names.emplace_back(phi.name);
  return names;
}

// Everything about a star but its abstraction.
Star without_phi(const EstimatorSource& from) {
  const EstimatorCall& call = from.call;
  Star star;
  if (const auto clip = call.get("clip"))
    star.clip = *clip == "none" ? Clip::none() : Clip::last(*call.whole_number("clip"));
  star.truncation = call.one_of("truncation", truncations);
  star.time = call.one_of("time", times);
  if (const auto horizon = call.get("horizon")) {
    star.horizon = *horizon == "none" ? std::optional<Horizon>{} : Horizon{*call.whole_number("horizon")};
  }
  star.rollouts = call.whole_number("rollouts").value_or(0);
  if (star.rollouts > 0) star.seed = call.seed(from.seed);
  return star;
}

// The options that would be ignored beside `with`.
void forbid_others(const EstimatorCall& call, const std::vector<std::string>& allowed, const std::string& with) {
  for (const char* option : {"clusters", "init", "scale", "iterations", "tolerance", "seed", "bins"}) {
    const bool of_rollouts = std::string(option) == "seed" && call.whole_number("rollouts").value_or(0) > 0;
    if (!of_rollouts && std::find(allowed.begin(), allowed.end(), option) == allowed.end()) call.forbid({option}, with);
  }
}

Estimator make(const EstimatorSource& from) {
  const EstimatorCall& call = from.call;
  Star star = without_phi(from);
  if (const auto path = call.get("centroids")) {
    forbid_others(call, {}, "centroids=FILE");
    call.forbid({"phi", "lookup"}, "centroids=FILE");
    if (!from.files.centroids) call.fail("files cannot be read here");
    return with(std::move(star), from.files.centroids(*path));
  }
  if (const auto path = call.get("lookup")) {
    forbid_others(call, {}, "lookup=FILE");
    call.forbid({"phi"}, "lookup=FILE");
    if (!from.files.lookup) call.fail("files cannot be read here");
    return with(std::move(star), from.files.lookup(*path));
  }
  if (!call.get("phi") && !call.get("clusters")) {
    std::vector<std::string> named = phi_names();
    named.erase(named.begin());  // k-means has clusters=K
    call.fail(fmt::format("{} needs an abstraction: clusters=K, phi={}, centroids=FILE or lookup=FILE", call.name(),
                          fmt::join(named, "|")));
  }
  const std::string name = call.get("phi").value_or("kmeans");
  const auto phi =
      std::find_if(phi_specs().begin(), phi_specs().end(), [&](const PhiSpec& p) { return p.name == name; });
  forbid_others(call, phi->options, name == "kmeans" ? "k-means clusters" : "phi=" + name);
  return phi->make(from, std::move(star));
}

struct PhiSeed {
  Seed operator()(const Clusters& k) const { return k.seed; }
  Seed operator()(const RandomCentroids& r) const { return r.seed; }
  Seed operator()(const One&) const { return {}; }
  Seed operator()(const Time&) const { return {}; }
  Seed operator()(const Identity&) const { return {}; }
  Seed operator()(const Grid&) const { return {}; }
  Seed operator()(const CentroidTable&) const { return {}; }
  Seed operator()(const LookupTable&) const { return {}; }
};

void add_options(const Star& star, Seed seed_of_phi, CallText& call) {
  const Star usual;
  if (star.clip != usual.clip) call.add("clip", star.clip.text());
  if (star.truncation != usual.truncation) call.add("truncation", name_of(truncations, star.truncation));
  if (star.time != usual.time) call.add("time", name_of(times, star.time));
  if (star.horizon) call.add("horizon", *star.horizon ? option_text((*star.horizon)->steps()) : "none");
  call.add("rollouts", star.rollouts, usual.rollouts);
  if (star.rollouts > 0 && seed_of_phi == Seed{}) call.add("seed", star.seed, Seed{});
}

std::optional<std::string> text(const Estimator& estimator) {
  CallText call("star");
  if (const auto* star = std::get_if<Star>(&estimator)) {
    add_star_options(*star, call);
    return call.str();
  }
  if (const auto* value = std::get_if<ValueStar>(&estimator)) {
    call.add("phi", "value").add("clusters", value->clusters, ValueStar{}.clusters).add("seed", value->seed, Seed{});
    add_options(value->star, value->seed, call);
    return call.str();
  }
  return std::nullopt;
}

}  // namespace

void add_star_options(const Star& star, CallText& call) {
  call.add(describe(star.phi));
  add_options(star, std::visit(PhiSeed{}, star.phi), call);
}

EstimatorSpec star_spec() {
  const Clusters k;
  EstimatorSpec spec;
  spec.name = "star";
  spec.summary = "abstract reward process of the target policy over abstract states, solved exactly";
  spec.options = {
      OptionSpec::whole("clusters", 1, option_text(k.clusters),
                        "k-means clusters of the states; also of random and value")
          .at_most(10'000'000),
      OptionSpec::choice("phi", phi_names(), "the abstraction; value: cells of equal value and occupancy"),
      OptionSpec::file("centroids", "given centroids, one per row"),
      OptionSpec::file("lookup", "a given table state,z"),
      OptionSpec::whole("clip", 1, "1", "how many of the last ratios a weight multiplies").or_word("none"),
      OptionSpec::choice("init", names_of(inits), "where k-means starts"),
      OptionSpec::choice("scale", names_of(scales), "of the features in k-means"),
      OptionSpec::whole("seed", 0, "", "of k-means, random and rollouts; default: --seed"),
      OptionSpec::whole("bins", 1, option_text(Grid{}.bins), "of a grid, per feature"),
      OptionSpec::whole("iterations", 0, option_text(std::int64_t{k.max_iterations}),
                        "maximum number of k-means iterations")
          .at_most(1'000'000),
      OptionSpec::number("tolerance", 0.0, option_text(k.tolerance), "k-means stops when no centroid moves by more"),
      OptionSpec::choice("truncation", names_of(truncations), "what the end of a recording means"),
      OptionSpec::whole("horizon", 1, "", "steps that count; default: --horizon").or_word("none"),
      OptionSpec::choice("time", names_of(times), "one model for all steps, or a cell per state and step"),
      OptionSpec::whole("rollouts", 0, "0", "of the process instead of its exact solution; 0: none")
          .at_most(1'000'000'000)};
  spec.needs.states = true;
  spec.role = EstimatorRole::process;
  spec.one_model = true;
  spec.listed = {{"star(phi=identity,clip=1)", [](const LogColumns& logs) { return logs.ids; }},
                 {"star(clusters=32,clip=2)", [](const LogColumns& logs) { return !logs.ids; }}};
  spec.make = &make;
  spec.text = &text;
  return spec;
}

}  // namespace starope
