#include "starope/arp/process_lanes.hpp"

#include <algorithm>
#include <utility>

#include "starope/arp/components.hpp"

namespace starope {
namespace {

std::vector<std::int64_t> begins_of(std::span<const double> start) {
  std::vector<std::int64_t> begins;
  for (std::size_t z = 0; z < start.size(); ++z) {
    if (start[z] > 0.0) begins.push_back(static_cast<std::int64_t>(z));
  }
  return begins;
}

// What elimination from the last state to the first meets: eliminating k leads those who lead to it where it leads.
std::vector<LaneComponent::Below> below_of(const LaneComponent& component) {
  const std::size_t n = component.states.size();
  std::vector<std::uint8_t> leads(n * n, 0);
  for (const LaneComponent::Move& move : component.inner) leads[move.from * n + move.to] = 1;
  std::vector<LaneComponent::Below> below(n);
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t i = 0; i < k; ++i) {
      if (leads[i * n + k] != 0) below[k].from.push_back(static_cast<std::uint32_t>(i));
      if (leads[k * n + i] != 0) below[k].to.push_back(static_cast<std::uint32_t>(i));
    }
    for (const std::uint32_t i : below[k].from) {
      for (const std::uint32_t j : below[k].to) leads[i * n + j] = 1;
    }
  }
  return below;
}

std::vector<LaneComponent> components_of(const SparseRows& moves, const std::vector<std::vector<std::int64_t>>& found) {
  struct Place {
    std::size_t component = 0;
    std::uint32_t at = 0;
  };
  std::vector<Place> place_of(moves.rows());
  std::vector<LaneComponent> components(found.size());
  for (std::size_t c = 0; c < found.size(); ++c) {
    for (const std::int64_t z : found[c]) {
      place_of[z] = {c, static_cast<std::uint32_t>(components[c].states.size())};
      components[c].states.push_back(static_cast<std::uint32_t>(z));
    }
  }
  for (std::size_t c = 0; c < components.size(); ++c) {
    LaneComponent& component = components[c];
    for (std::uint32_t i = 0; i < component.states.size(); ++i) {
      const std::uint32_t z = component.states[i];
      for (auto e = static_cast<std::uint32_t>(moves.offsets[z]); e < moves.offsets[z + 1]; ++e) {
        const Label to = moves.column[e];
        if (place_of[to].component == c) {
          component.inner.push_back({i, place_of[to].at, e});
        } else {
          component.outer.push_back({i, static_cast<std::uint32_t>(to), e});
        }
      }
    }
    component.below = below_of(component);
  }
  return components;
}

// Spreads the lanes of every state along moves, until no more are reached.
template <class Moves, class Ends>
void spread(std::vector<std::uint64_t>& lanes, const Moves& moves, const std::vector<std::uint64_t>& with_move,
            const Ends& ends) {
  for (bool more = true; more;) {
    more = false;
    for (const auto& move : moves) {
      const auto [from, to] = ends(move);
      const std::uint64_t grown = lanes[to] | (lanes[from] & with_move[move.entry]);
      more = more || grown != lanes[to];
      lanes[to] = grown;
    }
  }
}

// Lanes in which the reached states of a component do not all reach each other.
std::uint64_t falls_apart(const LaneComponent& component, const std::vector<std::uint64_t>& reached,
                          const std::vector<std::uint64_t>& with_move) {
  using Ends = std::pair<std::size_t, std::size_t>;
  const std::size_t n = component.states.size();
  std::vector<std::uint64_t> forward(n);
  std::uint64_t begun = 0;
  for (std::size_t i = 0; i < n; ++i) {  // from the first state that the lane reaches
    const std::uint64_t here = reached[component.states[i]];
    forward[i] = here & ~begun;
    begun |= here;
  }
  std::vector<std::uint64_t> backward = forward;
  spread(forward, component.inner, with_move, [](const auto& move) { return Ends(move.from, move.to); });
  spread(backward, component.inner, with_move, [](const auto& move) { return Ends(move.to, move.from); });
  std::uint64_t apart = 0;
  for (std::size_t i = 0; i < n; ++i) apart |= reached[component.states[i]] & ~(forward[i] & backward[i]);
  return apart;
}

}  // namespace

