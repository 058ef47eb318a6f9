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
  const char* meaning = "";                         // where the name does not say it
  bool of_process = false;                          // only star has it
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
      {"value",
       {"clusters", "seed"},
       [](const EstimatorSource& from, Star star) -> Estimator {
         ValueStar value;
         value.clusters = from.call.whole_number("clusters").value_or(value.clusters);
         value.seed = from.call.seed(from.seed);
         value.star = std::move(star);
         return value;
       },
       "cells of equal value and occupancy",
       true}};
  return specs;
}

// In the order of the list.
std::vector<const PhiSpec*> phis_of(StarOptions which) {
  std::vector<const PhiSpec*> phis;
  for (const PhiSpec& phi : phi_specs()) {
    if (which == StarOptions::all || !phi.of_process) phis.push_back(&phi);
  }
  return phis;
}

std::vector<std::string> names_of(const std::vector<const PhiSpec*>& phis) {
  std::vector<std::string> names;
  for (const PhiSpec* const phi : phis) names.emplace_back(phi->name);
  return names;
}

// Those that have an option, but not k-means.
std::vector<std::string> others_with(const std::vector<const PhiSpec*>& phis, const std::string& option) {
  std::vector<std::string> names;
  for (const PhiSpec* const phi : phis) {
    const bool has = std::find(phi->options.begin(), phi->options.end(), option) != phi->options.end();
    if (has && std::string_view(phi->name) != "kmeans") names.emplace_back(phi->name);
  }
  return names;
}

// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
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
  return make_star(from, StarOptions::all);
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

std::vector<OptionSpec> star_options(StarOptions which) {
  const Clusters k;
  const std::vector<const PhiSpec*> phis = phis_of(which);
  std::string abstraction = "the abstraction";
  for (const PhiSpec* const phi : phis) {
    if (*phi->meaning != 0) abstraction += fmt::format("; {}: {}", phi->name, phi->meaning);
  }
  std::vector<std::string> drawn = others_with(phis, "seed");
  drawn.insert(drawn.begin(), "k-means");
  if (which == StarOptions::all) drawn.emplace_back("rollouts");
  std::vector<OptionSpec> options{
      OptionSpec::whole("clusters", 1, option_text(k.clusters),
                        "k-means clusters of the states; also of " + enumerated(others_with(phis, "clusters")))
          .at_most(10'000'000),
      OptionSpec::choice("phi", names_of(phis), abstraction),
      OptionSpec::file("centroids", "given centroids, one per row"),
      OptionSpec::file("lookup", "a given table state,z"),
      OptionSpec::whole("clip", 1, "1", "how many of the last ratios a weight multiplies").or_word("none"),
      OptionSpec::choice("init", names_of(inits), "where k-means starts"),
      OptionSpec::choice("scale", names_of(scales), "of the features in k-means"),
      OptionSpec::whole("seed", 0, "", "of " + enumerated(drawn) + "; default: --seed"),
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
  const auto of_process = [](const OptionSpec& option) { return option.name == "clip" || option.name == "rollouts"; };
  if (which == StarOptions::cells) std::erase_if(options, of_process);
  return options;
}

Estimator make_star(const EstimatorSource& from, StarOptions which) {
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
    std::vector<std::string> named = names_of(phis_of(which));
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

void add_star_options(const Star& star, CallText& call) {
  call.add(describe(star.phi));
  add_options(star, std::visit(PhiSeed{}, star.phi), call);
}

EstimatorSpec star_spec() {
  EstimatorSpec spec;
  spec.name = "star";
  spec.summary = "abstract reward process of the target policy over abstract states, solved exactly";
  spec.options = star_options(StarOptions::all);
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
