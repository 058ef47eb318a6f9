#pragma once

// What there is in logs, before anything is estimated.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/text.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// The full importance weights after t steps: W_i = product of the first t ratios of episode i (of all of them, where
// the episode is shorter).
struct WeightsAt {
  std::int64_t t = 0;
  double mean = 0.0;           // 1 in expectation, if the logged probabilities are right
  double std_error = 0.0;      // of the mean
  double ess = 0.0;            // (sum W)^2 / sum W^2
  double zero_share = 0.0;     // of the episodes
  double largest_share = 0.0;  // of the total weight that one episode carries
  double top_share = 0.0;      // of the total weight that the heaviest hundredth of the episodes carries (at least one)
  double scores = 0.0;         // how many episodes the standard error rests on: (sum e^2)^2 / sum e^4, e = W - mean
  friend bool operator==(const WeightsAt&, const WeightsAt&) = default;
};

// What there is in a data set, before anything is estimated. What the data do not have is empty.
struct Inspection {
  struct Range {
    double min = 0.0;
    double mean = 0.0;
    double max = 0.0;
    friend bool operator==(const Range&, const Range&) = default;
  };
  struct Column {
    std::string name{};
    std::string role{};  // "episode", "state", ...
    friend bool operator==(const Column&, const Column&) = default;
  };
  struct Lengths {
    std::int64_t min = 0;
    double median = 0.0;
    double mean = 0.0;
    std::int64_t max = 0;
    friend bool operator==(const Lengths&, const Lengths&) = default;
  };
  struct Span {
    std::int64_t min = 0;
    std::int64_t max = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  struct Feature {
    std::string name{};
    Range range{};
    friend bool operator==(const Feature&, const Feature&) = default;
  };
  struct DiscreteState {
    std::int64_t distinct = 0;
    std::int64_t visited_once = 0;  // distinct states that occur in a single step
    std::int64_t smallest_id = 0;
    std::int64_t largest_id = 0;
    friend bool operator==(const DiscreteState&, const DiscreteState&) = default;
  };
  struct Action {
    std::int32_t id = 0;
    std::int64_t count = 0;
    std::optional<double> behavior{};  // mean probability over all steps, where the logs have full distributions
    std::optional<double> target{};
    // The mean over all steps of 1 / behavior_prob where it is taken, 0 elsewhere: in which share of the steps it was
    // possible, if the logged probabilities are right. More than 1 is impossible.
    std::optional<double> possible{};
    std::optional<double> possible_std_error{};
    friend bool operator==(const Action&, const Action&) = default;
  };
  struct Ratios {
    Range range{};
    std::optional<double> std_error{};  // of the mean, over episodes
    double zero_share = 0.0;            // of the steps
    friend bool operator==(const Ratios&, const Ratios&) = default;
  };

  // Actions to which the logged distributions give a probability from `least` to `most`.
  struct Calibration {
    double least = 0.0;
    double most = 0.0;
    double expected = 0.0;   // share of the steps with such actions that should take one
    double observed = 0.0;   // share that does
    double errors = 0.0;     // standard errors between the two
    std::int64_t steps = 0;  // that have such actions
    friend bool operator==(const Calibration&, const Calibration&) = default;
  };
  // Weights of the last `clip` ratios only, as star has them.
  struct ClippedWeights {
    std::int64_t clip = 1;
    double ess = 0.0;               // over all steps, as a number of episodes
    std::vector<double> by_step{};  // effective episodes among those that take the step, where `weights` has a row
    std::int64_t speaks_until = 0;  // the last step before there are fewer than `few_episodes`
    friend bool operator==(const ClippedWeights&, const ClippedWeights&) = default;
  };
  // Whether the row before helps to foresee what follows a state and an action: not if the state is Markov.
  struct History {
    std::string of{};        // what it helps to foresee most: "state", "reward", or the name of a feature
    double gain = 0.0;       // the share of what was left open that it explains, in episodes held out
    double errors = 0.0;     // standard errors above zero
    std::int64_t steps = 0;  // that were looked at
    bool matters = false;
    friend bool operator==(const History&, const History&) = default;
  };

  std::string file{};
  std::vector<Column> recognized{};
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
  // The mean probability that the target policy gives to actions the behavior policy never takes.
  std::optional<double> unsupported_target{};

  std::optional<Ratios> ratios{};
  std::vector<WeightsAt> weights{};
  // The first number of steps after which the effective sample size is below `few_episodes`.
  std::optional<std::int64_t> weights_fail_at{};
  std::vector<ClippedWeights> clips{};
  std::vector<Calibration> calibration{};  // of the behavior policy, where its distributions are logged
  std::optional<History> history{};        // none where it cannot be asked: too few steps, too many features

  std::vector<Finding> findings{};
  friend bool operator==(const Inspection&, const Inspection&) = default;
};

// Fewer effective episodes than this carry no conclusion.
STAROPE_API double few_episodes(std::int64_t episodes);

struct InspectOptions {
  Discount discount{1.0};   // of the returns
  bool ends_logged = true;  // false: the logs do not say whether episodes terminated or were cut
  Threads threads = Threads::all();
};

// Everything that the data themselves say, with advice on how to use them; file and columns are the reader's to tell.
STAROPE_API Inspection inspect(const Dataset& data, const InspectOptions& options = {});
// The same of logs that come in blocks, with the numbers of memory to the bit. Two passes, and one for the checks;
// besides a sample, 24 bytes per episode and what distinct ids take are held.
STAROPE_API Inspection inspect(const Source& source, const InspectOptions& options = {});

// For people, section by section, with the advice at the end.
STAROPE_API std::string text(const Inspection& inspection, const TextStyle& style = {});

// One JSON object, schema "starope.inspect/1"; what the data do not have is null.
STAROPE_API std::string to_json(const Inspection& inspection);

// The way back: what to_json wrote gives the same inspection again. `source` is where the text comes from, for the
// DataError where it is no such JSON.
STAROPE_API Inspection inspection_from_json(std::string_view text, const std::string& source = {});

}  // namespace starope
