#include "starope/evaluate/flow_spec.hpp"

#include "starope/evaluate/q_spec.hpp"
#include "starope/evaluate/star_spec.hpp"

namespace starope {
namespace {

Estimator make_mis(const EstimatorSource& from) {
  Marginalized result;
  result.star = std::get<Star>(make_star(from, StarOptions::cells));
  if (const auto dr = from.call.get("dr"); dr && *dr != "none") {
    result.q = QRecipe{.method = from.call.one_of("dr", q_methods), .seed = from.seed};
  }
  return result;
}

std::optional<std::string> mis_text(const Estimator& estimator) {
  const auto* mis = std::get_if<Marginalized>(&estimator);
  if (mis == nullptr) return std::nullopt;
  CallText call("mis");
  add_star_options(mis->star, call);
  if (mis->q) call.add("dr", name_of(q_methods, mis->q->method));
  return call.str();
}

Estimator make_dice(const EstimatorSource& from) {
  Dice result;
  QRecipe& recipe = result.features;
  recipe.features = from.call.one_of("features", linear_features);
  recipe.clusters = from.call.whole_number("clusters").value_or(recipe.clusters);
  recipe.waves = from.call.whole_number("waves").value_or(recipe.waves);
  recipe.ridge = from.call.number("ridge");
  recipe.seed = from.call.seed(from.seed);
  return result;
}

std::optional<std::string> dice_text(const Estimator& estimator) {
  const auto* dice = std::get_if<Dice>(&estimator);
  if (dice == nullptr) return std::nullopt;
  const QRecipe usual, &recipe = dice->features;
  CallText call("dice");
  if (recipe.features != usual.features) call.add("features", name_of(linear_features, recipe.features));
  call.add("clusters", recipe.clusters, usual.clusters).add("waves", recipe.waves, usual.waves);
  if (recipe.ridge) call.add("ridge", option_text(*recipe.ridge));
  return call.add("seed", recipe.seed, usual.seed).str();
}

}  // namespace

std::vector<EstimatorSpec> flow_specs() {
  EstimatorSpec mis;
  mis.name = "mis";
  mis.summary = "marginalized importance sampling: occupancy ratios of abstract states";
  mis.options = star_options(StarOptions::cells);
  std::vector<std::string> words{"none"};
  for (const std::string& word : names_of(q_methods)) words.push_back(word);
  mis.options.push_back(OptionSpec::choice("dr", words, "doubly robust with this Q-function; needs target_probs_*"));
  mis.needs.states = true;
  mis.one_model = true;
  mis.listed = {{"mis(phi=identity)", [](const LogColumns& logs) { return logs.ids; }},
                {"mis(clusters=32)", [](const LogColumns& logs) { return !logs.ids; }}};
  mis.make = &make_mis;
  mis.text = &mis_text;
  EstimatorSpec dice;
  const QRecipe usual;
  dice.name = "dice";
  dice.summary = "occupancy ratios without a horizon, linear in features; needs --gamma below 1";
  dice.options = {
      OptionSpec::choice("features", names_of(linear_features), "of states; auto: ids, or random Fourier features"),
      OptionSpec::whole("clusters", 1, option_text(usual.clusters), "of features=clusters").at_most(10'000),
      OptionSpec::whole("waves", 1, option_text(usual.waves), "of features=rbf").at_most(20'000),
      OptionSpec::number("ridge", 0.0, "", "a share of the mean diagonal; default 1e-9 for cells, 1e-6 otherwise"),
      OptionSpec::whole("seed", 0, "", "of the features; default: --seed")};
  dice.one_model = true;
  dice.needs = LogColumns{.states = true, .discrete_actions = true, .target_distribution = true};
  // A discount below 1 is part of the question, not of the columns: `all` leaves it out.
  dice.listed = {{"dice", [](const LogColumns&) { return false; }}};
  dice.make = &make_dice;
  dice.text = &dice_text;
  return {mis, dice};
}

}  // namespace starope
