#include "starope/estimators/estimator_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "starope/base/error.hpp"
#include "starope/base/text.hpp"

namespace starope {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at commas that stand outside all parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.push_back(trimmed(text.substr(from, i - from)));
      from = i + 1;
    }
  }
  return parts;
}

// "name(key=value,...)", with every key known to the one who asks for it.
class Call {
 public:
  explicit Call(std::string_view text) : text_(trimmed(text)) {
    const std::size_t open = text_.find('(');
    name = std::string(trimmed(text_.substr(0, open)));
    if (open == std::string_view::npos) return;
    if (text_.back() != ')') throw InvalidArgument(fmt::format("estimator '{}': the parenthesis is not closed", text_));
    const std::string_view inside = trimmed(text_.substr(open + 1, text_.size() - open - 2));
    if (inside.empty()) return;
    for (const std::string_view part : split(inside)) {
      const std::size_t equals = part.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        throw InvalidArgument(fmt::format("estimator '{}': '{}' is not of the form option=value", text_, part));
      }
      std::string key(trimmed(part.substr(0, equals)));
      if (get(key)) throw InvalidArgument(fmt::format("estimator '{}': option '{}' is given twice", text_, key));
      options_.emplace_back(std::move(key), std::string(trimmed(part.substr(equals + 1))));
    }
  }

  void allow_only(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : options_) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (known.empty()) throw InvalidArgument(fmt::format("estimator '{}': {} takes no options", text_, name));
      throw InvalidArgument(fmt::format("estimator '{}': {}", text_, unknown_name("option", key, known)));
    }
  }

  std::optional<std::string> get(const std::string& key) const {
    for (const auto& [k, value] : options_) {
      if (k == key) return value;
    }
    return std::nullopt;
  }

  std::optional<std::int64_t> whole_number(const std::string& key, std::int64_t least) const {
    const auto value = get(key);
    if (!value) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
    if (error != std::errc{} || end != value->data() + value->size() || number < least) {
      throw InvalidArgument(
          fmt::format("estimator '{}': {} = '{}' must be a whole number of at least {}", text_, key, *value, least));
    }
    return number;
  }

  // The value of `key` as one of the names; the first is the default.
  std::size_t choice(const std::string& key, const std::vector<std::string>& names) const {
    const auto value = get(key);
    if (!value) return 0;
    const auto found = std::find(names.begin(), names.end(), *value);
    if (found == names.end())
      throw InvalidArgument(
          fmt::format("estimator '{}': {}", text_, unknown_name(fmt::format("value of {}", key), *value, names)));
    return static_cast<std::size_t>(found - names.begin());
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InvalidArgument(fmt::format("estimator '{}': {}", text_, why));
  }

  std::string name;

 private:
  std::string_view text_;
  std::vector<std::pair<std::string, std::string>> options_;
};

const std::vector<std::string> estimator_names{"naive", "is", "pdis", "wis", "wpdis", "star"};
const std::vector<std::string> star_options{"clusters", "phi",  "centroids",  "lookup",     "clip",    "init", "scale",
                                            "seed",     "bins", "iterations", "truncation", "horizon", "time"};

// Options that only make sense with some abstractions are errors elsewhere: they would be ignored silently.
void forbid(const Call& call, const std::vector<std::string>& keys, std::string_view with) {
  for (const std::string& key : keys) {
    if (call.get(key)) call.fail(fmt::format("{} means nothing together with {}", key, with));
  }
}

Seed seed_of(const Call& call, Seed seed) {
  if (const auto given = call.whole_number("seed", 0)) seed = Seed{static_cast<std::uint64_t>(*given)};
  return seed;
}

AbstractionRecipe kmeans(const Call& call, Seed seed) {
  forbid(call, {"bins"}, "k-means clusters");
  KMeansOptions options{.clusters = call.whole_number("clusters", 1).value_or(KMeansOptions{}.clusters)};
  options.init = call.choice("init", {"random", "kmeans++"}) == 0 ? KMeansInit::random : KMeansInit::plus_plus;
  options.scale = call.choice("scale", {"standard", "none"}) == 0 ? FeatureScale::standard : FeatureScale::none;
  options.max_iterations = static_cast<int>(
      std::min<std::int64_t>(1000000, call.whole_number("iterations", 0).value_or(options.max_iterations)));
  options.seed = seed_of(call, seed);
  return options;
}

