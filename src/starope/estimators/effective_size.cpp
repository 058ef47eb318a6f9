#include "starope/estimators/effective_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "starope/arp/episode_weights.hpp"
#include "starope/fold/fold.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/sliding_product.hpp"

namespace starope {
namespace {

Scaled product_of(const LoggedEpisode& episode) {
  Scaled product;
  for (const double ratio : episode.ratios) product = product * Scaled::of(ratio);
  return product;
}

std::vector<Scaled> episode_products(const Problem& problem, Threads threads) {
  std::vector<Scaled> products(problem.episodes());
  for_each_episode(problem, {.threads = threads},
                   [&](const LoggedEpisode& episode) { products[episode.index] = product_of(episode); });
  return products;
}

}  // namespace

void WeightSums::raise_unit(int larger) {
  if (unit && *unit < larger) {
    const double factor = Scaled{1.0, *unit}.relative_to(larger);
    sum *= factor;
    squares *= factor * factor;
  }
  if (!unit || *unit < larger) unit = larger;
}

WeightSums& WeightSums::operator+=(const WeightSums& other) {
  expect_same_recipe(recipe, other.recipe);
  if (!other.unit) return *this;
  raise_unit(*other.unit);
  WeightSums raised = other;
  raised.raise_unit(*unit);
  sum += raised.sum;
  squares += raised.squares;
  return *this;
}

void WeightSums::write(ByteWriter& to) const {
  recipe.write(to);
  to.number(sum);
  to.number(squares);
  to.flag(unit.has_value());
  to.number(unit.value_or(0));
}

WeightSums WeightSums::read(ByteReader& from) {
  WeightSums sums;
  sums.recipe = SumRecipe::read(from);
  sums.sum = from.real();
  sums.squares = from.real();
  const bool has_unit = from.flag();
  const auto exponent = static_cast<int>(from.number_within(-1000000, 1000000));
  if (has_unit) sums.unit = exponent;
  return sums;
}

WeightSums WeightFold::identity() const {
  const std::string discounted = rule.gamma == 1.0 ? "" : fmt::format(", discounted by {}", rule.gamma);
  return {.recipe = {.of = fmt::format("weights of clip {}{}", rule.clip.text(), discounted), .question = question}};
}

void WeightFold::add(WeightSums& total, const LoggedEpisode& episode, double times) const {
  with_weights(rule, episode.ratios, [&](auto& stream) {
    std::array<double, 256> weights;
    for (std::size_t t = 0; t < episode.ratios.size(); t += weights.size()) {
      const std::span<double> chunk(weights.data(), std::min(weights.size(), episode.ratios.size() - t));
      const std::optional<int> unit = stream.next(chunk, total.unit);
      if (!unit) continue;
      total.raise_unit(*unit);
      for (const double w : chunk) {
        total.sum += times * w;
        total.squares += times * (w * w);
      }
    }
  });
}

WholeWeights whole_weights(const LogsInBlocks& logs) {
  // The largest has the largest exponent, and of those the largest mantissa. Zero is below all.
  Scaled largest{0.0, 0};
  WholeWeights result;
  ScaledSum total;
  logs.each(product_of, [&](Scaled w) {
    ++result.episodes;
    total.add(w);
    if (w.mantissa == 0.0) return;
    const bool larger = w.exponent == largest.exponent ? w.mantissa > largest.mantissa : w.exponent > largest.exponent;
    if (largest.mantissa == 0.0 || larger) largest = w;
  });
  result.mean = total.to_double() / static_cast<double>(result.episodes);
  if (largest.mantissa == 0.0) return result;
  double sum = 0.0, squares = 0.0;  // as effective_sample_size does it, in the same order
  logs.each(product_of, [&](Scaled w) {
    const double scaled = w.relative_to(largest.exponent) / largest.mantissa;
    sum += scaled;
    squares += scaled * scaled;
  });
  result.ess = sum * sum / squares;
  return result;
}

double effective_episodes(const Problem& problem, Threads threads) {
  const std::vector<Scaled> products = episode_products(problem, threads);
  std::optional<int> largest;
  for (const Scaled& w : products) {
    if (w.mantissa != 0.0) largest = std::max(largest.value_or(w.exponent), w.exponent);
  }
  std::vector<double> weights(products.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = products[i].relative_to(largest.value_or(0));
  return effective_sample_size(weights);
}

double effective_episodes(const Problem& problem, Clip clip, Threads threads) {
  const WeightFold recipe{.rule = make_weight_rule(problem, clip, 1.0), .question = problem.options()};
  const WeightSums sums = fold(recipe, problem, {.threads = threads});
  return effective_episodes(sums, problem.survey());
}

double effective_episodes(const WeightSums& sums, const Survey& logs) {
  if (sums.squares == 0.0) return 0.0;
  return static_cast<double>(logs.episodes) * (sums.sum / static_cast<double>(logs.steps)) * (sums.sum / sums.squares);
}

std::optional<Finding> low_ess(double ess, std::int64_t episodes) {
  constexpr double enough = 10.0;
  if (ess >= enough || static_cast<double>(episodes) < enough) return std::nullopt;
  return Finding{ess < 2.0 ? Severity::critical : Severity::warning, "low_ess", {{"ess", ess}, {"episodes", episodes}}};
}

std::optional<Finding> missing_weight(const Problem& problem, Threads threads) {
  ScaledSum sum;
  for (const Scaled& product : episode_products(problem, threads)) sum.add(product);
  return missing_weight(sum.to_double() / static_cast<double>(problem.episodes()), problem.episodes());
}

std::optional<Finding> missing_weight(double mean, std::int64_t episodes) {
  constexpr double little = 0.1;
  constexpr std::int64_t enough = 10;  // the mean of fewer says nothing
  if (episodes < enough || mean >= little) return std::nullopt;
  return Finding{Severity::critical, "missing_weight", {{"mean", mean}}};
}

}  // namespace starope
