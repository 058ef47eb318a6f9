#include "starope/auto/wave_scores.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "starope/parallel/ordered_merge.hpp"

namespace starope {
namespace {

constexpr std::int64_t episodes_per_job = 64;

// Sums over the episodes of one half.
struct HalfSums {
  double waves = 0.0, cells = 0.0, actions = 0.0, episodes = 0.0;
  AnchorSums anchor{};

  HalfSums& operator+=(const HalfSums& other) {
    waves += other.waves;
    cells += other.cells;
    actions += other.actions;
    episodes += other.episodes;
    anchor += other.anchor;
    return *this;
  }
};
struct SplitSums {
  std::vector<std::array<HalfSums, 2>> halves{};
  AnchorSums first{};  // of all episodes, with the first draw

  explicit SplitSums(std::size_t splits) : halves(splits) {}
};

// [window][episode], of waves, of cells and of actions.
struct WindowParts {
  std::vector<std::vector<WindowedEpisode>> waves{}, cells{}, actions{};
};

// The draws of waves are the first of the variants, one less than there are without actions: the last are the cells.
std::size_t wave_draws(const CrossScorer& values) {
  return values.plain_variants() - 1;
}

RowMatrix mean_of(std::span<const RowMatrix> draws) {
  RowMatrix mean = draws.front();
  for (std::size_t draw = 1; draw < draws.size(); ++draw) mean += draws[draw];
  return mean / static_cast<double>(draws.size());
}

double mean_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// Asks the questions about some episodes, for one thread. Results of episodes have places of their own; sums over
// halves are returned.
class Asking {
 public:
  Asking(const WaveQuestions& questions, const Problem& problem, WaveAnswers& answers, WindowParts& parts)
      : questions_(questions),
        problem_(problem),
        answers_(answers),
        parts_(parts),
        gamma_(problem.discount().gamma()),
        horizon_(problem.horizon()->steps()),
        values_(questions.values, gamma_) {
    for (const CrossSides* sides : questions.by_waves) by_waves_.emplace_back(*sides, gamma_);
    for (const auto& split : questions.halves) {
      halves_.push_back({CrossScorer(split[0], gamma_), CrossScorer(split[1], gamma_)});
    }
  }

  SplitSums operator()(std::int64_t first, std::int64_t last) {
    SplitSums sums(halves_.size());
    sums.first = AnchorSums(horizon_);
    for (auto& split : sums.halves) {
      for (HalfSums& half : split) half.anchor = AnchorSums(horizon_);
    }
    std::vector<LoggedEpisode> episodes;
    for (std::int64_t i = first; i < last; ++i) episodes.push_back(problem_.episode(i));
    for (std::span<const LoggedEpisode> rest(episodes); !rest.empty();) {
      const std::span<const LoggedEpisode> line = next_in_line(rest);
      look_ahead(line);
      for (const LoggedEpisode& episode : line) ask(episode, sums);
      rest = rest.subspan(line.size());
    }
    return sums;
  }

 private:
  void look_ahead(std::span<const LoggedEpisode> episodes) {
    values_.look_ahead(episodes);
    for (CrossScorer& scorer : by_waves_) scorer.look_ahead(episodes);
    for (std::size_t split = 0; split < halves_.size(); ++split) {
      for (std::size_t side = 0; side < 2; ++side) {
        std::vector<LoggedEpisode> of_side;
        for (const LoggedEpisode& episode : episodes) {
          if (questions_.side_of[split][episode.index] == side) of_side.push_back(episode);
        }
        halves_[split][side].look_ahead(of_side);
      }
    }
    windows_ahead_.resize(questions_.windows.size());
    for (std::size_t w = 0; w < windows_ahead_.size(); ++w)
      windows_ahead_[w].look(questions_.windows[w].mass, episodes);
  }

  void ask(const LoggedEpisode& episode, SplitSums& sums) {
    const auto at = episode.index;
    score(values_, episode);
    const std::size_t waves = wave_draws(values_);
    for (std::size_t draw = 0; draw < scores_.size(); ++draw) {
      if (draw == waves) continue;  // of cells, whose scores are known
      CrossScores& to = draw < waves ? answers_.waves : answers_.actions;
      const std::size_t place = draw < waves ? draw : draw - waves - 1;
      to.scores[place][at] = scores_[draw];
      to.start[place][at] = start_[draw];
    }
    answers_.anchor[at] = anchor_of(values_, questions_.values, std::span(values_.values()).first(waves), episode);
    sums.first.add(anchor_of(values_, questions_.values, std::span(values_.values()).first(1), episode, 1));
    if (!questions_.windows.empty()) ask_windows(episode);
    for (std::size_t q = 0; q < by_waves_.size(); ++q) {
      score(by_waves_[q], episode);
      answers_.by_waves[q][at] = mean_of(scores_);
    }
    for (std::size_t split = 0; split < halves_.size(); ++split) {
      const std::size_t side = questions_.side_of[split][at];
      CrossScorer& scorer = halves_[split][side];
      score(scorer, episode);
      HalfSums& half = sums.halves[split][side];
      half.waves += scores_[0];
      half.cells += scores_[1];
      if (scores_.size() > 2) half.actions += scores_[2];
      half.episodes += 1.0;
      half.anchor.add(anchor_of(scorer, questions_.halves[split][side], std::span(scorer.values()).first(1), episode));
    }
  }

