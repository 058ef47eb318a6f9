#include "starope/evaluate/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate/flow_spec.hpp"
#include "starope/evaluate/q_spec.hpp"
#include "starope/evaluate/star_spec.hpp"

namespace starope {
namespace {

constexpr std::array histories{Choice<History>{"auto", History::automatic}, Choice<History>{"off", History::off},
                               Choice<History>{"on", History::on}, Choice<History>{"mixed", History::mixed}};
constexpr std::array ends_of_auto{Choice<Ends>{"tested", Ends::tested}, Choice<Ends>{"real", Ends::real}};

Estimator make_auto(const EstimatorSource& from) {
  Auto result;
  result.history = from.call.one_of("history", histories);
  result.ends = from.call.one_of("ends", ends_of_auto);
  result.seeds = static_cast<int>(from.call.whole_number("seeds").value_or(result.seeds));
  result.ladder = from.call.list("ladder");
  if (std::adjacent_find(result.ladder.begin(), result.ladder.end(), std::greater_equal<>()) != result.ladder.end()) {
    from.call.fail("a ladder is an ascending list of numbers of cells, like 16-32-64");
  }
  result.seed = from.call.seed(from.seed);
  return result;
}

std::optional<std::string> auto_text(const Estimator& estimator) {
  const auto* found = std::get_if<Auto>(&estimator);
  if (found == nullptr) return std::nullopt;
  const Auto usual;
  CallText call("auto");
  if (found->history != usual.history) call.add("history", name_of(histories, found->history));
  if (found->ends != usual.ends) call.add("ends", name_of(ends_of_auto, found->ends));
  call.add("seeds", std::int64_t{found->seeds}, std::int64_t{usual.seeds});
  std::string ladder;
  for (const std::int64_t cells : found->ladder) ladder += (ladder.empty() ? "" : "-") + option_text(cells);
  if (!ladder.empty()) call.add("ladder", ladder);
  return call.add("seed", found->seed, usual.seed).str();
}

EstimatorSpec auto_spec() {
  EstimatorSpec spec;
  spec.name = "auto";
  spec.summary = "no tuning: families of models, weighed by the evidence against each";
  spec.options = {
      OptionSpec::choice("history", names_of(histories), "whether families with memory take part"),
      OptionSpec::choice("ends", names_of(ends_of_auto), "whether ends that nothing explains may be cut recordings"),
      OptionSpec::whole("seeds", 1, option_text(std::int64_t{Auto{}.seeds}), "abstractions of each size").at_most(1000),
      OptionSpec::list("ladder", "numbers of cells, ascending; default: by the size of the data"),
      OptionSpec::whole("seed", 0, "", "of the abstractions; default: --seed")};
  spec.needs.states = true;
  spec.role = EstimatorRole::automatic;
  spec.listed = {{"auto"}};
  spec.usual = true;
  spec.landmark = true;
  spec.make = &make_auto;
  spec.text = &auto_text;
  return spec;
}

EstimatorSpec naive_spec() {
  EstimatorSpec spec;
  spec.name = "naive";
  spec.summary = "mean logged return: what the logged policy earned";
  spec.role = EstimatorRole::uncorrected;
  spec.listed = {{"naive"}};
  spec.usual = spec.usual_without_states = true;
  spec.make = [](const EstimatorSource&) -> Estimator { return Naive{}; };
  spec.text = [](const Estimator& estimator) {
    return std::holds_alternative<Naive>(estimator) ? std::optional<std::string>("naive") : std::nullopt;
  };
  return spec;
}

// is, pdis, wis and wpdis.
template <bool weighted, bool per_decision>
EstimatorSpec importance_sampling_spec(const char* summary) {
  static constexpr const char* name = weighted ? (per_decision ? "wpdis" : "wis") : (per_decision ? "pdis" : "is");
  EstimatorSpec spec;
  spec.name = name;
  spec.summary = summary;
  spec.adds_recorded = true;
  spec.listed = {{name}};
  spec.usual = weighted;
  spec.usual_without_states = true;
  spec.landmark = weighted && per_decision;
  spec.make = [](const EstimatorSource&) -> Estimator {
    return ImportanceSampling{.weighted = weighted, .per_decision = per_decision};
  };
  spec.text = [](const Estimator& estimator) {
    const auto* is = std::get_if<ImportanceSampling>(&estimator);
    const bool same = is != nullptr && is->weighted == weighted && is->per_decision == per_decision;
    return same ? std::optional<std::string>(name) : std::nullopt;
  };
  return spec;
}

std::vector<EstimatorSpec> make_registry() {
  std::vector<EstimatorSpec> all{
      auto_spec(),
      naive_spec(),
      importance_sampling_spec<false, false>("importance sampling of whole episodes"),
      importance_sampling_spec<false, true>("importance sampling per decision"),
      importance_sampling_spec<true, false>("is with weights that sum to one"),
      importance_sampling_spec<true, true>("pdis with weights that sum to one at every step")};
  for (EstimatorSpec& spec : q_specs()) all.push_back(std::move(spec));
  all.push_back(star_spec());
  for (EstimatorSpec& spec : flow_specs()) all.push_back(std::move(spec));
  return all;
}

// Words with spaces between them, in lines that begin with so many spaces; the first line is begun already.
void add_wrapped(std::string& out, std::size_t column, const std::string& words, std::size_t indent,
                 std::size_t width) {
  std::size_t from = 0;
  while (from < words.size()) {
    const std::size_t to = std::min(words.find(' ', from), words.size());
    if (column + (to - from) > width && column > indent) {
      out.back() = '\n';
      out.append(indent, ' ');
      column = indent;
    }
    out.append(words, from, to - from);
    out += ' ';
    column += to - from + 1;
    from = to + 1;
  }
  out.back() = '\n';
}

bool has_option(const EstimatorSpec& spec, const OptionSpec& option) {
  return std::any_of(spec.options.begin(), spec.options.end(), [&](const OptionSpec& other) {
    return other.name == option.name && other.values() == option.values() && other.help == option.help;
  });
}

// Of the estimators before this one whose options it has all, the one with the most: its own need no second list.
const EstimatorSpec* largest_part(const EstimatorSpec& spec) {
  const EstimatorSpec* found = nullptr;
  for (const EstimatorSpec& other : estimator_registry()) {
    if (&other == &spec) break;
    const bool all = std::all_of(other.options.begin(), other.options.end(),
                                 [&](const OptionSpec& option) { return has_option(spec, option); });
    if (all && other.options.size() > (found == nullptr ? 0 : found->options.size())) found = &other;
  }
  return found;
}

std::string needs_text(const LogColumns& needs) {
  if (needs.behavior_distribution) return "states, discrete actions, target_probs_*, behavior_probs_*";
  if (needs.target_distribution) return "states, discrete actions, target_probs_*";
  return needs.states ? "states" : "";
}

std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

const std::vector<EstimatorSpec>& estimator_registry() {
  static const std::vector<EstimatorSpec> all = make_registry();
  return all;
}

const EstimatorSpec& find_estimator(std::string_view name) {
  std::vector<std::string> known;
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (spec.name == name) return spec;
    known.push_back(spec.name);
  }
  throw InvalidArgument(unknown_name("estimator", name, known));
}

const EstimatorSpec* named_estimator(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('('));
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

EstimatorRole role_of(std::string_view text) {
  const EstimatorSpec* const spec = named_estimator(text);
  return spec == nullptr ? EstimatorRole::baseline : spec->role;
}

std::string text(const Estimator& estimator) {
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (auto found = spec.text(estimator)) return *found;
  }
  return "given";  // a Q-function that was made elsewhere
}

