#include "starope/io/column_roles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

#include "starope/base/text.hpp"
#include "starope/error.hpp"

namespace starope::io {
namespace {

// As one types it: ' episode' in quotes, which are what tells it from episode.
std::string word_of_shell(const std::string& name) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.,:/@%";
  if (!name.empty() && name.find_first_not_of(plain) == std::string::npos) return name;
  std::string word = "'";
  for (const char c : name) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

using Scale = LoggedProbabilities::Scale;

struct Role {
  const char* name;
  const char* flag;
  const char* meaning;
};
constexpr Role episode_role{"episode", "--episode", "the id of the episode a row belongs to"};
constexpr Role t_role{"t", "--t", "the time of a step within its episode"};
constexpr Role state_role{"state", "--state", "what was seen before the action: an integer id or numbers"};
constexpr Role action_role{"action", "--action", "the action that was taken"};
constexpr Role reward_role{"reward", "--reward", "the reward that a step earned"};
constexpr Role behavior_prob_role{"behavior_prob", "--behavior-prob",
                                  "the probability with which the logged action was chosen"};
constexpr Role behavior_logp_role{"behavior_logp", "--behavior-logp", "the logarithm of behavior_prob"};
constexpr Role behavior_probs_role{"behavior_probs_", "--behavior-probs",
                                   "the probabilities of all actions when the action was chosen"};
constexpr Role target_prob_role{"target_prob", "--target-prob",
                                "the probability that the policy to evaluate gives the logged action"};
constexpr Role target_logp_role{"target_logp", "--target-logp", "the logarithm of target_prob"};
constexpr Role target_probs_role{"target_probs_", "--target-probs",
                                 "the probabilities that the policy to evaluate gives all actions"};
constexpr Role terminated_role{"terminated", "--terminated", "1 where the process ended"};
constexpr Role truncated_role{"truncated", "--truncated", "1 where only the recording ended"};

// The number behind the prefix: "state_12" -> 12. Leading zeros are no such number.
std::optional<std::int64_t> number_behind(const std::string& prefix, const std::string& name) {
  if (name.size() <= prefix.size() || name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
  const std::string_view digits = std::string_view(name).substr(prefix.size());
  if (digits.size() > 9 || (digits.size() > 1 && digits.front() == '0') || digits.front() == '-') return std::nullopt;
  std::int64_t number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

class Matcher {
 public:
  Matcher(std::span<const std::string> names, const std::string& file) : names_(names), file_(file) {}

  std::optional<std::int64_t> find(const std::string& name) const {
    const auto at = std::find(names_.begin(), names_.end(), name);
    if (name.empty() || at == names_.end()) return std::nullopt;
    return at - names_.begin();
  }

  std::int64_t require(const std::optional<std::string>& name, const Role& role) const {
    return require(name && !name->empty() ? *name : role.name, role);
  }

  std::int64_t require(const std::string& name, const Role& role) const {
    const auto column = find(name);
    if (!column) fail_missing(name, role, role.meaning);
    return *column;
  }

  // A column named by the caller must be there; one with a canonical name may be.
  std::optional<std::int64_t> optional(const std::optional<std::string>& name, const Role& role) const {
    if (!name) return find(role.name);
    if (name->empty()) return std::nullopt;
    return require(*name, role);
  }

  // PREFIX0, PREFIX1, ...
  std::vector<std::int64_t> numbered(const std::string& prefix, const Role& role) const {
    std::map<std::int64_t, std::int64_t> found;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (const auto number = number_behind(prefix, names_[i])) found.emplace(*number, static_cast<std::int64_t>(i));
    }
    std::vector<std::int64_t> columns;
    for (const auto& [number, column] : found) {
      const auto expected = static_cast<std::int64_t>(columns.size());
      if (number != expected) {
        fail("column_gap", fmt::format("{}{}", prefix, expected),
             fmt::format("is missing although '{}{}' is there; numbered columns start at 0 and have no gap", prefix,
                         number),
             fmt::format("Rename the columns, or pass {} to say which ones are meant", role.flag));
      }
      columns.push_back(column);
    }
    return columns;
  }

  // The numbered columns of action probabilities, under the given prefix with or without its underscore.
  std::vector<std::int64_t> distribution(const std::optional<std::string>& prefix, const Role& role) const {
    if (!prefix) return numbered(role.name, role);
    if (prefix->empty()) return {};
    std::vector<std::int64_t> columns = numbered(*prefix, role);
    if (columns.empty()) columns = numbered(*prefix + "_", role);
    if (columns.empty()) fail_missing(*prefix + "0", role, role.meaning);
    return columns;
  }

  struct List {
    std::vector<std::int64_t> columns{};
    bool is_list = false;
  };

  // One column NAME, or numbered columns NAME_0, NAME_1, ..., or the columns the caller names.
  List list(const std::vector<std::string>& given, const Role& role, bool needed) const {
    List result;
    for (const std::string& name : given) {
      // A matrix or a column of lists has a name of its own, and its columns are numbered.
      const auto several = find(name) ? std::vector<std::int64_t>{} : numbered(name + "_", role);
      result.columns.insert(result.columns.end(), several.begin(), several.end());
      result.is_list = result.is_list || !several.empty();
      if (several.empty()) result.columns.push_back(require(name, role));
    }
    result.is_list = result.is_list || given.size() > 1;
    if (!given.empty()) return result;
    const auto one = find(role.name);
    result.columns = numbered(fmt::format("{}_", role.name), role);
    result.is_list = !result.columns.empty();
    if (one && result.is_list) {
      fail("ambiguous_columns", role.name, fmt::format("is in the file, and so is '{}_0': which is meant?", role.name),
           fmt::format("Pass {} NAME, or remove one of them", role.flag));
    }
    if (one) result.columns = {*one};
    if (needed && result.columns.empty()) {
      fail_missing(
          role.name, role,
          fmt::format("{} (one column '{}', or '{}_0', '{}_1', ...)", role.meaning, role.name, role.name, role.name));
    }
    return result;
  }

  std::optional<ColumnRoles::Probability> probability(const std::optional<std::string>& linear_name,
                                                      const std::optional<std::string>& log_name, const Role& linear,
                                                      const Role& log) const {
    const bool named_linear = linear_name && !linear_name->empty();
    const bool named_log = log_name && !log_name->empty();
    // If one of the two was named, it is the one that is meant.
    std::optional<ColumnRoles::Probability> plain, logarithm;
    if (named_linear || !named_log) {
      if (const auto column = optional(linear_name, linear)) plain = {*column, Scale::linear};
    }
    if (named_log || !named_linear) {
      if (const auto column = optional(log_name, log)) logarithm = {*column, Scale::logarithm};
    }
    if (plain && logarithm) {
      const std::string& p = names_[plain->column];
      const std::string& l = names_[logarithm->column];
      fail("both_probabilities", l,
           fmt::format("and '{}' are both in the file: probabilities and log-probabilities both given", p),
           fmt::format("Pass {} {} or {} {} to say which one to use, or remove one", linear.flag, p, log.flag, l));
    }
    return plain ? plain : logarithm;
  }

  [[noreturn]] void fail_missing(const std::string& name, const Role& role, const std::string& meaning) const {
    const auto near = nearest_name(name, names_);
    std::string remedy =
        near ? fmt::format("Did you mean '{}'? Then pass {} {}. ", *near, role.flag, word_of_shell(*near)) : "";
    remedy += fmt::format("Pass {} NAME if the column has another name (the file has: {})", role.flag, listed_names());
    // One long name with another delimiter in it is a header that was not split.
    const bool unsplit = names_.size() == 1 && names_[0].find_first_of(";\t|") != std::string::npos;
    if (unsplit) remedy = "The header holds no comma but other delimiters: separate the fields with commas";
    fail("missing_column", name, "is not in the file: " + meaning, remedy);
  }

  [[noreturn]] void fail(const char* code, const std::string& column, std::string rule, std::string remedy) const {
    DataError::Problem problem;
    problem.code = code;
    problem.at.file = file_;
    problem.at.column = column;
    problem.rule = std::move(rule);
    problem.remedy = std::move(remedy);
    throw DataError(std::move(problem));
  }

 private:
  std::string listed_names() const {
    constexpr std::size_t most = 12;
    const auto shown = names_.first(std::min(most, names_.size()));
    return fmt::format("{}{}", fmt::join(shown, ", "), names_.size() > most ? ", ..." : "");
  }

  std::span<const std::string> names_;
  const std::string& file_;
};

void check_kinds(const ColumnRoles& roles, const ReadOptions& options) {
  if (roles.state.size() > 1 && options.state_kind == StateKind::discrete) {
    throw InvalidArgument(fmt::format(
        "discrete states are one column of integer ids, but there are {} state columns. Pass --state NAME for one of "
        "them, or --state-kind continuous",
        roles.state.size()));
  }
  if (roles.action.size() > 1 && options.action_kind == ActionKind::discrete) {
    throw InvalidArgument(fmt::format(
        "discrete actions are one column of integer ids, but there are {} action columns. Pass --action NAME for one "
        "of them, or --action-kind continuous",
        roles.action.size()));
  }
}

void check_distributions(const ColumnRoles& roles, const ReadOptions& options, const Matcher& match,
                         std::span<const std::string> names) {
  const auto& behavior = roles.behavior_probs;
  const auto& target = roles.target_probs;
  if (behavior.empty() && target.empty()) return;
  if (!behavior.empty() && !target.empty() && behavior.size() != target.size()) {
    const auto last = [&](const auto& columns) { return names[columns.back()]; };
    match.fail("action_count", last(target),
               fmt::format("is the last of {} columns of the target's action probabilities, but the behavior's are {} "
                           "(up to '{}'): both policies choose among the same actions",
                           target.size(), behavior.size(), last(behavior)),
               "Give both the same number of columns");
  }
  const bool continuous = options.action_kind == ActionKind::continuous || roles.action_is_list;
  if (continuous) {
    const auto& first = names[(behavior.empty() ? target : behavior).front()];
    match.fail("action_kind", first,
               "gives probabilities of numbered actions, but the actions are said to be continuous",
               "Pass --action-kind discrete, or an empty --behavior-probs and --target-probs");
  }
}

}  // namespace

ColumnRoles match_columns(std::span<const std::string> names, const ReadOptions& options, const std::string& file) {
  const Matcher match(names, file);
  ColumnRoles roles;
  roles.episode = match.require(options.episode, episode_role);
  roles.t = match.optional(options.t, t_role);
  const Matcher::List state = match.list(options.state, state_role, options.need_state);
  roles.state = state.columns;
  roles.state_is_list = state.is_list;
  const Matcher::List action = match.list(options.action, action_role, options.need_action);
  roles.action = action.columns;
  roles.action_is_list = action.is_list;
  roles.reward = match.require(options.reward, reward_role);
  roles.behavior_probs = match.distribution(options.behavior_probs, behavior_probs_role);
  roles.target_probs = match.distribution(options.target_probs, target_probs_role);
  roles.behavior =
      match.probability(options.behavior_prob, options.behavior_logp, behavior_prob_role, behavior_logp_role);
  roles.target = match.probability(options.target_prob, options.target_logp, target_prob_role, target_logp_role);
  roles.terminated = match.optional(options.terminated, terminated_role);
  roles.truncated = match.optional(options.truncated, truncated_role);

  const auto check_probability = [&](bool needed, const auto& logged, const auto& distribution, const Role& role,
                                     const char* log, const char* all) {
    if (!needed || logged || (!distribution.empty() && !roles.action.empty())) return;
    match.fail_missing(
        role.name, role,
        fmt::format("{} (or its logarithm '{}', or '{}0', '{}1', ... beside 'action')", role.meaning, log, all, all));
  };
  check_probability(options.need_behavior, roles.behavior, roles.behavior_probs, behavior_prob_role,
                    behavior_logp_role.name, behavior_probs_role.name);
  check_probability(options.need_target, roles.target, roles.target_probs, target_prob_role, target_logp_role.name,
                    target_probs_role.name);
  check_kinds(roles, options);
  check_distributions(roles, options, match, names);
  return roles;
}

std::vector<UsedColumn> used_columns(const ColumnRoles& roles, std::span<const std::string> names) {
  std::vector<UsedColumn> used;
  const auto add = [&](std::string role, std::int64_t column) { used.push_back({std::move(role), names[column]}); };
  const auto add_list = [&](const std::string& prefix, const std::vector<std::int64_t>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) add(fmt::format("{}{}", prefix, i), columns[i]);
  };
  const auto add_probability = [&](const auto& logged, const Role& linear, const Role& log) {
    if (logged) add(logged->scale == Scale::linear ? linear.name : log.name, logged->column);
  };
  add(episode_role.name, roles.episode);
  if (roles.t) add(t_role.name, *roles.t);
  if (roles.state.size() == 1 && !roles.state_is_list) add(state_role.name, roles.state[0]);
  if (roles.state_is_list) add_list("state_", roles.state);
  if (roles.action.size() == 1 && !roles.action_is_list) add(action_role.name, roles.action[0]);
  if (roles.action_is_list) add_list("action_", roles.action);
  add(reward_role.name, roles.reward);
  add_probability(roles.behavior, behavior_prob_role, behavior_logp_role);
  add_probability(roles.target, target_prob_role, target_logp_role);
  add_list(behavior_probs_role.name, roles.behavior_probs);
  add_list(target_probs_role.name, roles.target_probs);
  if (roles.terminated) add(terminated_role.name, *roles.terminated);
  if (roles.truncated) add(truncated_role.name, *roles.truncated);
  return used;
}

}  // namespace starope::io
