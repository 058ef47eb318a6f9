#include "starope/estimators/seen_logs.hpp"

#include <limits>

#include "starope/fold/fold.hpp"

namespace starope {

TruncatedLengths truncated_lengths(const Problem& problem) {
  TruncatedLengths cut;
  bool differ = false;
  for (std::int64_t i = 0; i < problem.episodes(); ++i) {
    const LoggedEpisode episode = problem.episode(i);
    if (episode.end != EpisodeEnd::truncated) continue;
    differ = differ || (cut.common && *cut.common != episode.length());
    cut.common = episode.length();
    ++cut.episodes;
  }
  if (differ) cut.common.reset();
  return cut;
}

SeenLogs& SeenLogs::operator+=(const SeenLogs& other) {
  expect_same_recipe(recipe, other.recipe);
  survey += other.survey;
  if (other.cut.episodes == 0) return *this;
  if (cut.episodes == 0) {
    cut = other.cut;
    return *this;
  }
  cut.episodes += other.cut.episodes;
  if (cut.common != other.cut.common) cut.common.reset();
  return *this;
}

void SeenLogs::write(ByteWriter& to) const {
  recipe.write(to);
  for (const std::int64_t x : {survey.episodes, survey.steps, survey.longest}) to.number(x);
  to.number(survey.ratio_log2_bound);
  to.number(cut.episodes);
  to.number(cut.common.value_or(0));
}

SeenLogs SeenLogs::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  SeenLogs seen;
  seen.recipe = SumRecipe::read(from);
  seen.survey.episodes = from.number_within(0, most);
  seen.survey.steps = from.number_within(seen.survey.episodes, most);
  seen.survey.longest = from.number_within(0, seen.survey.steps);
  seen.survey.ratio_log2_bound = from.finite();
  seen.cut.episodes = from.number_within(0, seen.survey.episodes);
  const std::int64_t common = from.number_within(0, seen.survey.longest);
  if (common > 0) seen.cut.common = common;
  return seen;
}

SeenLogs seen_logs(const Problem& problem) {
  return {.recipe = {.of = "survey", .question = problem.options()},
          .survey = problem.survey(),
          .cut = truncated_lengths(problem)};
}

SeenLogs seen_logs(const Source& source, const ProblemOptions& question, Threads threads) {
  SeenLogs all{.recipe = {.of = "survey", .question = question}};
  for_each_block(
      source, question, threads, [](const Problem& block) { return seen_logs(block); },
      [&](const SeenLogs& part) { all += part; });
  return all;
}

}  // namespace starope