  // Of the episode that was scored last.
  void ask_windows(const LoggedEpisode& episode) {
    const auto at = episode.index;
    const RowMatrix& basis = questions_.values.basis;
    const bool with_actions = questions_.values.actions.has_value();
    const RowMatrix waves = mean_of(std::span(values_.values()).first(wave_draws(values_)));
    const RowMatrix& cells = values_.values().back();
    const RowMatrix of_states = with_actions ? mean_of(values_.action_values().state) : RowMatrix();
    const RowMatrix of_steps = with_actions ? mean_of(values_.action_values().taken) : RowMatrix();
    rows_.resize(episode.length());
    std::iota(rows_.begin(), rows_.end(), episode.first_row);
    for (std::size_t w = 0; w < questions_.windows.size(); ++w) {
      const CrossWindow& window = questions_.windows[w];
      const RowView mass = windows_ahead_[w].view(window.mass, episode, rows_, look_.waves).front();
      const auto score = [&](const RowMatrix& states, const RowMatrix& taken, bool of_actions) {
        return windowed_episode(
            {.basis = basis, .states = states, .taken = taken, .mass = mass, .of_actions = of_actions}, episode,
            window.length, horizon_, gamma_);
      };
      parts_.waves[w][at] = score(waves, waves, false);
      parts_.cells[w][at] = score(cells, cells, false);
      if (with_actions) parts_.actions[w][at] = score(of_states, of_steps, true);
    }
  }

  // Of the episode that the scorer saw last; `waves`: of their draws.
  AnchorEpisode anchor_of(const CrossScorer& scorer, const CrossSides& sides, std::span<const RowMatrix> waves,
                          const LoggedEpisode& episode, std::size_t action_draws = 1000) const {
    if (sides.actions)
      return anchor_episode(sides.basis, scorer.action_values(), episode, gamma_, horizon_, action_draws);
    return anchor_episode(sides.basis, waves, episode, gamma_, horizon_);
  }

  void score(CrossScorer& scorer, const LoggedEpisode& episode) {
    scores_.resize(scorer.variants());
    start_.resize(scorer.variants());
    scorer.score(episode, look_, scores_, start_);
  }

  const WaveQuestions& questions_;
  const Problem& problem_;
  WaveAnswers& answers_;
  WindowParts& parts_;
  double gamma_;
  std::int64_t horizon_;
  CrossScorer values_;
  std::vector<CrossScorer> by_waves_{};
  std::vector<std::array<CrossScorer, 2>> halves_{};
  SmoothLook look_{};
  std::vector<double> scores_{}, start_{};
  std::vector<std::int64_t> rows_{};
  std::vector<CellsAhead> windows_ahead_{};
};

}  // namespace

WaveAnswers answer(const WaveQuestions& questions, const Problem& problem, Threads threads) {
  const std::int64_t n = problem.episodes();
  const auto episodes = static_cast<std::size_t>(n);
  const CrossScorer plan(questions.values, 1.0);
  const auto room = [&](std::size_t draws) {
    return CrossScores{.scores = std::vector(draws, std::vector<double>(episodes)),
                       .start = std::vector(draws, std::vector<double>(episodes))};
  };
  WaveAnswers answers{.waves = room(wave_draws(plan)),
                      .actions = room(plan.variants() - plan.plain_variants()),
                      .anchor = std::vector<AnchorEpisode>(episodes),
                      .by_waves = std::vector(questions.by_waves.size(), std::vector<double>(episodes))};
  WindowParts parts;
  for (auto* of : {&parts.waves, &parts.cells, &parts.actions})
    of->assign(questions.windows.size(), std::vector<WindowedEpisode>(episodes));
  SplitSums total(questions.halves.size());
  ordered_merge((n + episodes_per_job - 1) / episodes_per_job, threads,
                [&](std::int64_t job) {
                  return Asking(questions, problem, answers, parts)(job * episodes_per_job,
                                                                    std::min(n, (job + 1) * episodes_per_job));
                },
                [&](SplitSums&& part) {
                  for (std::size_t split = 0; split < total.halves.size(); ++split) {
                    for (std::size_t side = 0; side < 2; ++side) total.halves[split][side] += part.halves[split][side];
                  }
                  total.first += part.first;
                });
  const double gamma = problem.discount().gamma();
  for (const auto& window : parts.waves) answers.waves_by_window.push_back(finished_scores(window, gamma));
  for (const auto& window : parts.cells) answers.cells_by_window.push_back(finished_scores(window, gamma));
  if (questions.values.actions)
    for (const auto& window : parts.actions) answers.actions_by_window.push_back(finished_scores(window, gamma));
  answers.anchor_of_first = AnchorScorer(total.first, gamma).mean();
  for (const auto& split : total.halves) {
    auto& means = answers.halves.emplace_back();
    auto& cells = answers.cells.emplace_back();
    auto& actions = answers.of_actions.emplace_back();
    auto& anchors = answers.anchors.emplace_back();
    for (std::size_t side = 0; side < 2; ++side) {
      means[side] = split[side].waves / split[side].episodes;
      cells[side] = split[side].cells / split[side].episodes;
      actions[side] = split[side].actions / split[side].episodes;
      anchors[side] = AnchorScorer(split[side].anchor, gamma).mean();
    }
  }
  return answers;
}

}  // namespace starope
