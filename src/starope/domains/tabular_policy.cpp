#include "starope/domains/tabular_policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "starope/error.hpp"

namespace starope::domains {
namespace {

std::size_t table_size(std::int32_t symbols, std::int32_t actions) {
  if (symbols < 1 || actions < 1) {
    throw InvalidArgument(
        fmt::format("a policy needs at least one symbol and one action, not {} and {}", symbols, actions));
  }
  return static_cast<std::size_t>(symbols) * static_cast<std::size_t>(actions);
}

void check_row(std::span<const double> row, std::size_t symbol) {
  double sum = 0.0;
  for (std::size_t a = 0; a < row.size(); ++a) {
    if (!(row[a] >= 0.0 && row[a] <= 1.0)) {
      throw InvalidArgument(fmt::format("policy: the probability of action {} in state {} is {}; it must be in [0, 1]",
                                        a, symbol, row[a]));
    }
    sum += row[a];
  }
  if (std::abs(sum - 1.0) > 1e-9) {
    throw InvalidArgument(
        fmt::format("policy: the action probabilities of state {} sum to {}; they must sum to 1", symbol, sum));
  }
}

}  // namespace

TabularPolicy::TabularPolicy(std::int32_t symbols, std::int32_t actions, std::vector<double> probabilities)
    : symbols_(symbols), actions_(actions), probabilities_(std::move(probabilities)) {
  const std::size_t size = table_size(symbols, actions);
  if (probabilities_.size() != size) {
    throw InvalidArgument(fmt::format("policy: {} symbols and {} actions need {} probabilities, not {}", symbols,
                                      actions, size, probabilities_.size()));
  }
  for (std::int32_t s = 0; s < symbols; ++s) check_row(row(s), static_cast<std::size_t>(s));
}

TabularPolicy TabularPolicy::uniform(std::int32_t symbols, std::int32_t actions) {
  return {symbols, actions, std::vector<double>(table_size(symbols, actions), 1.0 / actions)};
}

TabularPolicy TabularPolicy::same_everywhere(std::int32_t symbols, std::span<const double> probabilities) {
  const auto actions = static_cast<std::int32_t>(probabilities.size());
  std::vector<double> table;
  table.reserve(table_size(symbols, actions));
  for (std::int32_t s = 0; s < symbols; ++s) table.insert(table.end(), probabilities.begin(), probabilities.end());
  return {symbols, actions, std::move(table)};
}

TabularPolicy TabularPolicy::softmax(std::int32_t symbols, std::int32_t actions, std::span<const double> preferences) {
  std::vector<double> table(preferences.begin(), preferences.end());
  const auto width = static_cast<std::size_t>(actions);
  if (table.size() == table_size(symbols, actions)) {  // else the constructor says what is wrong
    for (std::size_t first = 0; first < table.size(); first += width) {
      const auto row = std::span<double>(table).subspan(first, width);
      const double highest = *std::max_element(row.begin(), row.end());
      double sum = 0.0;
      for (double& p : row) sum += p = std::exp(p - highest);
      for (double& p : row) p /= sum;
    }
  }
  return {symbols, actions, std::move(table)};
}

TabularPolicy with_temperature(const TabularPolicy& policy, double tau) {
  if (!(tau > 0.0) || !std::isfinite(tau)) {
    throw InvalidArgument(fmt::format("the temperature of a policy must be a positive number, not {}", tau));
  }
  std::vector<double> table;
  table.reserve(table_size(policy.symbols(), policy.actions()));
  for (std::int32_t s = 0; s < policy.symbols(); ++s) {
    const auto row = policy.row(s);
    // Dividing by the largest probability first: with a small tau all powers of small numbers would vanish.
    const double highest = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (const double p : row) {
      table.push_back(std::pow(p / highest, 1.0 / tau));
      sum += table.back();
    }
    for (std::size_t i = table.size() - row.size(); i < table.size(); ++i) table[i] /= sum;
  }
  return {policy.symbols(), policy.actions(), std::move(table)};
}

}  // namespace starope::domains
