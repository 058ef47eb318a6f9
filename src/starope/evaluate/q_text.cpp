#include "starope/evaluate/q_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "starope/base/text.hpp"

namespace starope {
namespace {

const std::vector<std::string> method_names{"fqe", "qreg", "mrdr", "mb"};
const std::vector<std::string> feature_names{"auto", "tabular", "linear", "rbf", "clusters", "mlp"};
const std::vector<std::string> recipe_options{"features", "clusters", "waves", "ridge", "hidden", "anchor", "seed"};

Seed seed_of(const EstimatorCall& call, Seed seed) {
  if (const auto given = call.whole_number("seed", 0)) seed = Seed{static_cast<std::uint64_t>(*given)};
  return seed;
}

// Options that other features would ignore are errors.
QRecipe recipe_of(const std::string& method, const EstimatorCall& call, Seed seed) {
  QRecipe recipe;
  recipe.method =
      static_cast<QMethod>(std::find(method_names.begin(), method_names.end(), method) - method_names.begin());
  recipe.features = static_cast<QFeatures>(call.choice("features", feature_names));
  const bool open = recipe.features == QFeatures::automatic;
  const auto only_for = [&](const char* option, QFeatures features) {
    if (!open && recipe.features != features)
      call.forbid({option}, "features=" + feature_names[static_cast<std::size_t>(recipe.features)]);
  };
  only_for("clusters", QFeatures::clusters);
  only_for("waves", QFeatures::rbf);
  only_for("hidden", QFeatures::mlp);
  if (const auto clusters = call.whole_number("clusters", 1)) {
    recipe.clusters = *clusters;
    recipe.features = QFeatures::clusters;
  }
  if (const auto waves = call.whole_number("waves", 1)) {
    recipe.waves = *waves;
    recipe.features = QFeatures::rbf;
  }
  if (const auto hidden = call.whole_number("hidden", 1)) {
    recipe.hidden = *hidden;
    recipe.features = QFeatures::mlp;
  }
  if (method == "mb" && (recipe.features == QFeatures::linear || recipe.features == QFeatures::rbf ||
                         recipe.features == QFeatures::mlp)) {
    call.fail("mb needs features=tabular or features=clusters, or model=mlp");
  }
  recipe.ridge = call.number("ridge", 0.0);
  if (method == "mb") call.forbid({"ridge"}, "mb");
  recipe.anchor = call.number("anchor", 0.0).value_or(recipe.anchor);
  if (method != "mrdr") call.forbid({"anchor"}, method);
  recipe.seed = seed_of(call, seed);
  return recipe;
}

QSource source_of(const EstimatorCall& call, const EstimatorFiles& files, Seed seed) {
  const std::string text = call.get("q").value_or("fqe");
  const EstimatorCall inner(text);
  const bool method = std::find(method_names.begin(), method_names.end(), inner.name()) != method_names.end();
  if (method && inner.name() == text) return recipe_of(text, call, seed);
  const auto beside = [&](const char* with) {
    for (const std::string& option : recipe_options) {
      if (option != "seed") call.forbid({option}, with);
    }
  };
  if (method) {
    beside("options in the parentheses of q");
    inner.allow_only(recipe_options);
    return recipe_of(inner.name(), inner, seed_of(call, seed));
  }
  if (!text.ends_with(".csv")) call.fail(unknown_name("value of q", text, method_names) + ", or FILE.csv");
  beside("q=FILE.csv");
  call.forbid({"folds"}, "q=FILE.csv");
  if (!files.q_table) call.fail("files cannot be read here");
  return files.q_table(text);
}

LearnedModel learned_model(const EstimatorCall& call, Seed seed) {
  call.allow_only({"model", "hidden", "seed"});
  LearnedModel model;
  model.options.network.hidden = call.whole_number("hidden", 1).value_or(model.options.network.hidden);
  model.options.network.seed = seed_of(call, seed);
  return model;
}

std::vector<std::string> with_recipe_options(std::vector<std::string> options) {
  options.insert(options.end(), recipe_options.begin(), recipe_options.end());
  return options;
}

}  // namespace

const std::vector<std::string>& q_estimator_names() {
  static const std::vector<std::string> names{"mb", "fqe", "qreg", "mrdr", "dr", "wdr", "magic"};
  return names;
}

std::optional<Estimator> parse_q_estimator(const EstimatorCall& call, const EstimatorFiles& files, Seed seed) {
  if (std::find(method_names.begin(), method_names.end(), call.name()) != method_names.end()) {
    if (call.name() == "mb" && call.choice("model", {"cells", "mlp"}) == 1) return learned_model(call, seed);
    call.allow_only(call.name() == "mb" ? with_recipe_options({"model"}) : recipe_options);
    return DirectMethod{recipe_of(call.name(), call, seed)};
  }
  if (call.name() == "dr" || call.name() == "wdr") {
    call.allow_only(with_recipe_options({"q", "folds"}));
    return DoublyRobust{.q = source_of(call, files, seed),
                        .weighted = call.name() == "wdr",
                        .folds = call.whole_number("folds", 1).value_or(1)};
  }
  if (call.name() == "magic") {
    call.allow_only(with_recipe_options({"q", "folds", "returns", "replicates"}));
    Magic magic{.q = source_of(call, files, seed), .folds = call.whole_number("folds", 1).value_or(1)};
    magic.returns = call.whole_number("returns", 2).value_or(magic.returns);
    magic.replicates =
        std::min<std::int64_t>(1'000'000, call.whole_number("replicates", 20).value_or(magic.replicates));
    magic.seed = seed_of(call, seed);
    return magic;
  }
  return std::nullopt;
}

}  // namespace starope
