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

// A model of the process has cells.
constexpr bool are_cells(QFeatures features) {
  return features == QFeatures::automatic || features == QFeatures::tabular || features == QFeatures::clusters;
}

std::vector<std::string> names_of_cells() {
  std::vector<std::string> names;
  for (const auto& each : q_features) {
    if (are_cells(each.value)) names.emplace_back(each.name);
  }
  return names;
}

// An option of a Q-function, and the methods that have it.
struct RecipeOption {
  OptionSpec option{};
  bool (*of)(QMethod) = [](QMethod) { return true; };
};

const std::vector<RecipeOption>& recipe_options() {
  static constexpr auto by_cells = [](QMethod method) { return method == QMethod::mb; };
  static constexpr auto by_regression = [](QMethod method) { return method != QMethod::mb; };
  static constexpr auto by_mrdr = [](QMethod method) { return method == QMethod::mrdr; };
  static const QRecipe usual;
  static const std::vector<RecipeOption> all{
      {OptionSpec::choice("features", names_of(q_features), "what Q is a function of; auto: fits the states"),
       by_regression},
      {OptionSpec::choice("features", names_of_cells(), "the cells; auto: ids as they are, numbers as clusters"),
       by_cells},
      {OptionSpec::whole("clusters", 1, option_text(usual.clusters), "of the states, for features=clusters")
           .at_most(10'000'000)},
      {OptionSpec::whole("waves", 1, option_text(usual.waves), "random Fourier features, for features=rbf")
           .at_most(20'000),
       by_regression},
      {OptionSpec::number("ridge", 0.0, "", "a share of the mean diagonal; default 0 for cells, 1e-4 otherwise"),
       by_regression},
      {OptionSpec::whole("hidden", 1, option_text(usual.hidden), "units in a layer, for features=mlp").at_most(20'000),
       by_regression},
      {OptionSpec::number("anchor", 0.0, option_text(usual.anchor), "of mrdr: the share of plain regression"), by_mrdr},
      {OptionSpec::whole("seed", 0, "", "of all that is random; default: --seed")}};
  return all;
}

bool has_option(QMethod method, const std::string& name) {
  return std::any_of(recipe_options().begin(), recipe_options().end(),
                     [&](const RecipeOption& each) { return each.option.name == name && each.of(method); });
}

std::vector<OptionSpec> options_of(QMethod method) {
  std::vector<OptionSpec> options;
  for (const RecipeOption& each : recipe_options()) {
    if (each.of(method)) options.push_back(each.option);
  }
  return options;
}

// Of a Q-function whose method is an option itself: what one of the methods has.
std::vector<OptionSpec> options_of_any() {
  std::vector<OptionSpec> options;
  for (const RecipeOption& each : recipe_options()) {
    if (options.empty() || options.back().name != each.option.name) options.push_back(each.option);
  }
  return options;
}

std::vector<OptionSpec> joined(std::vector<OptionSpec> options, std::vector<OptionSpec> more) {
  for (OptionSpec& option : more) options.push_back(std::move(option));
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

// Options that the method or other features would ignore are errors.
QRecipe recipe_of(const std::string& method, const EstimatorCall& call, Seed seed) {
  QRecipe recipe;
  recipe.method = method_of(method);
  for (const RecipeOption& each : recipe_options()) {
    if (!has_option(recipe.method, each.option.name)) call.forbid({each.option.name}, method);
  }
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
  if (recipe.method == QMethod::mb && !are_cells(recipe.features))
    call.fail("mb needs features=tabular or features=clusters");
  recipe.ridge = call.number("ridge");
  recipe.anchor = call.number("anchor").value_or(recipe.anchor);
  recipe.seed = call.seed(seed);
  return recipe;
}

QSource source_of(const EstimatorSource& from) {
  const EstimatorCall& call = from.call;
  const std::string text = call.get("q").value_or(q_methods.front().name);
  const EstimatorCall inner(text);
  if (is_method(text)) return recipe_of(text, call, from.seed);
  const auto beside = [&](const char* with) {
    for (const OptionSpec& option : options_of_any()) {
      if (option.name != "seed") call.forbid({option.name}, with);
    }
  };
  if (is_method(inner.name())) {
    beside("options in the parentheses of q");
    inner.check(options_of(method_of(inner.name())));
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
  if (from.call.get("model").value_or("cells") == "cells") {
    from.call.forbid({"hidden"}, "model=cells");
    return make_direct(from);
  }
  from.call.forbid({"features", "clusters"}, "model=mlp");
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
    spec.options = std::move(options);
    spec.needs = needs;
    return spec;
  };
  EstimatorSpec& mb =
      add("mb", "maximum-likelihood model of the process over states or clusters, solved exactly",
          joined({OptionSpec::choice("model", {"cells", "mlp"}, "mlp: networks learn the process"),
                  OptionSpec::whole("hidden", 1, option_text(LearnedModel{}.hidden), "units in a layer, for model=mlp")
                      .at_most(20'000)},
                 options_of(QMethod::mb)));
  mb.one_model = true;
  mb.listed = {{"mb"}, {"mb(model=mlp)", &real_valued}};
  mb.landmark = true;
  mb.make = &make_mb;
  mb.text = &direct_text<QMethod::mb>;
  EstimatorSpec& fqe = add("fqe", "fitted Q evaluation", options_of(QMethod::fqe));
  fqe.one_model = true;
  fqe.listed = {{"fqe"}};
  fqe.make = &make_direct;
  fqe.text = &direct_text<QMethod::fqe>;
  EstimatorSpec& qreg = add("qreg", "Q by regression of weighted returns", options_of(QMethod::qreg));
  qreg.one_model = true;
  qreg.adds_recorded = true;
  qreg.listed = {{"qreg"}};
  qreg.make = &make_direct;
  qreg.text = &direct_text<QMethod::qreg>;
  EstimatorSpec& mrdr = add("mrdr", "the Q that gives dr the least variance", options_of(QMethod::mrdr));
  mrdr.needs = both;
  mrdr.one_model = true;
  mrdr.adds_recorded = true;
  mrdr.listed = {{"mrdr"}};
  mrdr.make = &make_direct;
  mrdr.text = &direct_text<QMethod::mrdr>;
  const std::vector<OptionSpec> blend{
      OptionSpec::text("q", "fqe", "the Q-function: fqe, qreg, mrdr, mb or FILE.csv (state,q_0,...)"),
      OptionSpec::whole("folds", 1, "1", "above 1: Q of an episode comes from other episodes").at_most(1000)};
  EstimatorSpec& dr =
      add("dr", "doubly robust: a Q-function, corrected by importance sampling", joined(blend, options_of_any()));
  // In sample, regressions of returns flatter themselves: folds.
  dr.adds_recorded = true;
  dr.listed = {{"dr(q=fqe)"}, {"dr(q=mrdr,folds=5)", &with_behavior}};
  dr.make = &make_doubly_robust;
  dr.text = &doubly_robust_text<false>;
  EstimatorSpec& wdr = add("wdr", "doubly robust with weights that sum to one", joined(blend, options_of_any()));
  wdr.adds_recorded = true;
  wdr.listed = {{"wdr(q=fqe)"}};
  wdr.make = &make_doubly_robust;
  wdr.text = &doubly_robust_text<true>;
  std::vector<OptionSpec> of_magic = blend;
  of_magic.push_back(OptionSpec::whole("returns", 2, option_text(Magic{}.returns), "number of returns that are blended")
                         .at_most(10'000));
  of_magic.push_back(
      OptionSpec::whole("replicates", 20, option_text(Magic{}.replicates), "of the bootstrap").at_most(1'000'000));
  EstimatorSpec& magic =
      add("magic", "wdr blended with what the Q-function alone says", joined(of_magic, options_of_any()));
  magic.adds_recorded = true;
  magic.listed = {{"magic(q=fqe)"}};
  magic.make = &make_magic;
  magic.text = &magic_text;
  return specs;
}

}  // namespace starope
