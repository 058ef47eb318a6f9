#pragma once

#include <vector>

#include "starope/behavior/action_logs.hpp"

namespace starope {

// Multinomial logistic regression of the action on a constant and the features, fitted to the training steps (to every
// k-th of them where they are many). `ridge` times the number of training steps, halved, is the weight of the squared
// coefficients; the constants are free.
std::vector<double> logistic_probabilities(const ActionLogs& logs, Rows training, Rows wanted, double ridge);

}  // namespace starope
