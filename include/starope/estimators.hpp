#pragma once

// Which estimators there are, what each can be told, what they answer, and their names in texts such as
// "star(clusters=32,clip=2)".

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/data.hpp"
#include "starope/finding.hpp"
#include "starope/phi.hpp"
#include "starope/problem.hpp"
#include "starope/statistic.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// ---- Answers -------------------------------------------------------------------------------------------------------

struct Interval {
  double lower = 0.0;
  double upper = 0.0;
  double level = 0.95;
  std::string method{};  // "influence"
};

// How much more the target policy earns than the logged one: a difference of the same episodes, not of two numbers with
// errors of their own.
struct Difference {
  double value = 0.0;                 // target minus logged
  std::optional<double> std_error{};  // none where nobody knows which episodes the estimate rests on
  std::optional<Interval> interval{};
  std::optional<double> probability_better{};  // that the target policy earns more than the logged one
  double logged = 0.0;                         // what the logged policy earned, on average per episode
  std::optional<double> logged_std_error{};
};

// What an estimate of all episodes says of some of them. Intervals hold for all groups at once.
struct GroupAnswer {
  std::string group{};  // "age < 65"
  std::int64_t episodes = 0;
  bool too_few = false;  // for an interval
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  Difference difference{};
};

// The values that are possible at all, whatever the policy.
struct ValueRange {
  double lower = 0.0;
  double upper = 0.0;
};

// How an estimator came to its answer, for those who ask: a number (or word, or series) with a name for programs and a
// meaning for people.
struct Detail {
  std::string name{};  // "markov_delta"
  std::variant<double, bool, std::string, std::vector<double>> value{};
  std::string meaning{};  // "how far a window of two ratios moves the estimate"
};

// One of the ways that an estimator which weighs several came to its answer.
struct FamilyAnswer {
  std::string family{};  // "cells"
  double value = 0.0;    // what it would answer alone
  double error = 0.0;    // how far it is believed to be off: the root of its estimated mean squared error
  double weight = 0.0;   // its share in the answer; all of them sum to one
  std::string reason{};  // what decided that: the largest doubt of it, or why it takes no part
  friend bool operator==(const FamilyAnswer&, const FamilyAnswer&) = default;
};

// What is left of influence values that were too many to be kept.
struct ScoreSpread {
  std::int64_t episodes = 0;
  double effective_scores = 0.0;  // (sum e^2)^2 / sum e^4: how many episodes the standard error rests on
};

// What an estimator answers. `influence` holds one value per episode: how much the estimate would change, times the
// number of episodes, if the episode counted a little more; they sum to zero, and their spread is the standard error
// (an estimator that knows of other errors as well has a larger one).
struct Estimate {
  std::string estimator{};  // the string that was given
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  std::optional<ValueRange> range{};  // the interval stays within it
  std::optional<double> ess{};        // effective number of episodes behind the weights this estimator uses
  std::vector<Finding> findings{};
  std::vector<double> influence{};
  std::optional<ScoreSpread> spread{};  // of the influence values, where they are too many to be kept
  std::vector<Detail> details{};
  std::vector<FamilyAnswer> families{};  // where the estimator weighs several
};

// Why an estimator has no answer.
struct Failure {
  std::string code{};     // stable, for programs: "degenerate_model"
  std::string message{};  // for people
  friend bool operator==(const Failure&, const Failure&) = default;
};

struct EstimateOptions {
  Threads threads = Threads::all();
  bool keep_influence = false;  // one value per episode for logs that come in blocks, too; in memory it always is
};

// ---- Importance sampling -------------------------------------------------------------------------------------------

// The uncorrected mean of the logged returns: what the behavior policy earned.
struct Naive {
  friend bool operator==(const Naive&, const Naive&) = default;
};

// is, wis, pdis and wpdis. After an episode has ended its running product stays at its last value.
struct ImportanceSampling {
  bool weighted = false;      // divide by the sum of the weights instead of the number of episodes
  bool per_decision = false;  // weigh every reward by the ratios up to it instead of by those of the whole episode
  friend bool operator==(const ImportanceSampling&, const ImportanceSampling&) = default;
};

// ---- Abstract reward processes -------------------------------------------------------------------------------------

// STAR: the exact value of an abstract reward process that was estimated with clipped importance weights.
struct Star {
  AbstractionRecipe phi{};
  Clip clip = Clip::last(1);
  TruncationRule truncation = TruncationRule::end;
  TimeModel time = TimeModel::pooled;
  // Whose horizon: empty, the problem's (if it has one). Given but empty: none, the paper's estimator. Given: this one.
  std::optional<std::optional<Horizon>> horizon{};
  // Above 0: the value is the mean return of so many rollouts of the process, as in the paper, instead of the exact
  // solution, and the error of that mean is part of the standard error.
  std::int64_t rollouts = 0;
  Seed seed{};  // of the rollouts
  friend bool operator==(const Star&, const Star&) = default;
};