AbstractionRecipe named_phi(const Call& call, Seed seed) {
  const std::vector<std::string> names{"kmeans", "one", "identity", "time", "grid", "random"};
  const std::string phi = names[call.choice("phi", names)];
  if (phi == "kmeans") return kmeans(call, seed);
  forbid(call, {"init", "scale", "iterations"}, "phi=" + phi);
  if (phi == "random") {
    forbid(call, {"bins"}, "phi=random");
    return RandomCentroidsOptions{
        .clusters = call.whole_number("clusters", 1).value_or(RandomCentroidsOptions{}.clusters),
        .seed = seed_of(call, seed)};
  }
  forbid(call, {"clusters", "seed"}, "phi=" + phi);
  if (phi == "grid") return GridOptions{.bins = call.whole_number("bins", 1).value_or(GridOptions{}.bins)};
  forbid(call, {"bins"}, "phi=" + phi);
  if (phi == "one") return One{};
  if (phi == "time") return Time{};
  return Identity{};
}

AbstractionRecipe abstraction_of(const Call& call, const EstimatorFiles& files, Seed seed) {
  const std::vector<std::string> fitting{"clusters", "phi", "init", "scale", "seed", "bins", "iterations"};
  if (const auto path = call.get("centroids")) {
    forbid(call, fitting, "centroids=FILE");
    forbid(call, {"lookup"}, "centroids=FILE");
    if (!files.centroids) call.fail("files cannot be read here");
    return files.centroids(*path);
  }
  if (const auto path = call.get("lookup")) {
    forbid(call, fitting, "lookup=FILE");
    if (!files.lookup) call.fail("files cannot be read here");
    return files.lookup(*path);
  }
  if (!call.get("phi") && !call.get("clusters")) {
    call.fail(
        "star needs an abstraction: clusters=K, phi=one|identity|time|grid|random, centroids=FILE or lookup=FILE");
  }
  return named_phi(call, seed);
}

Star star(const Call& call, const EstimatorFiles& files, Seed seed) {
  call.allow_only(star_options);
  Star result;
  result.phi = abstraction_of(call, files, seed);
  if (const auto clip = call.get("clip"))
    result.clip = *clip == "none" ? Clip::none() : Clip::last(*call.whole_number("clip", 1));
  result.truncation = call.choice("truncation", {"end", "censor"}) == 0 ? TruncationRule::end : TruncationRule::censor;
  result.time = call.choice("time", {"pooled", "indexed"}) == 0 ? TimeModel::pooled : TimeModel::indexed;
  if (const auto horizon = call.get("horizon")) {
    result.horizon = *horizon == "none" ? std::optional<Horizon>{} : Horizon{*call.whole_number("horizon", 1)};
  }
  return result;
}

}  // namespace

NamedEstimator parse_estimator(std::string_view text, const EstimatorFiles& files, Seed seed) {
  const Call call(text);
  NamedEstimator named{.text = std::string(trimmed(text)), .estimator = Naive{}};
  if (call.name == "star") {
    named.estimator = star(call, files, seed);
    return named;
  }
  if (std::find(estimator_names.begin(), estimator_names.end(), call.name) == estimator_names.end()) {
    throw InvalidArgument(unknown_name("estimator", call.name, estimator_names));
  }
  call.allow_only({});
  if (call.name != "naive") {
    named.estimator = ImportanceSampling{.weighted = call.name.front() == 'w',
                                         .per_decision = call.name.find("pdis") != std::string::npos};
  }
  return named;
}

std::vector<NamedEstimator> parse_estimators(std::string_view list, const EstimatorFiles& files, Seed seed) {
  std::vector<NamedEstimator> estimators;
  for (const std::string_view part : split(list)) {
    if (part.empty()) throw InvalidArgument(fmt::format("the estimator list '{}' has an empty entry", list));
    estimators.push_back(parse_estimator(part, files, seed));
  }
  return estimators;
}

}  // namespace starope
