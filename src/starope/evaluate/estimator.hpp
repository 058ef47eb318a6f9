#pragma once

#include <optional>
#include <string>
#include <variant>

#include "starope/auto/automatic.hpp"
#include "starope/auto/value_star.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/estimators/direct_method.hpp"
#include "starope/estimators/doubly_robust.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/estimators/importance_sampling.hpp"
#include "starope/estimators/magic.hpp"
#include "starope/estimators/star.hpp"

namespace starope {

using Estimator =
    std::variant<Naive, ImportanceSampling, Star, ValueStar, DirectMethod, LearnedModel, DoublyRobust, Magic, Auto>;

// Why an estimator has no answer.
struct Failure {
  std::string code{};     // stable, for programs: "degenerate_model"
  std::string message{};  // for people
  friend bool operator==(const Failure&, const Failure&) = default;
};

// The estimate with its standard error, effective sample size and findings. Throws DegenerateModel where no value
// exists, DataError where the logs lack what the estimator needs, InvalidArgument where its options cannot be used on
// them.
Estimate estimate(const Estimator& estimator, const Problem& problem, const EstimateOptions& options = {});

}  // namespace starope
