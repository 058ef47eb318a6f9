#include "starope/auto/evidence.hpp"

#include <algorithm>
#include <cmath>

#include "starope/base/assert.hpp"
#include "starope/stats/moments.hpp"
#include "starope/stats/quantile.hpp"

namespace starope {
namespace {

double square(double x) {
  return x * x;
}
double positive(double x) {
  return std::max(0.0, x);
}
// Who is to blame: the share of the first. Nothing depends on it where both are zero.
double share_of(double mine, double other) {
  const double sum = square(mine) + square(other);
  return sum > 0.0 ? square(mine) / sum : 0.5;
}

constexpr std::array by_state_alone{FamilyKind::cells, FamilyKind::waves, FamilyKind::other_cells, FamilyKind::actions};

// Means, spreads and spreads of differences of all families.
class Spreads {
 public:
  explicit Spreads(const std::vector<FamilyScores>& families) : families_(families) {
    const auto n = static_cast<double>(families.front().scores.size());
    for (const FamilyScores& f : families) {
      std::vector<double> centered = f.scores;
      const double mean = moments(centered).mean();
      for (double& s : centered) s -= mean;
      mean_.push_back(mean);
      effective_.push_back(effective_scores(centered));
      centered_.push_back(std::move(centered));
    }
    const double pairs = n * std::max(n - 1.0, 1.0);
    covariance_.assign(families.size(), std::vector<double>(families.size(), 0.0));
    for (std::size_t f = 0; f < families.size(); ++f) {
      for (std::size_t g = 0; g <= f; ++g) {
        double sum = 0.0;
        for (std::size_t i = 0; i < centered_[f].size(); ++i) sum += centered_[f][i] * centered_[g][i];
        covariance_[f][g] = covariance_[g][f] = sum / pairs;
      }
    }
  }

  double mean(std::size_t f) const { return mean_[f]; }
  double effective(std::size_t f) const { return effective_[f]; }
  double covariance(std::size_t f, std::size_t g) const { return covariance_[f][g]; }

  // The larger of two variances: that of the scores, and that between halves.
  double variance(std::size_t f) const {
    return std::max(covariance_[f][f], between_halves([&](const auto& half) { return half(f); }));
  }
  double variance_of_difference(std::size_t f, std::size_t g) const {
    return std::max(covariance_[f][f] + covariance_[g][g] - 2.0 * covariance_[f][g],
                    between_halves([&](const auto& half) { return half(f) - half(g); }));
  }
  // Mean over the halves minus the answer.
  double instability(std::size_t f) const {
    double sum = 0.0;
    for (const auto& half : families_[f].halves) sum += 0.5 * (half[0] + half[1]) - mean_[f];
    return families_[f].halves.empty() ? 0.0 : sum / static_cast<double>(families_[f].halves.size());
  }

  // Mean over the splits of ((A - B) / 2)^2 of a combination of the families' answers on a half.
  template <class Combine>
  double between_halves(const Combine& combine) const {
    const std::size_t splits = families_.front().halves.size();
    double sum = 0.0;
    for (std::size_t r = 0; r < splits; ++r) {
      const auto side = [&](std::size_t s) {
        return combine([&](std::size_t f) { return families_[f].halves[r][s]; });
      };
      sum += square(0.5 * (side(0) - side(1)));
    }
    return splits > 0 ? sum / static_cast<double>(splits) : 0.0;
  }

 private:
  const std::vector<FamilyScores>& families_;
  std::vector<double> mean_{}, effective_{};
  std::vector<std::vector<double>> centered_{}, covariance_{};
};

class Weighing {
 public:
  Weighing(const std::vector<FamilyScores>& families, const CrossEvidence& evidence)
      : families_(families), evidence_(evidence), spreads_(families) {
    for (std::size_t f = 0; f < families.size(); ++f) {
      index_[static_cast<std::size_t>(families[f].kind)] = f;
      WeighedFamily& family = result_.families.emplace_back();
      family.kind = families[f].kind;
      family.value = spreads_.mean(f);
      family.std_error = std::sqrt(spreads_.covariance(f, f));
      family.instability = spreads_.instability(f);
      family.effective = spreads_.effective(f);
    }
  }