// STAR with one abstraction that knows what matters, for those who want to look at the abstract states: a bag of
// k-means abstractions first learns what every state is worth and how much more often the target policy is there; then
// states that agree in both share a cell. `star.phi` is not looked at.
struct ValueStar {
  std::int64_t clusters = 64;
  Seed seed{};
  Star star{};
  friend bool operator==(const ValueStar&, const ValueStar&) = default;
};

// Whether the abstractions see what happened just before the state: by the Markov test, never, always, or half of them.
enum class History { automatic, off, on, mixed };

// Whether ends that nothing in the logs explains may be recordings that were cut off, which then counts in the error,
// or are known to be real.
enum class Ends { tested, real };

// The estimator that needs no tuning: several families of answers (abstractions of many sizes, smooth functions,
// abstractions that remember, cumulative weights), weighed by the evidence against each, with a standard error that
// knows about the models as well as about the sampling.
struct Auto {
  History history = History::automatic;
  Ends ends = Ends::tested;
  int seeds = 6;
  std::vector<std::int64_t> ladder{};  // numbers of cells, ascending; empty: chosen by the size of the data
  Seed seed{};
  friend bool operator==(const Auto&, const Auto&) = default;
};

// ---- Q-functions ---------------------------------------------------------------------------------------------------

// How Q is fitted: fitted Q evaluation, regression of weighted returns, the regression that minimizes the variance of
// the doubly robust estimator, or the exact solution of a maximum-likelihood model.
enum class QMethod { fqe, qreg, mrdr, mb };

// What Q is a function of. Automatic: tabular for discrete states; for others a network (fqe), random Fourier features
// (qreg, mrdr) or clusters (mb).
enum class QFeatures { automatic, tabular, linear, rbf, clusters, mlp };

inline constexpr double default_mrdr_anchor = 0.05;

struct QRecipe {
  QMethod method = QMethod::fqe;
  QFeatures features = QFeatures::automatic;
  std::int64_t clusters = 32;
  std::int64_t waves = 64;        // random Fourier features
  std::optional<double> ridge{};  // a share of the mean diagonal of the Gram matrix; default 0 for cells, 1e-4 else
  std::int64_t hidden = 32;       // units in each of the network's two hidden layers
  double anchor = default_mrdr_anchor;  // of mrdr: the share of plain regression in its program; 0: as published
  Seed seed{};
  friend bool operator==(const QRecipe&, const QRecipe&) = default;
};

// A given Q-function of discrete states, the same at all times.
struct QTable {
  std::int32_t actions = 0;
  std::vector<std::int64_t> state{};  // ids
  std::vector<double> q{};            // one row of `actions` values per state
  std::string source{};               // for messages: the file it came from
  friend bool operator==(const QTable&, const QTable&) = default;
};

struct QFit;  // made inside: a fit to the same logs that several estimators of one evaluation share

// Fitted to the logs, or given.
using QSource = std::variant<QRecipe, QTable, std::shared_ptr<const QFit>>;

// mb, fqe, qreg and mrdr: the mean over episodes of V(s_0) = sum_a pi_e(a|s_0) Q(s_0, a).
struct DirectMethod {
  QSource q{};
  friend bool operator==(const DirectMethod&, const DirectMethod&) = default;
};

// mb(model=mlp): rollouts of a process that networks have learned, for real-valued states.
struct LearnedModel {
  std::int64_t hidden = 32;  // units in each of two hidden layers
  std::int64_t batch = 256;
  double rate = 3e-3;  // of Adam; falls to a tenth of it over a training
  Seed seed{};
  std::int64_t updates = 1500;         // of each network, at most
  std::int64_t least_rollouts = 1000;  // every first state starts equally many, at least so many in all
  friend bool operator==(const LearnedModel&, const LearnedModel&) = default;
};

// dr (Jiang & Li 2016): the mean over episodes of
//   sum_t g^t ( rho_{0:t} (r_t - Q(s_t, a_t)) + rho_{0:t-1} V(s_t) )
// and wdr (Thomas & Brunskill 2016), where the weights of each time sum to one. A cut counts as an end, as for pdis and
// wpdis, which these are with Q = 0. The standard error contains the fit of Q, except for networks, which it takes as
// they are.
struct DoublyRobust {
  QSource q{};
  bool weighted = false;
  std::int64_t folds = 1;  // above 1: Q of an episode comes from a fit to the episodes of other folds
  friend bool operator==(const DoublyRobust&, const DoublyRobust&) = default;
};

// MAGIC (Thomas & Brunskill 2016): a blend of returns g_j that follow the weighted doubly robust sum up to step j and
// take the Q-function's word for what comes after. j = -1 is the Q-function alone, the last one is wdr. The weights
// minimize x' (Omega + b b') x on the simplex: Omega the covariance of the returns, b how far each lies outside a
// bootstrap interval of wdr.
struct Magic {
  QSource q{};
  std::int64_t folds = 1;
  std::int64_t returns = 25;      // how many returns are blended, evenly spaced over the horizon; at least 2
  std::int64_t replicates = 200;  // of the bootstrap
  Seed seed{};
  friend bool operator==(const Magic&, const Magic&) = default;
};

