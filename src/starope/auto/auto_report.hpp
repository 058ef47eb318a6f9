#pragma once

#include <vector>

#include "starope/auto/automatic.hpp"
#include "starope/estimators/estimate.hpp"
#include "starope/problem.hpp"

namespace starope {

// No policy can earn more than the largest logged reward at every step, nor less than the smallest (steps after an end
// earn nothing). Sets the range and moves a value from outside to its edge, with a finding.
void limit_to_possible_values(AutoFit& fit, const Problem& problem);
// The same where the smallest and the largest reward (or 0) are known.
void limit_to_possible_values(AutoFit& fit, const ValueRange& of_reward, Discount discount);

// The same where the range is known.
void limit_to_possible_values(Estimate& estimate, const ValueRange& range);

// The reasoning behind the estimate, number by number.
std::vector<Detail> auto_details(const AutoFit& fit);

// The families of the answer, the weightiest first.
std::vector<FamilyAnswer> auto_families(const WeighedAnswer& answer);

// What a reader must know before trusting it. Keeps the findings that are there already.
std::vector<Finding> auto_findings(const AutoFit& fit, const Auto& automatic, const Problem& problem);

}  // namespace starope
