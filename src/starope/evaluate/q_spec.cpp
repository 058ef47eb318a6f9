#include "starope/evaluate/q_spec.hpp"

#include <algorithm>
#include <array>

#include "starope/base/text.hpp"

namespace starope {
namespace {

// With networks.
constexpr auto q_features = [] {
  std::array<Choice<QFeatures>, linear_features.size() + 1> all{};
  std::copy(linear_features.begin(), linear_features.end(), all.begin());
  all.back() = {"mlp", QFeatures::mlp};
  return all;
}();

std::vector<OptionSpec> recipe_options() {
  const QRecipe usual;
  return {
      OptionSpec::choice("features", names_of(q_features), "what Q is a function of; auto: fits the states"),
      OptionSpec::whole("clusters", 1, option_text(usual.clusters), "of the states, for features=clusters")
          .at_most(10'000'000),
      OptionSpec::whole("waves", 1, option_text(usual.waves), "random Fourier features, for features=rbf")
          .at_most(20'000),
      OptionSpec::number("ridge", 0.0, "", "a share of the mean diagonal; default 0 for cells, 1e-4 otherwise"),
      OptionSpec::whole("hidden", 1, option_text(usual.hidden), "units in a layer, for features=mlp").at_most(20'000),
      OptionSpec::number("anchor", 0.0, option_text(usual.anchor), "of mrdr: the share of plain regression"),
      OptionSpec::whole("seed", 0, "", "of features, networks, folds and bootstrap; default: --seed")};
}

std::vector<OptionSpec> with_recipe_options(std::vector<OptionSpec> options) {
  for (OptionSpec& option : recipe_options()) options.push_back(std::move(option));
  return options;
}

bool is_method(const std::string& name) {
  const std::vector<std::string> known = names_of(q_methods);
  return std::find(known.begin(), known.end(), name) != known.end();
}

QMethod method_of(const std::string& name) {
  QMethod method = QMethod::fqe;
  for (const auto& each : q_methods) {
    if (name == each.name) method = each.value;
  }
  return method;
}

// Options that other features would ignore are errors.
QRecipe recipe_of(const std::string& method, const EstimatorCall& call, Seed seed) {
  QRecipe recipe;
  recipe.method = method_of(method);
  recipe.features = call.one_of("features", q_features);
  const auto of_features = [&](const char* option, QFeatures of, std::int64_t& value) {
    const bool other = recipe.features != QFeatures::automatic && recipe.features != of;
    if (other) call.forbid({option}, "features=" + name_of(q_features, recipe.features));
    if (const auto given = call.whole_number(option)) {
      value = *given;
      recipe.features = of;
    }
  };
  of_features("clusters", QFeatures::clusters, recipe.clusters);
  of_features("waves", QFeatures::rbf, recipe.waves);
  of_features("hidden", QFeatures::mlp, recipe.hidden);
  const bool cells = recipe.features == QFeatures::automatic || recipe.features == QFeatures::tabular ||
                     recipe.features == QFeatures::clusters;
  if (recipe.method == QMethod::mb && !cells) {
    call.fail("mb needs features=tabular or features=clusters, or model=mlp");
  }
  recipe.ridge = call.number("ridge");
  if (recipe.method == QMethod::mb) call.forbid({"ridge"}, "mb");
  recipe.anchor = call.number("anchor").value_or(recipe.anchor);
  if (recipe.method != QMethod::mrdr) call.forbid({"anchor"}, method);
  recipe.seed = call.seed(seed);
  return recipe;
}

QSource source_of(const EstimatorSource& from) {
  const EstimatorCall& call = from.call;
  const std::string text = call.get("q").value_or(q_methods.front().name);
  const EstimatorCall inner(text);
  if (is_method(text)) return recipe_of(text, call, from.seed);
  const auto beside = [&](const char* with) {
    for (const OptionSpec& option : recipe_options()) {
      if (option.name != "seed") call.forbid({option.name}, with);
    }
  };
  if (is_method(inner.name())) {
    beside("options in the parentheses of q");
    inner.check(recipe_options());
    return recipe_of(inner.name(), inner, call.seed(from.seed));
  }
  if (!text.ends_with(".csv")) call.fail(unknown_name("value of q", text, names_of(q_methods)) + ", or FILE.csv");
  beside("q=FILE.csv");
  call.forbid({"folds"}, "q=FILE.csv");
  if (!from.files.q_table) call.fail("files cannot be read here");
  return from.files.q_table(text);
}

Estimator make_direct(const EstimatorSource& from) {
  return DirectMethod{.q = recipe_of(from.call.name(), from.call, from.seed)};
}

Estimator make_mb(const EstimatorSource& from) {
  if (from.call.get("model").value_or("cells") == "cells") return make_direct(from);
  from.call.forbid({"features", "clusters", "waves", "ridge", "anchor"}, "model=mlp");
  LearnedModel model;
  model.hidden = from.call.whole_number("hidden").value_or(model.hidden);
  model.seed = from.call.seed(from.seed);
  return model;
}

Estimator make_doubly_robust(const EstimatorSource& from) {
  DoublyRobust dr;
  dr.q = source_of(from);
  dr.weighted = from.call.name() == "wdr";
  dr.folds = from.call.whole_number("folds").value_or(dr.folds);
  return dr;
}

Estimator make_magic(const EstimatorSource& from) {
  Magic magic;
  magic.q = source_of(from);
  magic.folds = from.call.whole_number("folds").value_or(magic.folds);
  magic.returns = from.call.whole_number("returns").value_or(magic.returns);
  magic.replicates = from.call.whole_number("replicates").value_or(magic.replicates);
  magic.seed = from.call.seed(from.seed);
  return magic;
}

void add_recipe(const QRecipe& recipe, CallText& call) {
  const QRecipe usual;
  if (recipe.features != usual.features) call.add("features", name_of(q_features, recipe.features));
  if (recipe.features == QFeatures::clusters) call.add("clusters", recipe.clusters, usual.clusters);
  if (recipe.features == QFeatures::rbf) call.add("waves", recipe.waves, usual.waves);
  if (recipe.features == QFeatures::mlp) call.add("hidden", recipe.hidden, usual.hidden);
  if (recipe.ridge) call.add("ridge", option_text(*recipe.ridge));
  call.add("anchor", recipe.anchor, usual.anchor).add("seed", recipe.seed, usual.seed);
}

void add_source(const QSource& source, CallText& call) {
  if (const auto* recipe = std::get_if<QRecipe>(&source)) {
    CallText inner(name_of(q_methods, recipe->method));
    add_recipe(*recipe, inner);
    call.add("q", inner.str());
  }
  if (const auto* table = std::get_if<QTable>(&source)) call.add("q", table->source.empty() ? "given" : table->source);
  if (std::holds_alternative<std::shared_ptr<const QFit>>(source)) call.add("q", "given");
}

template <QMethod method>
std::optional<std::string> direct_text(const Estimator& estimator) {
  if (method == QMethod::mb) {
    if (const auto* learned = std::get_if<LearnedModel>(&estimator)) {
      CallText call("mb");
      call.add("model", "mlp").add("hidden", learned->hidden, LearnedModel{}.hidden).add("seed", learned->seed, Seed{});
      return call.str();
    }
  }
  const auto* direct = std::get_if<DirectMethod>(&estimator);
  const auto* recipe = direct == nullptr ? nullptr : std::get_if<QRecipe>(&direct->q);
  if (recipe == nullptr || recipe->method != method) return std::nullopt;
  CallText call(name_of(q_methods, method));
  add_recipe(*recipe, call);
  return call.str();
}

template <bool weighted>
std::optional<std::string> doubly_robust_text(const Estimator& estimator) {
  const auto* dr = std::get_if<DoublyRobust>(&estimator);
  if (dr == nullptr || dr->weighted != weighted) return std::nullopt;
  CallText call(weighted ? "wdr" : "dr");
  add_source(dr->q, call);
  return call.add("folds", dr->folds, std::int64_t{1}).str();
}

std::optional<std::string> magic_text(const Estimator& estimator) {
  const auto* magic = std::get_if<Magic>(&estimator);
  if (magic == nullptr) return std::nullopt;
  const Magic usual;
  CallText call("magic");
  add_source(magic->q, call);
  return call.add("folds", magic->folds, usual.folds)
      .add("returns", magic->returns, usual.returns)
      .add("replicates", magic->replicates, usual.replicates)
      .add("seed", magic->seed, usual.seed)
      .str();
}

bool real_valued(const LogColumns& logs) {
  return !logs.ids;
}

bool with_behavior(const LogColumns& logs) {
  return logs.behavior_distribution;
}

}  // namespace

std::vector<EstimatorSpec> q_specs() {
  const LogColumns needs{.states = true, .discrete_actions = true, .target_distribution = true};
  LogColumns both = needs;
  both.behavior_distribution = true;
  std::vector<EstimatorSpec> specs;
  specs.reserve(7);  // references to its elements stay
  const auto add = [&](const char* name, const char* summary, std::vector<OptionSpec> options) -> EstimatorSpec& {
    EstimatorSpec& spec = specs.emplace_back();
    spec.name = name;
    spec.summary = summary;
    spec.options = with_recipe_options(std::move(options));
    spec.needs = needs;
    return spec;
  };
  EstimatorSpec& mb = add("mb", "maximum-likelihood model of the process over states or clusters, solved exactly",
                          {OptionSpec::choice("model", {"cells", "mlp"}, "mlp: networks learn the process")});
  mb.one_model = true;
  mb.listed = {{"mb"}, {"mb(model=mlp)", &real_valued}};
  mb.landmark = true;
  mb.make = &make_mb;
  mb.text = &direct_text<QMethod::mb>;
  EstimatorSpec& fqe = add("fqe", "fitted Q evaluation", {});
  fqe.one_model = true;
  fqe.listed = {{"fqe"}};
  fqe.make = &make_direct;
  fqe.text = &direct_text<QMethod::fqe>;
  EstimatorSpec& qreg = add("qreg", "Q by regression of weighted returns", {});
  qreg.one_model = true;
  qreg.adds_recorded = true;
  qreg.listed = {{"qreg"}};
  qreg.make = &make_direct;
  qreg.text = &direct_text<QMethod::qreg>;
  EstimatorSpec& mrdr = add("mrdr", "the Q that gives dr the least variance", {});
  mrdr.needs = both;
  mrdr.one_model = true;
  mrdr.adds_recorded = true;
  mrdr.listed = {{"mrdr"}};
  mrdr.make = &make_direct;
  mrdr.text = &direct_text<QMethod::mrdr>;
  const std::vector<OptionSpec> blend{
      OptionSpec::text("q", "fqe", "the Q-function: fqe, qreg, mrdr, mb or FILE.csv (state,q_0,...)"),
      OptionSpec::whole("folds", 1, "1", "above 1: Q of an episode comes from other episodes").at_most(1000)};
  EstimatorSpec& dr = add("dr", "doubly robust: a Q-function, corrected by importance sampling", blend);
  // In sample, regressions of returns flatter themselves: folds.
  dr.adds_recorded = true;
  dr.listed = {{"dr(q=fqe)"}, {"dr(q=mrdr,folds=5)", &with_behavior}};
  dr.make = &make_doubly_robust;
  dr.text = &doubly_robust_text<false>;
  EstimatorSpec& wdr = add("wdr", "doubly robust with weights that sum to one", blend);
  wdr.adds_recorded = true;
  wdr.listed = {{"wdr(q=fqe)"}};
  wdr.make = &make_doubly_robust;
  wdr.text = &doubly_robust_text<true>;
  std::vector<OptionSpec> of_magic = blend;
  of_magic.push_back(OptionSpec::whole("returns", 2, option_text(Magic{}.returns), "number of returns that are blended")
                         .at_most(10'000));
  of_magic.push_back(
      OptionSpec::whole("replicates", 20, option_text(Magic{}.replicates), "of the bootstrap").at_most(1'000'000));
  EstimatorSpec& magic = add("magic", "wdr blended with what the Q-function alone says", of_magic);
  magic.adds_recorded = true;
  magic.listed = {{"magic(q=fqe)"}};
  magic.make = &make_magic;
  magic.text = &magic_text;
  return specs;
}

}  // namespace starope
