// A stranger's program: one header, data made by hand.

#include <cmath>
#include <cstdio>
#include <starope/starope.hpp>
#include <utility>
#include <variant>

int main() {
  // Two episodes of two and one steps. The target policy takes the logged actions with 0.9, 0.1 and 0.9.
  starope::Columns columns;
  columns.offsets = {0, 2, 3};
  columns.rewards = {1.0, 2.0, 4.0};
  columns.behavior = starope::LoggedProbabilities{.values = {0.5, 0.5, 0.5}};
  columns.target = starope::LoggedProbabilities{.values = {0.9, 0.1, 0.9}};
  columns.ends = {starope::EpisodeEnd::terminated, starope::EpisodeEnd::terminated};
  const starope::Dataset logs(std::move(columns));
  const starope::Problem problem = starope::make_problem(logs, {.discount = starope::Discount{0.5}});

  // Per-decision importance sampling by hand: (1.8 * 1 + 0.5 * 1.8 * 0.2 * 2 + 1.8 * 4) / 2 = 4.68.
  double sum = 0.0;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const starope::LoggedEpisode episode = problem.episode(i);
    double weight = 1.0;
    for (std::size_t t = 0; t < episode.rewards.size(); ++t) {
      weight *= episode.ratios[t];
      sum += weight * episode.rewards[t];
      weight *= problem.discount().gamma();
    }
  }
  const double value = sum / static_cast<double>(problem.episodes());
  std::printf("per-decision importance sampling: %.17g\n", value);

  // The library says the same, and that two episodes are few.
  const starope::Evaluation evaluation = starope::evaluate(problem, starope::parse_estimators("pdis"));
  const auto* answer = std::get_if<starope::Estimate>(&evaluation.estimates.front().result);
  const bool same = answer != nullptr && std::abs(answer->value - value) < 1e-12;
  if (answer != nullptr) {
    for (const starope::Finding& finding : answer->findings) std::puts(starope::text(finding).c_str());
  }

  bool refused = false;
  try {
    (void)starope::Discount{1.5};
  } catch (const starope::InvalidArgument& error) {
    std::printf("and a discount of 1.5 is refused: %s\n", error.what());
    refused = true;
  }
  return std::abs(value - 4.68) < 1e-12 && same && refused ? 0 : 1;
}