std::optional<ProcessLanes> ProcessLanes::make(SparseRows moves, std::span<const double> start, Discount discount,
                                               std::optional<Horizon> horizon) {
  ProcessLanes lanes;
  lanes.pattern_.moves = std::move(moves);
  const SparseRows& all = lanes.pattern_.moves;
  lanes.pattern_.discount = discount.gamma();
  if (horizon) {
    constexpr double most_steps_of_moves = 1e9;  // seconds of one thread: such horizons settle long before they end
    const double size = static_cast<double>(all.rows()) + static_cast<double>(all.column.size());
    if (static_cast<double>(horizon->steps()) * size > most_steps_of_moves) return std::nullopt;
    lanes.pattern_.horizon = horizon->steps();
    for (const Label column : all.column)
      lanes.pattern_.column_at.push_back(static_cast<std::uint32_t>(std::size_t{2} * column * lanes_at_once));
    return lanes;
  }
  const auto found = strong_components(all, begins_of(start));
  for (const auto& states : found) lanes.largest_ = std::max(lanes.largest_, states.size());
  if (lanes.largest_ > most_states) return std::nullopt;
  lanes.pattern_.components = components_of(all, found);
  return lanes;
}

std::uint64_t ProcessLanes::with_own_components(const LaneSums& sums) const {
  using Ends = std::pair<std::size_t, std::size_t>;
  const bool all_single = largest_ == 1;
  if (all_single) return 0;
  std::vector<std::uint64_t> with_move(pattern_.moves.column.size()), reached(pattern_.moves.rows());
  lanes_with_weight(sums.move, with_move);
  lanes_with_weight(sums.start, reached);
  std::uint64_t apart = 0;
  // A component is entered from those behind it only.
  for (std::size_t c = pattern_.components.size(); c-- > 0;) {
    const LaneComponent& component = pattern_.components[c];
    std::vector<std::uint64_t> here;
    for (const std::uint32_t z : component.states) here.push_back(reached[z]);
    spread(here, component.inner, with_move, [](const auto& move) { return Ends(move.from, move.to); });
    for (std::size_t i = 0; i < here.size(); ++i) reached[component.states[i]] = here[i];
    for (const LaneComponent::Move& move : component.outer) reached[move.to] |= here[move.from] & with_move[move.entry];
    if (component.states.size() > 1) apart |= falls_apart(component, reached, with_move);
  }
  return apart;
}

std::uint64_t ProcessLanes::values(const LaneSums& sums, std::span<double, process_lanes> values) const {
  const auto cells = static_cast<std::size_t>(pattern_.moves.rows());
  LaneScratch scratch;
  scratch.share.resize(pattern_.moves.column.size() * lanes_at_once);
  for (auto* of_cells : {&scratch.leak, &scratch.reward, &scratch.start, &scratch.value})
    of_cells->resize(cells * lanes_at_once);
  if (pattern_.horizon) {
    // Not whole pages apart: the processor takes what is for what was just written there.
    constexpr std::size_t half_a_page = 2048 / sizeof(double), page = 2 * half_a_page;
    const std::size_t half = cells * 2 * lanes_at_once;
    scratch.pairs.resize(2 * (half + (page + half_a_page - half % page) % page));
  } else {
    scratch.matrix.resize(largest_ * largest_ * lanes_at_once);
    for (auto* of_states : {&scratch.out, &scratch.pivot, &scratch.x}) of_states->resize(largest_ * lanes_at_once);
  }
  const std::uint64_t apart = pattern_.horizon ? 0 : with_own_components(sums);
  std::uint64_t solved = 0;
  for (std::size_t first = 0; first < process_lanes; first += lanes_at_once) {
    const auto here = values.subspan(first).first<lanes_at_once>();
    solved |= std::uint64_t{solve_lanes(pattern_, sums, first, scratch, here)} << first;
  }
  return solved & ~apart;
}

}  // namespace starope
