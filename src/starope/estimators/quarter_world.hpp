#pragma once

// Logs that contain every way an episode can go as often as its probability says: whatever is consistent is exact on
// them. Two states, two actions, cut after `steps` steps with the state that follows known; all probabilities of the
// logged process are quarters, so the counts are whole numbers.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "starope/data/log_vectors.hpp"
#include "starope/problem.hpp"

namespace starope::testing {

struct QuarterWorld {
  std::int64_t steps = 3;
  double gamma = 1.0;
  // [state][action]
  std::array<std::array<int, 2>, 2> behavior_quarters{{{2, 2}, {3, 1}}};
  std::array<std::array<double, 2>, 2> target{{{0.2, 0.8}, {0.7, 0.3}}};
  std::array<std::array<int, 2>, 2> to_one_quarters{{{1, 3}, {2, 1}}};  // of the next state being 1
  std::array<std::array<double, 2>, 2> reward{{{0.0, 1.0}, {-2.0, 5.0}}};

  Problem logs() const {
    LogVectors c;
    c.action_count = 2;
    std::vector<std::int64_t> states, last;
    std::vector<std::pair<int, int>> path;  // state and action
    for (int start = 0; start < 2; ++start) enumerate(start, 1, path, c, states, last);
    states.insert(states.end(), last.begin(), last.end());
    c.states = make_discrete_states(states);
    return make_problem(std::move(c).dataset(), {.discount = Discount{gamma}});
  }

  double move(int from, int to) const {  // of the target policy
    double p = 0.0;
    for (int a = 0; a < 2; ++a) {
      const double one = 0.25 * to_one_quarters[at(from)][at(a)];
      p += target[at(from)][at(a)] * (to == 1 ? one : 1.0 - one);
    }
    return p;
  }
  double earned(int state) const {
    return target[at(state)][0] * reward[at(state)][0] + target[at(state)][1] * reward[at(state)][1];
  }
  // Discounted visits of the target policy in so many steps, per state.
  std::array<double, 2> occupancy(std::int64_t count) const {
    std::array<double, 2> d{0.5, 0.5}, sum{0.0, 0.0};
    for (std::int64_t t = 0; t < count; ++t) {
      const std::array<double, 2> next{gamma * (d[0] * move(0, 0) + d[1] * move(1, 0)),
                                       gamma * (d[0] * move(0, 1) + d[1] * move(1, 1))};
      sum = {sum[0] + d[0], sum[1] + d[1]};
      d = next;
    }
    return sum;
  }
  double value(std::int64_t count) const {
    const auto d = occupancy(count);
    return d[0] * earned(0) + d[1] * earned(1);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void enumerate(int state, int times, std::vector<std::pair<int, int>>& path, LogVectors& c,
                 std::vector<std::int64_t>& states, std::vector<std::int64_t>& last) const {
    if (static_cast<std::int64_t>(path.size()) == steps) {
      for (int k = 0; k < times; ++k) {
        for (const auto& [s, a] : path) {
          states.push_back(s);
          c.actions.push_back(a);
          c.rewards.push_back(reward[at(s)][at(a)]);
          c.behavior.push_back(0.25 * behavior_quarters[at(s)][at(a)]);
          c.target.push_back(target[at(s)][at(a)]);
          c.target_distribution.insert(c.target_distribution.end(), target[at(s)].begin(), target[at(s)].end());
        }
        c.end_episode(EpisodeEnd::truncated);
        c.has_final_state.push_back(1);
        last.push_back(state);
      }
      return;
    }
    for (int a = 0; a < 2; ++a) {
      path.emplace_back(state, a);
      const int chosen = times * behavior_quarters[at(state)][at(a)], one = to_one_quarters[at(state)][at(a)];
      enumerate(0, chosen * (4 - one), path, c, states, last);
      enumerate(1, chosen * one, path, c, states, last);
      path.pop_back();
    }
  }
};

}  // namespace starope::testing