  WeighedAnswer run() {
    for (std::size_t f = 0; f < families_.size(); ++f) {
      if (families_[f].kind != FamilyKind::anchor) doubt(f, DoubtKind::sampling, spreads_.variance(f), 0.0);
      doubt(f, DoubtKind::half_samples, 9.0 * square(spreads_.instability(f)), 0.0);
      doubt(f, DoubtKind::finer_cells, families_[f].ladder, families_[f].ladder);
      // Whoever still learns is not worse than who is stuck: that widens the answer and decides no weight.
      doubt(f, DoubtKind::learning_curve, 0.0, families_[f].learning);
      doubt(f, DoubtKind::draws, families_[f].draws, 0.0);
      doubt(f, DoubtKind::history, families_[f].moving, families_[f].moving);
    }
    add_history();
    add_classes();
    add_actions();
    add_anchor();
    add_windows();
    mix();
    return std::move(result_);
  }

 private:
  // Families share the luck of the weights: their errors add up.
  static void add_to(PairedShift& sum, const PairedShift& shift, double weight) {
    sum.mean += weight * shift.mean;
    sum.std_error += weight * shift.std_error;
  }
  std::optional<std::size_t> find(FamilyKind kind) const { return index_[static_cast<std::size_t>(kind)]; }
  void doubt(std::size_t f, DoubtKind kind, double squared, double counted) {
    if (squared > 0.0 || counted > 0.0) result_.families[f].doubts.push_back({kind, squared, counted});
  }
  void exclude(std::size_t f, const char* why) {
    result_.families[f].admitted = false;
    result_.families[f].why_not = why;
  }

  // Cells, waves and rotated cells look at the state alone. A second ratio that moves them speaks against them; the
  // difference to a family that remembers is shared by whose answer the second ratio moves.
  void add_history() {
    const MarkovTest& test = evidence_.cells_history;
    double necessary = test.markov ? 0.0 : test.unexplained();
    double counted = test.unexplained();
    hidden_toward_ = spreads_.mean(0) + test.delta;
    if (const auto t = find(FamilyKind::traces)) {
      const MarkovTest& traced = *evidence_.traces_history;
      const double apart = square(positive(std::abs(spreads_.mean(*t) - spreads_.mean(0)) - test.gap));
      const double noise = spreads_.variance_of_difference(*t, 0) + families_[*t].seeds + families_[0].seeds;
      const double blame = share_of(test.delta, traced.delta);
      necessary = std::max(blame * positive(apart - 4.0 * noise), necessary);
      if (blame * positive(apart - noise) > counted) {
        counted = blame * positive(apart - noise);
        hidden_toward_ = spreads_.mean(*t);
      }
      doubt(*t, DoubtKind::history, traced.unexplained() + (1.0 - blame) * positive(apart - 4.0 * noise),
            traced.unexplained());
      const bool called_for = necessary > 0.0 && (std::abs(test.delta) > std::abs(traced.delta) || !test.markov);
      if (!called_for && evidence_.history == History::automatic) exclude(*t, "the state alone explains as much");
    }
    for (const FamilyKind kind : by_state_alone) {
      const auto f = find(kind);
      if (!f) continue;
      doubt(*f, DoubtKind::history, necessary, counted);
      if (evidence_.history == History::on) exclude(*f, "the state alone is said to say too little");
    }
    hidden_ = counted;
  }

  // Cells that also remember are no finer in the state: what smooth functions say against cells holds for them too.
  void doubt_remembering(double squared) {
    for (const FamilyKind kind : {FamilyKind::traces, FamilyKind::lags}) {
      if (const auto f = find(kind)) doubt(*f, DoubtKind::smooth_functions, squared, 0.0);
    }
  }