// mis: marginalized importance sampling (Xie, Ma & Wang 2019) over abstract states (Pavse & Hanna 2023). Like star with
// weights of one ratio, but these are divided by the number of visits, not by their own sum: the occupancy ratio of a
// cell times the ratio of the action weighs every reward. `star` says which cells, and what horizons and cuts mean; its
// clip and its rollouts are not looked at. With `q`, doubly robust: a Q-function of the raw states, corrected by the
// same weights (the standard error takes both as they are).
struct Marginalized {
  Star star{};
  std::optional<QRecipe> q{};
  friend bool operator==(const Marginalized&, const Marginalized&) = default;
};

// dice: the discounted occupancy ratio of pairs of state and action, linear in features, from the balance of its flow
// (Nachum, Chow, Dai & Li 2019; with linear features this is the dual of LSTD for Q). For processes that go on for
// ever, with a discount below 1; cuts are not ends.
struct Dice {
  QRecipe features{.method = QMethod::qreg};  // which features, and their ridge
  friend bool operator==(const Dice&, const Dice&) = default;
};

// ---- Estimates -----------------------------------------------------------------------------------------------------

using Estimator = std::variant<Naive, ImportanceSampling, Star, ValueStar, DirectMethod, LearnedModel, DoublyRobust,
                               Magic, Auto, Marginalized, Dice>;

// The estimate with its standard error, effective sample size and findings. Throws DegenerateModel where no value
// exists, DataError where the logs lack what the estimator needs, InvalidArgument where its options cannot be used on
// them. (Intervals are made by `evaluate`.)
STAROPE_API Estimate estimate(const Estimator& estimator, const Problem& problem, const EstimateOptions& options = {});

// The same for logs that come in blocks, with the numbers of the same logs in memory, to the bit; star: where phi is
// fitted on all of them. One pass to survey the blocks, fit_phi, one for the sums and one for the standard error.
STAROPE_API Estimate estimate(const Naive& estimator, const Source& source, const ProblemOptions& question,
                              const EstimateOptions& options = {});
STAROPE_API Estimate estimate(const ImportanceSampling& estimator, const Source& source, const ProblemOptions& question,
                              const EstimateOptions& options = {});
STAROPE_API Estimate estimate(const Star& star, const Source& source, const ProblemOptions& question,
                              const EstimateOptions& options = {});
// Fitted to all logs, or, where they are many, to a sample of whole episodes; the mean score of all episodes is the
// answer. In memory the same.
STAROPE_API Estimate estimate(const Auto& automatic, const Source& source, const ProblemOptions& question,
                              const EstimateOptions& options = {});

// ---- Estimators as texts -------------------------------------------------------------------------------------------

struct NamedEstimator {
  std::string text;  // as given
  Estimator estimator;
};

// An estimator to evaluate, or why there is none to begin with: its file cannot be read. Then it fails, and the others
// still answer.
struct RequestedEstimator {
  std::string text{};  // what the answer calls it
  std::variant<Estimator, Failure> estimator{};
};

// Texts may name files; who parses them says how files are read.
struct EstimatorFiles {
  std::function<CentroidTable(const std::string& path)> centroids{};
  std::function<LookupTable(const std::string& path)> lookup{};
  std::function<QTable(const std::string& path)> q_table{};
};

// Reads them where they are: centroids=FILE.csv, lookup=FILE.csv and q=FILE.csv.
STAROPE_API EstimatorFiles estimator_files();

// "naive,star(clusters=32,clip=2)" -> two estimators: split at commas outside parentheses.
// Unknown names and options throw InvalidArgument with the nearest valid name. `seed`: for estimators that draw random
// numbers and name no seed of their own.
STAROPE_API std::vector<NamedEstimator> parse_estimators(std::string_view list, const EstimatorFiles& files = {},
                                                         Seed seed = {});
STAROPE_API NamedEstimator parse_estimator(std::string_view text, const EstimatorFiles& files = {}, Seed seed = {});

// The way back: the text that an estimator is parsed from; options that have their defaults are left out. Tables that
// no file has are called "given".
STAROPE_API std::string text(const Estimator& estimator);

// The estimators of several lists. A slip (unknown name or option) is an InvalidArgument; a file that cannot be used is
// the failure of the estimator that names it.
STAROPE_API std::vector<RequestedEstimator> request_estimators(const std::vector<std::string>& lists,
                                                               const EstimatorFiles& files, Seed seed);

// What is evaluated if nothing is asked for: fits the kind of states that the logs have.
STAROPE_API std::string default_estimators(const Dataset& data);

// Everything that these logs have the columns for, group by group: the uncorrected mean, importance sampling, models
// and Q-functions, their doubly robust blends, abstract reward processes. Estimators of real-valued states are left out
// where the states are ids, and so on.
STAROPE_API std::string all_estimators(const Problem& problem);

// The lists with the word `all` replaced by all_estimators. Without a problem `all` stands for nothing: enough to check
// the rest before the data are read.
STAROPE_API std::vector<std::string> expand_all(const std::vector<std::string>& lists, const Problem* problem);
STAROPE_API bool asks_for_all(const std::vector<std::string>& lists);

// Every estimator with its options, in lines of at most `width` characters.
STAROPE_API std::string estimator_help(std::size_t width);

}  // namespace starope
