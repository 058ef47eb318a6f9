#include "starope/checks/check_logs.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "starope/checks/mistakes.hpp"
#include "starope/checks/order_checks.hpp"
#include "starope/checks/probability_checks.hpp"
#include "starope/checks/repeats.hpp"
#include "starope/checks/reward_sizes.hpp"
#include "starope/checks/reward_units.hpp"
#include "starope/checks/twins.hpp"
#include "starope/parallel/ordered_merge.hpp"

namespace starope {
namespace {

// Everything that is a sum over episodes.
struct Sums {
  ProbabilityChecks::Statistic probabilities;
  Twins twins{};
  RewardSizes rewards{};
  Sums& operator+=(const Sums& other) {
    probabilities += other.probabilities;
    twins += other.twins;
    rewards += other.rewards;
    return *this;
  }
};

void add(Sums& to, const ProbabilityChecks& checks, const CheckedLogs& logs, EpisodeRange episodes) {
  for (std::int64_t e = episodes.first; e < episodes.last; ++e) {
    checks.add(to.probabilities, logs, e);
    add_content(to.twins, logs.data, e);
    to.rewards.add(
        {logs.data.rewards().data() + logs.data.first_step(e), static_cast<std::size_t>(logs.data.length(e))});
  }
}

// Of all steps, whatever the horizon: `problem` has none.
std::span<const double> ratios_of(const Problem& problem) {
  return {problem.episode(0).ratios.data(), static_cast<std::size_t>(problem.data().steps())};
}

std::vector<Finding> findings_of(const ProbabilityChecks& checks, const Sums& sums, const Dataset& sample,
                                 const CheckOptions& options) {
  const Copies copies = copies_among(sums.twins);
  std::vector<Finding> found = checks.findings(sums.probabilities, sample, copies.shrink());
  // Probabilities that are too small make every row seem to come again too often.
  const bool wrong = std::any_of(found.begin(), found.end(), [](const Finding& finding) {
    return finding.code.rfind("rewards_", 0) != 0 && finding.severity == Severity::critical;
  });
  if (auto finding = repeated_rows(sample); finding && !wrong) found.push_back(*std::move(finding));
  const auto append = [&](std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(found));
  };
  append(twin_findings(copies));
  append(order_findings(sample, options.behavior_logged));
  append(reward_findings(sums.rewards));
  if (auto finding = ids_as_numbers(sample)) found.push_back(*std::move(finding));
  if (auto finding = multiplied_rewards(sample)) found.push_back(*std::move(finding));
  std::stable_sort(found.begin(), found.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return found;
}

std::vector<Finding> check(const CheckedLogs& logs, const CheckOptions& options) {
  const bool whole = logs.data.steps() <= options.sample_steps;
  const Dataset sample = whole ? logs.data : sample_episodes(dataset_source(logs.data), options.sample_steps).episodes;
  const ProbabilityChecks checks(sample);
  const std::vector<EpisodeRange> blocks = make_blocks(logs.data);
  Sums total{.probabilities = checks.identity()};
  ordered_merge(
      static_cast<std::int64_t>(blocks.size()), options.threads,
      [&](std::int64_t b) {
        Sums part{.probabilities = checks.identity()};
        add(part, checks, logs, blocks[b]);
        return part;
      },
      [&](Sums&& part) { total += part; });
  return findings_of(checks, total, sample, options);
}

Sums sums_of(const ProbabilityChecks& checks, const Source& source, const CheckOptions& options) {
  Sums total{.probabilities = checks.identity()};
  ordered_merge_pulled(
      options.threads, source.open(),
      [&](const Dataset& block) {
        Sums part{.probabilities = checks.identity()};
        if (block.behavior() && block.target()) {
          const Problem asked = make_problem(block);
          add(part, checks, {.data = block, .ratios = ratios_of(asked)}, {0, block.episodes()});
        } else {
          add(part, checks, {.data = block}, {0, block.episodes()});
        }
        return part;
      },
      [&](Sums&& part) { total += part; });
  return total;
}

}  // namespace

LogChecks look_at_logs(const Source& source, const CheckOptions& options) {
  const Dataset sample = sample_episodes(source, options.sample_steps).episodes;
  const ProbabilityChecks checks(sample);
  const Sums total = sums_of(checks, source, options);
  return {.findings = findings_of(checks, total, sample, options),
          .calibration = checks.calibration(total.probabilities),
          .history = history_gain(sample)};
}

std::vector<Finding> check_logs(const Source& source, const CheckOptions& options) {
  const Dataset sample = sample_episodes(source, options.sample_steps).episodes;
  const ProbabilityChecks checks(sample);
  return findings_of(checks, sums_of(checks, source, options), sample, options);
}

std::vector<Finding> check_logs(const Problem& problem, const CheckOptions& options) {
  const Problem all = problem.with_horizon(std::nullopt);
  return check({.data = all.data(), .ratios = ratios_of(all)}, options);
}

std::vector<Finding> check_logs(const Dataset& data, const CheckOptions& options) {
  if (data.behavior() && data.target()) return check_logs(make_problem(data), options);
  return check({.data = data}, options);
}

}  // namespace starope