  // Cells and waves test each other: each with the occupancies of the other. Cells that are contradicted are poor
  // witnesses themselves: what their occupancies say against others counts by the share of their error that is not
  // the contradiction.
  void add_classes() {
    const auto w = find(FamilyKind::waves);
    if (!w) return;
    const PairedShift& waves = *families_[*w].off;
    double against_waves = 0.0;
    const double own = spreads_.variance(0) + 9.0 * square(spreads_.instability(0)) + families_[0].ladder;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      if (f == *w || !families_[f].off || families_[f].kind == FamilyKind::actions) continue;
      const PairedShift& cells = *families_[f].off;
      double apart =
          positive(square(spreads_.mean(*w) - spreads_.mean(f)) - 9.0 * spreads_.variance_of_difference(*w, f));
      const double blame = share_of(cells.mean, waves.mean);
      if (f == 0) {
        result_.classes_apart = apart;
        if (apart > 0.0 && std::abs(cells.mean) <= std::abs(waves.mean)) {
          exclude(*w, "cells contradict the smooth functions");
          apart = 0.0;
        }
        against_waves = (1.0 - blame) * apart;
      }
      const double against = positive(square(cells.mean) - 9.0 * square(cells.std_error)) + blame * apart;
      doubt(f, DoubtKind::smooth_functions, against, 0.0);
      if (f == 0) {
        doubt_remembering(against);
        if (against > 0.0) trust_in_cells_ = own / (own + against);
      }
    }
    const double off = positive(square(waves.mean) - 4.0 * square(waves.std_error));
    doubt(*w, DoubtKind::cells, trust_in_cells_ * (off + against_waves), 0.0);
  }

  // Values of actions are tested by the occupancies of the cells, as waves are.
  void add_actions() {
    const auto a = find(FamilyKind::actions);
    if (!a) return;
    const PairedShift& off = *families_[*a].off;
    doubt(*a, DoubtKind::cells, trust_in_cells_ * positive(square(off.mean) - 4.0 * square(off.std_error)), 0.0);
  }

  // Cumulative weights need no model: where they are healthy, a family that differs by more than noise is wrong.
  void add_anchor() {
    const auto d = find(FamilyKind::anchor);
    if (!d) return;
    const double effective = std::min(evidence_.anchor_ess, spreads_.effective(*d));
    const double inflate = 1.0 + 5.0 / std::max(effective, 1.0);
    doubt(*d, DoubtKind::sampling, inflate * spreads_.variance(*d), (inflate - 1.0) * spreads_.variance(*d));
    if (!evidence_.anchor_healthy) return exclude(*d, "cumulative weights are too uneven");
    const double t = student_t_quantile(0.975, std::max(spreads_.effective(*d) - 1.0, 3.0));
    // With values of actions the anchor is so much quieter that what it says counts before it is beyond doubt.
    const double beyond = evidence_.anchor_by_actions ? 2.0 : square(t);
    for (std::size_t f = 0; f < families_.size(); ++f) {
      if (f == *d) continue;
      const double noise = inflate * spreads_.variance_of_difference(f, *d) + square(spreads_.instability(*d));
      const double apart = square(spreads_.mean(f) - spreads_.mean(*d));
      doubt(f, DoubtKind::anchor, positive(apart - beyond * noise),
            evidence_.anchor_by_actions ? positive(apart - noise) : 0.0);
    }
  }

  // Scores with longer windows need less of a model: who sees too little of the effect by them is off by at least as
  // much. Others may hide the same error better, so that decides no weight.
  void add_windows() {
    for (std::size_t f = 0; f < families_.size(); ++f) {
      if (!families_[f].windows) continue;
      doubt(f, DoubtKind::windows, 0.0, families_[f].windows->lasting(spreads_.mean(f) - evidence_.logged));
    }
  }

