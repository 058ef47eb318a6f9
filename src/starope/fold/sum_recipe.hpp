#pragma once

#include <string>

#include "starope/base/bytes.hpp"
#include "starope/problem.hpp"

namespace starope {

// A question as part of what sums were counted with.
void write(ByteWriter& to, const ProblemOptions& question);
ProblemOptions read_question(ByteReader& from);
std::string text_of(const ProblemOptions& question);  // "gamma 0.9, horizon 7"

// What sums over episodes were counted with. Only sums of the same recipe may be merged.
struct SumRecipe {
  std::string of{};  // "wpdis"
  ProblemOptions question{};
  Fingerprint model{};  // what was fitted before and takes part in every term; of nothing where nothing was
  friend bool operator==(const SumRecipe&, const SumRecipe&) = default;

  std::string text() const;
  void write(ByteWriter& to) const;
  static SumRecipe read(ByteReader& from);
};

[[noreturn]] void refuse_to_merge(const std::string& mine, const std::string& other);

// InvalidArgument unless the recipes are the same: merging refuses strangers.
template <class Recipe>
void expect_same_recipe(const Recipe& mine, const Recipe& other) {
  if (mine != other) refuse_to_merge(mine.text(), other.text());
}

}  // namespace starope
