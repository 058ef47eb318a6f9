#include "starope/study.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "starope/evaluate/json.hpp"
#include "starope/evaluate/registry.hpp"
#include "starope/stats/moments.hpp"
#include "starope/study/estimator_grid.hpp"
#include "starope/study/paper_figures.hpp"

namespace starope {
namespace {

EstimatorSummary summarize_estimator(const std::string& name, const std::vector<const StudyResult*>& results,
                                     const std::optional<StudyTruth>& truth) {
  EstimatorSummary summary{.estimator = name};
  Moments values, squares, seconds;
  std::int64_t intervals = 0, covering = 0;
  for (const StudyResult* result : results) {
    seconds.add(result->seconds);
    const auto* answer = std::get_if<StudyAnswer>(&result->answer);
    if (answer == nullptr) {
      ++summary.failures;
      continue;
    }
    ++summary.trials;
    values.add(answer->value);
    if (!truth) continue;
    squares.add((answer->value - truth->value) * (answer->value - truth->value));
    if (!answer->interval) continue;
    ++intervals;
    covering += answer->interval->lower <= truth->value && truth->value <= answer->interval->upper ? 1 : 0;
  }
  summary.seconds = seconds.mean();
  summary.mean = values.mean();
  const auto n = static_cast<double>(summary.trials);
  if (summary.trials > 1) summary.variance = values.variance() * (n - 1.0) / n;
  if (truth && summary.trials > 0) {
    summary.bias = values.mean() - truth->value;
    summary.mse = squares.mean();
    if (summary.trials > 1) summary.mse_std_error = squares.standard_error();
    if (intervals > 0) summary.coverage = static_cast<double>(covering) / static_cast<double>(intervals);
  }
  return summary;
}

double rank(const EstimatorSummary& summary) {
  return summary.failures > 0 || !summary.mse ? std::numeric_limits<double>::infinity() : *summary.mse;
}

void rank_families(CaseSummary& of) {
  std::map<std::string, std::vector<std::size_t>> families;
  std::vector<std::string> order;
  const auto better = [&](std::size_t a, std::size_t b) { return rank(of.estimators[a]) < rank(of.estimators[b]); };
  const auto improve = [&](std::optional<std::size_t>& best, std::size_t i) {
    if (std::isfinite(rank(of.estimators[i])) && (!best || better(i, *best))) best = i;
  };
  for (std::size_t i = 0; i < of.estimators.size(); ++i) {
    const std::string& name = of.estimators[i].estimator;
    const GridPoint point = grid_point(name);
    improve(of.winner, i);
    const EstimatorRole role = role_of(name);
    if (role == EstimatorRole::automatic) {
      improve(of.automatic, i);
    } else if (point.clusters.empty()) {
      if (role == EstimatorRole::process) continue;
      improve(of.best_baseline, i);
      if (role != EstimatorRole::uncorrected) improve(of.best_correcting_baseline, i);
    } else {
      if (families[point.family].empty()) order.push_back(point.family);
      families[point.family].push_back(i);
    }
  }
  for (const std::string& name : order) {
    FamilySummary family{.family = name, .members = families[name]};
    std::stable_sort(family.members.begin(), family.members.end(), better);
    family.best = family.members.front();
    family.median = family.members[(family.members.size() - 1) / 2];
    of.families.push_back(std::move(family));
  }
}

Json optional_json(const std::optional<double>& x) {
  return x && std::isfinite(*x) ? Json(*x) : Json(nullptr);
}

Json estimator_json(const EstimatorSummary& summary) {
  return {{"estimator", summary.estimator},
          {"trials", summary.trials},
          {"failures", summary.failures},
          {"mean", summary.mean},
          {"mse", optional_json(summary.mse)},
          {"mse_std_error", optional_json(summary.mse_std_error)},
          {"bias_squared", summary.bias ? Json(*summary.bias * *summary.bias) : Json(nullptr)},
          {"variance", summary.variance},
          {"coverage", optional_json(summary.coverage)},
          {"seconds", summary.seconds}};
}

Json case_json(const CaseSummary& of) {
  const auto name = [&](const std::optional<std::size_t>& i) {
    return i ? Json(of.estimators[*i].estimator) : Json(nullptr);
  };
  Json json{{"domain", of.domain}, {"size", of.size}};
  json["truth"] = of.truth ? Json{{"value", of.truth->value},
                                  {"std_error", of.truth->std_error},
                                  {"episodes", of.truth->episodes},
                                  {"seed", of.truth->seed.value}}
                           : Json(nullptr);
  json["winner"] = name(of.winner);
  json["best_baseline"] = name(of.best_baseline);
  json["best_correcting_baseline"] = name(of.best_correcting_baseline);
  json["families"] = Json::array();
  for (const FamilySummary& family : of.families) {
    json["families"].push_back({{"family", family.family},
                                {"members", family.members.size()},
                                {"best", name(family.best)},
                                {"median", name(family.median)}});
  }
  if (of.paper) {
    json["paper"] = {{"star_best", of.paper->star_best},
                     {"star_best_below", of.paper->star_best_below},
                     {"star_median", of.paper->star_median},
                     {"baseline", of.paper->baseline},
                     {"baseline_best", of.paper->baseline_best}};
  }
  json["estimators"] = Json::array();
  for (const EstimatorSummary& each : of.estimators) json["estimators"].push_back(estimator_json(each));
  return json;
}

}  // namespace

StudySummary summarize(const StudyResults& all) {
  // In which order cells were finished depends on threads: nothing below may.
  struct Case {
    std::vector<std::string> order{};
    std::map<std::string, std::vector<const StudyResult*>> estimators{};
  };
  std::vector<std::string> domains = all.header.domains;
  std::map<std::pair<std::string, std::int64_t>, Case> cases;
  StudySummary summary{.study = all.header.study, .results = static_cast<std::int64_t>(all.results.size())};
  for (const StudyResult& result : all.results) {
    if (std::find(domains.begin(), domains.end(), result.domain) == domains.end()) domains.push_back(result.domain);
    Case& of = cases[{result.domain, result.size}];
    std::vector<const StudyResult*>& list = of.estimators[result.estimator];
    if (list.empty()) of.order.push_back(result.estimator);
    list.push_back(&result);
    summary.failures += std::holds_alternative<Failure>(result.answer) ? 1 : 0;
  }
  for (const std::string& domain : domains) {
    for (auto& [key, of] : cases) {
      if (key.first != domain) continue;
      CaseSummary made{.domain = domain, .size = key.second, .paper = paper_reading(domain, key.second)};
      if (const auto truth = all.truths.find(domain); truth != all.truths.end()) made.truth = truth->second;
      for (const std::string& name : of.order) {
        std::vector<const StudyResult*>& list = of.estimators[name];
        std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->trial < b->trial; });
        made.estimators.push_back(summarize_estimator(name, list, made.truth));
      }
      rank_families(made);
      summary.cases.push_back(std::move(made));
    }
  }
  return summary;
}

std::string summary_json(const StudySummary& summary) {
  Json json{{"schema", "starope.study-summary/1"},
            {"study", summary.study},
            {"results", summary.results},
            {"failures", summary.failures}};
  json["cases"] = Json::array();
  for (const CaseSummary& each : summary.cases) json["cases"].push_back(case_json(each));
  return json.dump(2) + '\n';
}

}  // namespace starope