  // Weights are the inverse squares of the errors. These errors are estimates themselves, and the answer should not be
  // surer of them than they are: between families, the spread counts with their inverses, which are more even.
  void mix() {
    // The smallest error first: ratios of errors cannot overflow.
    double least = std::numeric_limits<double>::infinity();
    for (const WeighedFamily& f : result_.families) {
      if (f.admitted) least = std::min(least, f.mean_squared_error());
    }
    double sum = 0.0, credits = 0.0;
    for (WeighedFamily& f : result_.families) {
      const double m = f.mean_squared_error();
      const double credit = !f.admitted ? 0.0 : m > least ? least / m : 1.0;
      credits_.push_back(credit);
      credits += credit;
      f.weight = square(credit);
      sum += f.weight;
    }
    for (double& credit : credits_) credit /= credits;
    result_.scores.assign(families_.front().scores.size(), 0.0);
    for (std::size_t f = 0; f < families_.size(); ++f) {
      WeighedFamily& family = result_.families[f];
      family.weight /= sum;
      result_.value += family.weight * family.value;
      if (families_[f].windows) {
        add_to(result_.windows.shorter, families_[f].windows->shorter, family.weight);
        add_to(result_.windows.longer, families_[f].windows->longer, family.weight);
      }
      for (std::size_t i = 0; i < result_.scores.size(); ++i) {
        result_.scores[i] += family.weight * families_[f].scores[i];
      }
    }
    for (const FamilyKind kind : by_state_alone) result_.hidden_history += result_.weight_of(kind) * hidden_;
    result_.hidden_shift = hidden_toward_ - result_.value;
    add_errors();
  }

  void add_errors() {
    AnswerErrors& errors = result_.errors;
    const auto weight = [&](std::size_t f) { return result_.families[f].weight; };
    double off = 0.0, by_cells = 0.0;
    for (std::size_t f = 0; f < families_.size(); ++f) {
      const WeighedFamily& family = result_.families[f];
      for (std::size_t g = 0; g < families_.size(); ++g)
        errors.score += weight(f) * weight(g) * spreads_.covariance(f, g);
      off += weight(f) * family.instability;
      const double spread = credits_[f] * square(family.value - result_.value);
      errors.spread += spread;
      if (family.kind == FamilyKind::cells || family.kind == FamilyKind::waves) result_.classes_spread += spread;
      errors.doubts += weight(f) * family.counted();
      // Waves and actions use the occupancies of the cells, and share their luck.
      if (family.kind == FamilyKind::cells || family.kind == FamilyKind::waves || family.kind == FamilyKind::actions) {
        by_cells += weight(f);
      } else {
        errors.seeds += square(weight(f)) * families_[f].seeds;
      }
      errors.draws += square(weight(f)) * families_[f].draws;
    }
    errors.seeds += square(by_cells) * families_.front().seeds;
    errors.instability = square(off);
    errors.half = spreads_.between_halves([&](const auto& half) {
      double sum = 0.0;
      for (std::size_t f = 0; f < families_.size(); ++f) sum += weight(f) * half(f);
      return sum;
    });
  }

  const std::vector<FamilyScores>& families_;
  const CrossEvidence& evidence_;
  Spreads spreads_;
  std::array<std::optional<std::size_t>, family_kinds> index_{};
  double hidden_ = 0.0, hidden_toward_ = 0.0;
  double trust_in_cells_ = 1.0;
  std::vector<double> credits_{};  // of the families: inverse errors, summing to one
  WeighedAnswer result_{};
};

}  // namespace

const char* name_of(FamilyKind kind) noexcept {
  switch (kind) {
    case FamilyKind::cells:
      return "cells";
    case FamilyKind::waves:
      return "waves";
    case FamilyKind::other_cells:
      return "other_cells";
    case FamilyKind::traces:
      return "traces";
    case FamilyKind::lags:
      return "lags";
    case FamilyKind::anchor:
      return "anchor";
    case FamilyKind::actions:
      return "actions";
  }
  return "";
}

