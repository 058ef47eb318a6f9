#pragma once

#include <array>
#include <vector>

#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/spec.hpp"

namespace starope {

inline constexpr std::array q_methods{Choice<QMethod>{"fqe", QMethod::fqe}, Choice<QMethod>{"qreg", QMethod::qreg},
                                      Choice<QMethod>{"mrdr", QMethod::mrdr}, Choice<QMethod>{"mb", QMethod::mb}};

// What Q is linear in; a Q-function of its own (mlp) comes beside them.
inline constexpr std::array linear_features{
    Choice<QFeatures>{"auto", QFeatures::automatic}, Choice<QFeatures>{"tabular", QFeatures::tabular},
    Choice<QFeatures>{"linear", QFeatures::linear}, Choice<QFeatures>{"rbf", QFeatures::rbf},
    Choice<QFeatures>{"clusters", QFeatures::clusters}};

// mb, fqe, qreg, mrdr, dr, wdr and magic. The Q-function of the last three is q=fqe|qreg|mrdr|mb|FILE.csv; its options
// stand beside it or in parentheses behind it: dr(q=fqe,features=rbf) and dr(q=fqe(features=rbf)) mean the same.
std::vector<EstimatorSpec> q_specs();

}  // namespace starope
