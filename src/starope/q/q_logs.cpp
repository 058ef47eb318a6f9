#include "starope/q/q_logs.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/base/data_location.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

[[noreturn]] void missing(const std::string& who, const char* column, const char* what, const char* remedy) {
  throw DataError({.code = "missing_column",
                   .at = in_column(column),
                   .value = {},
                   .rule = fmt::format("is missing: {} needs {}", who, what),
                   .remedy = remedy});
}

// The one length of all truncated episodes, if it is the longest of all: then the recording stopped by the clock.
std::optional<Horizon> seen_horizon(const Problem& problem) {
  bool cut = false;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.end != EpisodeEnd::truncated) continue;
    if (episode.length() != problem.longest()) return std::nullopt;
    cut = true;
  }
  if (!cut) return std::nullopt;
  return Horizon{problem.longest()};
}

}  // namespace

QLogs::QLogs(const Problem& problem, std::string who) : problem_(problem), who_(std::move(who)) {
  const Dataset& data = problem_.data();
  if (std::holds_alternative<std::monostate>(data.states())) {
    missing(who_, "state", "the states", "Add the columns of the state, or use is, wis, pdis or wpdis");
  }
  const auto* actions = std::get_if<DiscreteActions>(&data.actions());
  if (actions == nullptr) {
    missing(who_, "action", "discrete actions 0, 1, ...", "Add the column of the action, or use star");
  }
  actions_ = actions->count;
  action_of_row_ = actions->id;
  const auto& target = problem_.target_distribution();
  if (!target) {
    missing(who_, "target_probs_0, target_probs_1, ...",
            "the target policy's probabilities of all actions, in every step",
            "Add one column per action, or use an estimator without a Q-function");
  }
  if (target->actions != actions_) {
    throw DataError({.code = "wrong_width",
                     .at = in_column("target_probs"),
                     .value = fmt::format("{}", target->actions),
                     .rule = fmt::format("is the number of columns; there are {} actions", actions_),
                     .remedy = "Write one column per action"});
  }
  horizon_ = problem_.horizon() ? problem_.horizon() : seen_horizon(problem_);
  if (const auto* discrete = std::get_if<DiscreteStates>(&data.states())) {
    row_of_code_.assign(discrete->ids.size(), -1);
    for (std::int64_t row = data.steps(); row-- > 0;) row_of_code_[discrete->code[row]] = row;
  }
}

std::span<const double> QLogs::target(std::int64_t row) const {
  if (row >= problem_.data().steps()) {
    if (row_of_code_.empty()) return {};
    const auto& discrete = std::get<DiscreteStates>(problem_.data().states());
    row = row_of_code_[discrete.code[row]];
    if (row < 0) return {};
  }
  const auto width = static_cast<std::size_t>(actions_);
  return std::span(problem_.target_distribution()->values).subspan(static_cast<std::size_t>(row) * width, width);
}

std::span<const double> QLogs::behavior(std::int64_t row) const {
  const auto& behavior = problem_.data().behavior_distribution();
  if (!behavior || behavior->actions != actions_) {
    missing(who_, "behavior_probs_0, behavior_probs_1, ...",
            "the behavior policy's probabilities of all actions, in every step",
            "Add one column per action, or use qreg or fqe instead of mrdr");
  }
  const auto width = static_cast<std::size_t>(actions_);
  return std::span(behavior->values).subspan(static_cast<std::size_t>(row) * width, width);
}

LoggedStep QLogs::step(const LoggedEpisode& episode, std::int64_t t) const {
  LoggedStep step{.episode = episode.index, .row = episode.first_row + t, .t = t};
  step.action = action_of_row_[step.row];
  step.reward = episode.rewards[t];
  step.ratio = episode.ratios[t];
  if (t + 1 < episode.length()) {
    step.outcome = Outcome::Kind::next;
    step.next_row = step.row + 1;
  } else if (episode.end == EpisodeEnd::truncated) {
    step.outcome = horizon_ ? Outcome::Kind::unknown : Outcome::Kind::ended;
    if (episode.final_row && !target(*episode.final_row).empty()) {
      step.outcome = Outcome::Kind::next;
      step.next_row = *episode.final_row;
    }
  }
  return step;
}

std::vector<LoggedStep> QLogs::steps(std::span<const std::int64_t> episodes) const {
  std::int64_t count = 0;
  for (const std::int64_t i : episodes) count += problem_.episode(i).length();
  std::vector<LoggedStep> steps;
  steps.reserve(count);
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = problem_.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) steps.push_back(step(episode, t));
  }
  return steps;
}

std::vector<std::int64_t> QLogs::all_episodes() const {
  std::vector<std::int64_t> all(problem_.episodes());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

std::vector<Finding> QLogs::findings() const {
  if (horizon_) return {};
  std::int64_t cut = 0;
  for (std::int64_t i = 0; i < problem_.episodes(); ++i)
    cut += problem_.episode(i).end == EpisodeEnd::truncated ? 1 : 0;
  if (cut == 0) return {};
  return {cuts_as_ends(cut, problem_.episodes())};
}

Finding cuts_as_ends(std::int64_t cut, std::int64_t episodes) {
  const bool rare = 100 * cut < episodes;
  return {rare ? Severity::info : Severity::warning, "truncation_as_end", {{"cut", cut}, {"episodes", episodes}}};
}

std::vector<std::vector<std::int64_t>> rows_by_time(const QLogs& logs, std::span<const std::int64_t> episodes) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const std::int64_t i : episodes) {
    const LoggedEpisode episode = logs.problem().episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      const std::size_t place = logs.horizon() ? static_cast<std::size_t>(t) : 0;
      if (rows.size() <= place) rows.resize(place + 1);
      rows[place].push_back(episode.first_row + t);
    }
  }
  return rows;
}

double mean_over_actions(std::span<const double> pi, std::span<const double> q) noexcept {
  double sum = 0.0;
  for (std::size_t a = 0; a < pi.size(); ++a) {
    if (pi[a] != 0.0) sum += pi[a] * q[a];
  }
  return sum;
}

}  // namespace starope