const char* phrase_of(DoubtKind kind) noexcept {
  switch (kind) {
    case DoubtKind::sampling:
      return "the spread of its scores";
    case DoubtKind::half_samples:
      return "its shift on halves of the episodes";
    case DoubtKind::finer_cells:
      return "what finer cells say";
    case DoubtKind::learning_curve:
      return "what it learns from twice the data";
    case DoubtKind::draws:
      return "the spread over its draws";
    case DoubtKind::history:
      return "what a memory changes";
    case DoubtKind::smooth_functions:
      return "what smooth functions say against it";
    case DoubtKind::cells:
      return "what cells say against it";
    case DoubtKind::anchor:
      return "what the anchor says against it";
    case DoubtKind::windows:
      return "what longer windows of ratios move";
  }
  return "";
}

bool WindowShifts::say_more(double effect) const noexcept {
  const auto more = [&](const PairedShift& shift) { return std::abs(effect + shift.mean) > std::abs(effect); };
  return shorter.mean * longer.mean > 0.0 && more(shorter) && more(longer);
}

bool WindowShifts::contradict(double effect) const noexcept {
  const auto more_or_other = [&](const PairedShift& shift) {
    const double found = effect + shift.mean;
    return std::abs(found) > std::abs(effect) || found * effect < 0.0;
  };
  return shorter.mean * longer.mean > 0.0 && more_or_other(shorter) && more_or_other(longer);
}

bool WindowShifts::grow() const noexcept {
  return shorter.mean * longer.mean > 0.0 && std::abs(longer.mean) > 1.2 * std::abs(shorter.mean);
}

double WindowShifts::lasting(double effect) const noexcept {
  if (!say_more(effect)) return grow() ? positive(square(longer.mean) - 4.0 * square(longer.std_error)) : 0.0;
  const double in_shorter = square(shorter.mean) - 4.0 * square(shorter.std_error);
  const double in_longer = square(longer.mean) - square(longer.std_error);
  return std::min(in_shorter, in_longer) > 0.0 ? std::max(in_shorter, in_longer) : 0.0;
}

double WeighedFamily::mean_squared_error() const {
  double sum = 0.0;
  for (const Doubt& d : doubts) sum += d.squared;
  return sum;
}

double WeighedFamily::counted() const {
  double sum = 0.0;
  for (const Doubt& d : doubts) sum += d.counted;
  return sum;
}

double WeighedFamily::counted(DoubtKind why) const {
  double sum = 0.0;
  for (const Doubt& d : doubts) sum += d.kind == why ? d.counted : 0.0;
  return sum;
}

std::string WeighedFamily::reason() const {
  if (!admitted) return "takes no part: " + why_not;
  const auto largest = std::max_element(doubts.begin(), doubts.end(),
                                        [](const Doubt& a, const Doubt& b) { return a.squared < b.squared; });
  return largest == doubts.end() || largest->squared == 0.0 ? "nothing speaks against it" : phrase_of(largest->kind);
}

double AnswerErrors::total() const noexcept {
  return std::max(score, half) + instability + spread + doubts + seeds + draws;
}

const WeighedFamily* WeighedAnswer::find(FamilyKind kind) const {
  for (const WeighedFamily& f : families) {
    if (f.kind == kind) return &f;
  }
  return nullptr;
}

double WeighedAnswer::weight_of(FamilyKind kind) const {
  const WeighedFamily* family = find(kind);
  return family != nullptr ? family->weight : 0.0;
}

double WeighedAnswer::remembering() const {
  return weight_of(FamilyKind::traces) + weight_of(FamilyKind::lags);
}

WeighedAnswer weigh(const std::vector<FamilyScores>& families, const CrossEvidence& evidence) {
  STAROPE_ASSERT(!families.empty() && families.front().kind == FamilyKind::cells);
  return Weighing(families, evidence).run();
}

}  // namespace starope
