#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/problem.hpp"
#include "starope/evaluate/weights.hpp"

namespace starope {

// What there is in a data set, before anything is estimated. What the data do not have is empty.
struct Inspection {
  struct Range {
    double min = 0.0;
    double mean = 0.0;
    double max = 0.0;
  };
  struct Column {
    std::string name{};
    std::string role{};  // "episode", "state", ...
  };
  struct Lengths {
    std::int64_t min = 0;
    double median = 0.0;
    double mean = 0.0;
    std::int64_t max = 0;
  };
  struct Span {
    std::int64_t min = 0;
    std::int64_t max = 0;
  };
  struct Feature {
    std::string name{};
    Range range{};
  };
  struct DiscreteState {
    std::int64_t distinct = 0;
    std::int64_t visited_once = 0;  // distinct states that occur in a single step
    std::int64_t smallest_id = 0;
    std::int64_t largest_id = 0;
  };
  struct Action {
    std::int32_t id = 0;
    std::int64_t count = 0;
    std::optional<double> behavior{};  // mean probability over all steps, where the logs have full distributions
    std::optional<double> target{};
  };
  struct Ratios {
    Range range{};
    std::optional<double> std_error{};  // of the mean, over episodes
    double zero_share = 0.0;            // of the steps
  };

  std::string file{};
  std::vector<Column> recognised{};
  std::vector<std::string> ignored{};

  std::int64_t episodes = 0;
  std::int64_t steps = 0;
  Lengths lengths{};
  std::int64_t truncated = 0;
  bool ends_logged = true;                  // false: no terminated or truncated column
  std::optional<Span> truncated_lengths{};  // shortest and longest truncated episode
  std::int64_t final_states = 0;            // truncated episodes whose next state is known

  std::optional<DiscreteState> discrete_state{};
  std::vector<Feature> features{};  // of real-valued states

  std::vector<Action> actions{};                   // of discrete actions
  std::optional<std::int64_t> action_dimension{};  // of continuous ones

  Range rewards{};
  double zero_rewards = 0.0;  // share of the steps
  double gamma = 1.0;
  Range returns{};
  double return_deviation = 0.0;  // standard deviation over episodes

  std::optional<Range> behavior_probability{};  // of the logged actions
  std::optional<Range> target_probability{};
  // The mean probability that the target policy gives to actions the behaviour policy never takes.
  std::optional<double> unsupported_target{};

  std::optional<Ratios> ratios{};
  std::vector<WeightsAt> weights{};
  // The first number of steps after which the effective sample size is below `few_episodes`.
  std::optional<std::int64_t> weights_fail_at{};

  std::vector<Finding> findings{};
};

// Fewer effective episodes than this carry no conclusion.
double few_episodes(std::int64_t episodes);

struct InspectOptions {
  Discount discount{1.0};   // of the returns
  bool ends_logged = true;  // false: the logs do not say whether episodes terminated or were cut
};

// Everything that the data themselves say, with advice on how to use them; file and columns are the reader's to tell.
Inspection inspect(const Dataset& data, const InspectOptions& options = {});

}  // namespace starope
