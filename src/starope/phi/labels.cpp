#include "starope/phi/labels.hpp"

namespace starope {

std::vector<std::int64_t> visits_of_cells(const Labels& labels, const Problem& problem) {
  std::vector<std::int64_t> visits(labels.cells, 0);
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    for (std::int64_t t = 0; t < episode.length(); ++t) {
      ++visits[labels.of_row[episode.first_row + t]];
    }
  }
  return visits;
}

DataLocation locate_state(const Dataset& data, std::int64_t row) {
  std::int64_t episode = 0;
  DataLocation at;
  if (row < data.steps()) {
    while (data.first_step(episode + 1) <= row) ++episode;
    at.step = row - data.first_step(episode);
  } else {
    while (data.final_row(episode) != row) ++episode;
    at.step = data.length(episode);
  }
  at.episode = data.episode_name(episode);
  return at;
}

std::vector<Finding> many_cells_finding(std::int64_t cells, const Problem& problem) {
  constexpr std::int64_t fewest_per_cell = 4;
  if (fewest_per_cell * cells <= problem.steps()) return {};
  return {
      {Severity::warning, "many_cells", {{"cells", cells}, {"states", problem.steps()}, {"fewest", fewest_per_cell}}}};
}

}  // namespace starope
