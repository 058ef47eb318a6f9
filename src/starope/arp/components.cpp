#include "starope/arp/components.hpp"

#include <algorithm>
#include <utility>

namespace starope {
namespace {

// Tarjan (1972), with an explicit stack: a time-indexed process is thousands of layers deep.
class ComponentFinder {
 public:
  explicit ComponentFinder(const SparseRows& graph)
      : graph_(graph),
        order_(static_cast<std::size_t>(graph.rows()), unvisited),
        low_(order_.size()),
        on_stack_(order_.size(), false) {}

  void explore(std::int64_t root) {
    if (order_[root] != unvisited) return;
    enter(root);
    while (!path_.empty()) {
      Visit& top = path_.back();
      const auto columns = graph_.columns_of(top.state);
      if (top.next < columns.size()) {
        const auto successor = static_cast<std::int64_t>(columns[top.next++]);
        const auto here = top.state;
        if (order_[successor] == unvisited) {
          enter(successor);
        } else if (on_stack_[successor]) {
          low_[here] = std::min(low_[here], order_[successor]);
        }
      } else {
        leave();
      }
    }
  }

  std::vector<std::vector<std::int64_t>> components;

 private:
  static constexpr std::int64_t unvisited = -1;
  struct Visit {
    std::int64_t state;
    std::size_t next;
  };

  void enter(std::int64_t state) {
    order_[state] = low_[state] = count_++;
    on_stack_[state] = true;
    stack_.push_back(state);
    path_.push_back({state, 0});
  }

  void leave() {
    const std::int64_t state = path_.back().state;
    path_.pop_back();
    if (!path_.empty()) {
      const auto parent = path_.back().state;
      low_[parent] = std::min(low_[parent], low_[state]);
    }
    if (low_[state] != order_[state]) return;
    components.emplace_back();
    std::int64_t member = unvisited;
    do {
      member = stack_.back();
      stack_.pop_back();
      on_stack_[member] = false;
      components.back().push_back(member);
    } while (member != state);
    std::sort(components.back().begin(), components.back().end());
  }

  const SparseRows& graph_;
  std::vector<std::int64_t> order_, low_;
  std::vector<bool> on_stack_;
  std::vector<std::int64_t> stack_;
  std::vector<Visit> path_;
  std::int64_t count_ = 0;
};

}  // namespace

std::vector<std::vector<std::int64_t>> strong_components(const SparseRows& graph, std::span<const std::int64_t> roots) {
  ComponentFinder finder(graph);
  for (const std::int64_t root : roots) finder.explore(root);
  return std::move(finder.components);
}

}  // namespace starope
