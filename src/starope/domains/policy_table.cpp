#include "starope/domains/policy_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/io/numeric_table.hpp"

namespace starope::domains {
namespace {

[[noreturn]] void refuse(const PolicyTable& table, std::optional<std::size_t> state, std::string rule,
                         std::string remedy) {
  DataError::Problem problem;
  problem.code = "bad_policy_table";
  problem.at.file = table.source;
  if (state) rule = fmt::format("state {}: {}", *state, rule);
  problem.rule = std::move(rule);
  problem.remedy = std::move(remedy);
  throw DataError(std::move(problem));
}

// Calls body(row, number of the row) for every row.
template <class Body>
void for_each_row(PolicyTable& table, const Body& body) {
  const auto width = static_cast<std::size_t>(table.actions);
  for (std::size_t s = 0; s * width < table.values.size(); ++s) {
    body(std::span(table.values).subspan(s * width, width), s);
  }
}

void check_actions(const PolicyTable& table, std::int32_t actions) {
  if (table.actions == actions) return;
  refuse(table, {},
         fmt::format("has {}, but the domain has {}", counted(table.actions, "column"), counted(actions, "action")),
         "Give a column per action, in the order of the actions, beside an optional column 'state'");
}

}  // namespace

PolicyTable as_probabilities(PolicyTable table) {
  for_each_row(table, [&](std::span<double> row, std::size_t state) {
    double sum = 0.0;
    for (const double p : row) {
      if (!(p >= 0.0 && p <= 1.0)) {
        refuse(table, state, fmt::format("{} is not a probability", p),
               "Give numbers from 0 to 1, or ask for greedy(FILE,eps) or softmax(FILE,tau)");
      }
      sum += p;
    }
    if (!(std::abs(sum - 1.0) <= 1e-6)) {
      refuse(table, state, fmt::format("the probabilities sum to {}, not to 1", sum), "Correct the row");
    }
    if (std::abs(sum - 1.0) <= 1e-12) return;  // nothing but rounding: keep the numbers as they were written
    for (double& p : row) p /= sum;
  });
  return table;
}

PolicyTable as_greedy(PolicyTable table, double eps) {
  for_each_row(table, [&](std::span<double> row, std::size_t) {
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    std::fill(row.begin(), row.end(), eps / static_cast<double>(row.size()));
    row[best] += 1.0 - eps;
  });
  return table;
}

PolicyTable as_softmax(PolicyTable table, double tau) {
  for_each_row(table, [&](std::span<double> row, std::size_t) {
    const double highest = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (double& x : row) sum += x = std::exp((x - highest) / tau);
    for (double& x : row) x /= sum;
  });
  return table;
}

TabularPolicy table_policy(const PolicyTable& table, std::int32_t symbols, std::int32_t actions,
                           std::int32_t terminal_states) {
  check_actions(table, actions);
  if (table.rows() == 1) return TabularPolicy::same_everywhere(symbols, table.values);
  if (table.rows() != symbols && table.rows() != symbols + terminal_states) {
    refuse(table, {},
           fmt::format("has {}, but the domain shows {}", counted(table.rows(), "row"), counted(symbols, "state")),
           "Give a row for every state, or one row for all");
  }
  const auto size = static_cast<std::ptrdiff_t>(symbols) * actions;
  return {symbols, actions, std::vector<double>(table.values.begin(), table.values.begin() + size)};
}

std::vector<double> only_row(const PolicyTable& table, std::int32_t actions) {
  check_actions(table, actions);
  if (table.rows() != 1) {
    refuse(table, {},
           fmt::format("has {}, but the states of this domain have no numbers", counted(table.rows(), "row")),
           "Give one row, which holds in every state");
  }
  return table.values;
}

PolicyTable read_policy_table(const std::string& path) {
  io::StateRows rows = io::read_rows_by_state(path);
  return {.actions = static_cast<std::int32_t>(rows.columns), .values = std::move(rows.values), .source = path};
}

}  // namespace starope::domains