std::string estimator_help(std::size_t width) {
  constexpr std::size_t indent = 12;
  std::string out;
  for (const EstimatorSpec& spec : estimator_registry()) {
    out += fmt::format("  {:<{}}", spec.name, indent - 2);
    const EstimatorSpec* const base = largest_part(spec);
    std::string options;
    for (const OptionSpec& option : spec.options) {
      if (base == nullptr || !has_option(*base, option))
        options += fmt::format("{}{}={}", options.empty() ? "" : ", ", option.name, option.values());
    }
    std::string words = spec.summary;
    if (base != nullptr) options = options.empty() ? "as " + base->name : options + ", and those of " + base->name;
    if (!options.empty()) words += ". Options: " + options;
    add_wrapped(out, indent, words, indent, width);
  }
  return out;
}

std::string estimator_page() {
  std::string out = "| estimator | what it is | needs besides rewards and probabilities |\n|---|---|---|\n";
  for (const EstimatorSpec& spec : estimator_registry()) {
    out += fmt::format("| `{}` | {} | {} |\n", spec.name, spec.summary, needs_text(spec.needs));
  }
  for (const EstimatorSpec& spec : estimator_registry()) {
    if (spec.options.empty()) continue;
    out += fmt::format("\n## Options of `{}`\n\n| option | default | meaning |\n|---|---|---|\n", spec.name);
    for (const OptionSpec& option : spec.options) {
      const std::string bound = option.most ? fmt::format("; at most {}", with_thousands(*option.most)) : "";
      out += fmt::format("| `{}={}` | {} | {}{} |\n", option.name, escaped(option.values()), option.usual,
                         escaped(option.help), bound);
    }
  }
  return out;
}

}  // namespace starope
