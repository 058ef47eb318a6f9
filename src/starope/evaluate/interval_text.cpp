#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/spec.hpp"
#include "starope/interval.hpp"

namespace starope {
namespace {

enum class Kind { error, bootstrap, bound };

struct MethodSpec {
  IntervalMethod method;
  Kind kind;
  const char* summary;
};

constexpr std::array methods = std::to_array<MethodSpec>({
    {IntervalMethod::influence, Kind::error, "value +- t standard errors (default)"},
    {IntervalMethod::t, Kind::error, "the same, with episodes - 1 degrees of freedom"},
    {IntervalMethod::bootstrap_percentile, Kind::bootstrap, "quantiles of bootstrap replicates"},
    {IntervalMethod::bootstrap_bca, Kind::bootstrap, "the same, corrected for bias and skewness"},
    {IntervalMethod::bootstrap_studentized, Kind::bootstrap, "quantiles in standard errors of replicates"},
    {IntervalMethod::hoeffding, Kind::bound, "holds for any number of episodes (naive, is, pdis)"},
    {IntervalMethod::empirical_bernstein, Kind::bound, "the same, shorter where returns spread little"},
    {IntervalMethod::anderson, Kind::bound, "the same, from a band around the distribution"},
});

constexpr std::int64_t most_replicates = 1'000'000;

std::vector<OptionSpec> options_of(Kind kind) {
  if (kind == Kind::bootstrap) {
    return {OptionSpec::whole("replicates", 10, "1000", "how many").at_most(most_replicates),
            OptionSpec::choice("refit", {"no", "yes"}, "whether abstractions are fitted anew in each"),
            OptionSpec::whole("seed", 0, "", "of the replicates; default: --seed")};
  }
  if (kind == Kind::error) return {};
  return {OptionSpec::text("lower", "", "the least that an episode may earn"),
          OptionSpec::text("upper", "", "the most"),
          OptionSpec::number("weight", 0.0, "", "the largest product of ratios that is possible")};
}

const MethodSpec& find_method(const EstimatorCall& call) {
  std::vector<std::string> known;
  for (const MethodSpec& spec : methods) {
    if (name(spec.method) == call.name()) return spec;
    known.push_back(name(spec.method));
  }
  throw InvalidArgument(unknown_name("kind of interval", call.name(), known));
}

void read_range(const EstimatorCall& call, IntervalRecipe& recipe) {
  const auto lower = call.number("lower"), upper = call.number("upper"), weight = call.number("weight");
  if (!lower && !upper && !weight) return;
  if (!lower || !upper) call.fail("a range has two ends: give lower= and upper=");
  if (!(*lower < *upper)) call.fail("lower must be less than upper");
  if (weight && !(*weight > 0.0)) call.fail("weight must be above 0");
  recipe.range = ReturnRange{.lower = *lower, .upper = *upper, .weight = weight};
}

}  // namespace

IntervalRecipe parse_interval(std::string_view text, Seed seed) {
  const EstimatorCall call(text);
  const MethodSpec& spec = find_method(call);
  call.check(options_of(spec.kind));
  IntervalRecipe recipe{.method = spec.method};
  if (spec.kind == Kind::bound) read_range(call, recipe);
  if (spec.kind != Kind::bootstrap) return recipe;
  recipe.replicates = call.whole_number("replicates");
  recipe.refit = call.choice("refit", {"no", "yes"}) == 1;
  recipe.seed = call.seed(seed);
  return recipe;
}

std::string text(const IntervalRecipe& recipe) {
  CallText call(name(recipe.method));
  if (recipe.replicates) call.add("replicates", option_text(*recipe.replicates));
  if (recipe.refit) call.add("refit", "yes");
  call.add("seed", recipe.seed, Seed{});
  if (!recipe.range) return call.str();
  call.add("lower", option_text(recipe.range->lower)).add("upper", option_text(recipe.range->upper));
  if (recipe.range->weight) call.add("weight", option_text(*recipe.range->weight));
  return call.str();
}

std::string interval_help() {
  std::string out;
  for (const MethodSpec& spec : methods) out += fmt::format("  {:<22} {}\n", name(spec.method), spec.summary);
  return out +
         "  none                   no intervals\n"
         "  Options of a bootstrap: replicates=N (1000), refit=no|yes, seed=N; of\n"
         "  hoeffding, empirical-bernstein and anderson: lower=X, upper=X, weight=X, the\n"
         "  range of returns and of weights.\n";
}

}  // namespace starope
