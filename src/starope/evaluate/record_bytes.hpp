#pragma once

#include <vector>

#include "starope/base/bytes.hpp"
#include "starope/estimators.hpp"
#include "starope/finding.hpp"

namespace starope {

// Findings, details and families as bytes, for answers that are finished elsewhere. Reading refuses what contradicts
// itself: DataError `bad_bytes`.
void write(ByteWriter& to, const std::vector<Finding>& findings);
std::vector<Finding> read_findings(ByteReader& from);

void write(ByteWriter& to, const std::vector<Detail>& details);
std::vector<Detail> read_details(ByteReader& from);

void write(ByteWriter& to, const std::vector<FamilyAnswer>& families);
std::vector<FamilyAnswer> read_families(ByteReader& from);

// What readers found in two parts: counts of the same finding add up, words are the same.
void add_counts(std::vector<Finding>& all, const std::vector<Finding>& more);

// What is wrong with any of two parts: of the same code, the worst.
void add_worst(std::vector<Finding>& all, const std::vector<Finding>& more);

}  // namespace starope
