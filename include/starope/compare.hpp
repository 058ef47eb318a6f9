#pragma once

// Several target policies on the same logs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/problem.hpp"
#include "starope/text.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

struct ComparedPolicy {
  std::string policy{};                // its name; "logged" is the logged policy
  Answer answer{};                     // of the estimator that answers; its interval holds for all policies at once
  std::optional<Verdict> verdict{};    // none for the logged policy
  std::optional<std::int64_t> rank{};  // from 1, the largest value; what is not answerable comes last; none: no number
  std::optional<double> probability_best{};  // of all policies that have an answer, the logged one among them
};

// How much more one policy earns than another. `difference.logged` is the value of the second.
struct PolicyDifference {
  std::size_t first = 0;  // places in Comparison::policies
  std::size_t second = 0;
  Difference difference{};  // its interval holds for all pairs at once
  bool told_apart = false;  // the interval does not hold zero, and both are answerable
};

struct Comparison {
  Evaluation::Data data{};  // without what depends on a target policy
  std::optional<double> level{};
  std::vector<ComparedPolicy> policies{};       // the logged policy first, then in the order given
  std::vector<PolicyDifference> differences{};  // of every policy and the logged one, then of all pairs of policies
  std::vector<std::size_t> ranking{};  // the best first; those that are not answerable last; none without a number
  // Neighbors in the ranking of which no two are told apart, all of them answerable; groups may overlap, and have at
  // least two policies.
  std::vector<std::vector<std::size_t>> not_told_apart{};
};

struct CompareOptions {
  std::optional<Level> level = Level{0.95};  // of intervals that hold all at once; empty: none are made
  Seed seed{};                               // of the draws behind that, and behind the probabilities
};

// An evaluation of one policy that kept the influence values (EvaluateOptions::influence).
struct PolicyEvaluation {
  std::string policy{};
  Evaluation evaluation{};
};

// The estimates that answer, together. One evaluation at least has `naive` among its estimates: the logged policy.
// Differences are paired, episode by episode; intervals are max-t by Gaussian multipliers on the influence values.
// InvalidArgument where the evaluations are not of the same logs.
STAROPE_API Comparison compare(std::vector<PolicyEvaluation> evaluations, const CompareOptions& options = {});

// The same from the beginning: the same logs with the probabilities of one policy each.
struct PolicyProblem {
  std::string policy{};
  Problem problem;
};
STAROPE_API Comparison compare(const std::vector<PolicyProblem>& policies,
                               const std::vector<NamedEstimator>& estimators, const CompareOptions& options = {},
                               const EvaluateOptions& evaluating = {});

// For people: which is best and which are not told apart, a row per policy, a row per pair.
STAROPE_API std::string text(const Comparison& comparison, const TextStyle& style = {});

// One JSON object, schema "starope.compare/1".
STAROPE_API std::string to_json(const Comparison& comparison);

// The way back: what to_json wrote gives the same JSON again. DataError where it is no such JSON; `source` is where the
// text comes from.
STAROPE_API Comparison comparison_from_json(std::string_view text, const std::string& source = {});

}  // namespace starope
