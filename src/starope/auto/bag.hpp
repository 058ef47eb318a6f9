#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "starope/phi/labels.hpp"
#include "starope/problem.hpp"
#include "starope/types.hpp"

namespace starope {

// What the abstractions of a bag measure distances in. One point per state row, or fewer points that rows share
// (discrete states: one per id).
struct BagFeatures {
  std::int64_t dimension = 0;
  std::vector<double> values{};              // points x dimension
  std::vector<std::int32_t> point_of_row{};  // one per state row; empty: point i belongs to row i
  // Members take turns: one with seed s looks only at the first prefixes[s % size] columns. Empty: at all of them.
  std::vector<std::int64_t> prefixes{};
};

// How a member of a bag finds the cell of a state: the nearest centroid, the first on ties.
struct MemberRule {
  std::int64_t columns = 0;         // how many of the features it looks at
  std::vector<double> centroids{};  // cells x columns
  friend bool operator==(const MemberRule&, const MemberRule&) = default;
};

// k-means abstractions of the same logs: every level of a ladder times several seeds.
struct Bag {
  std::vector<std::int64_t> ladder{};  // numbers of cells asked for, coarsest first
  std::size_t seeds = 0;
  // Seed by seed, finest level first, so that sums over the finest levels are prefixes: member s * levels() + l.
  std::vector<Labels> members{};
  std::vector<MemberRule> rules{};  // of the members, for the states of other logs
  // Rows of the same point (0 .. points-1) have the same labels in all members. Empty: nothing is known of that.
  std::vector<std::int32_t> point_of_row{};
  std::int64_t points = 0;

  std::size_t levels() const noexcept { return ladder.size(); }
};

struct BagOptions {
  std::vector<std::int64_t> ladder{};  // coarsest first
  int seeds = 6;
  Seed seed{};
  std::uint32_t which = 0;  // of several bags of the same logs: their members share no draws
};

// Every member is fitted on its own sample of the states that count (at most max(3000, 20 K) of them, without
// replacement) by seven Lloyd iterations from K distinct states: members should differ, none needs to be optimal. A
// cluster that runs empty keeps its center.
Bag make_bag(const BagFeatures& features, const Problem& problem, const BagOptions& options,
             Threads threads = Threads::all());

// Lets go of the labels, which are most of its memory. What is known of the members otherwise stays.
void forget_labels(Bag& bag);

// Every point that rows share is a cell of its own: one member, which draws nothing.
Bag bag_of_points(const BagFeatures& features);

// The labels that `count` members from `first` on give to other logs, whose features are of the same kind. A bag of
// these members alone. InvalidArgument if there are fewer features than they look at.
Bag label(const Bag& fitted, std::size_t first, std::size_t count, const BagFeatures& features,
          Threads threads = Threads::all());

}  // namespace starope
