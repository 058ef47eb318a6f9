#pragma once

// Studies: trials x sizes x estimators on domains whose truth is known. Library starope::study.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "starope/estimators.hpp"
#include "starope/io.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"

namespace starope {

// ---- What is asked -------------------------------------------------------------------------------------------------

// One source of logs of a study: a simulated world, or a file of own logs.
struct StudyDomain {
  std::string name{};                  // unique within the study; stands in every result
  std::string domain{};                // of starope/domains; empty: own logs
  std::string behavior{}, target{};    // policies; empty: the domain's own
  std::optional<Horizon> horizon{};    // none: the domain's own, or for own logs none
  std::optional<Discount> discount{};  // none: the domain's own, or 1
  std::string file{};                  // own logs, or the tables that the domain needs (its dynamics)
  io::ReadOptions columns{};           // of own logs: what they are called, a table of a database, a query
  std::string checksum{};              // of the file or of the logs: what a study was made with, wherever they lie
  std::optional<double> truth{};       // own logs: the true value, if it is known
  std::vector<std::int64_t> sizes{};   // numbers of episodes
  std::int64_t trials = 1;
  std::vector<std::string> estimators{};  // strings, each for one estimator
};

// Domains x sizes x trials x estimators. Together with the program, it determines every number of the results.
struct StudySpec {
  std::string name{};
  Seed seed{};
  std::int64_t truth_episodes = 1'000'000;  // simulated where the true value is not known exactly
  Level level{0.95};                        // of the intervals
  std::vector<StudyDomain> domains{};
};

// InvalidArgument names what cannot be meant: no sizes, a name or an estimator given twice, an unknown estimator, ...
STAROPE_API void check_study(const StudySpec& spec);

// Everything spelled out: policies, horizons and discounts of the domains, checksums of the files. Checks the result.
STAROPE_API StudySpec complete_study(StudySpec spec);

// One text for one specification: the keys in fixed order, indented for people.
STAROPE_API std::string study_json(const StudySpec& spec);
STAROPE_API StudySpec parse_study_json(std::string_view text, const std::string& file);  // DataError

// One line per difference, empty if both describe the same results: "seed: 1, now 2". Where files lie does not count.
STAROPE_API std::vector<std::string> study_differences(const StudySpec& stored, const StudySpec& given);

// "star(clusters=2|4,clip=1|2)" stands for four estimators; the first option varies slowest. A text without "|" stands
// for itself. Lists are split at commas outside parentheses, as everywhere. InvalidArgument for an empty alternative.
STAROPE_API std::vector<std::string> expand_estimators(std::string_view list);

// "paper", "paper-cartpole", "paper-icu-sepsis", "paper-asterix", "smoke".
STAROPE_API std::vector<std::string> builtin_study_names();

struct BuiltinStudyOptions {
  // The file of ICU-Sepsis's tables, which are not part of the program; studies that need it and have none throw
  // InvalidArgument.
  std::string dynamics{};
  bool neural = false;  // also the estimators that train networks: far slower than all others together
};

// The experiments of the paper: its domains, sizes, 200 trials, its grids of STAR configurations (k-means as its text
// says, random centroids as its code does), and the estimators it compares with, as far as this build has them. `smoke`
// shows every part of a study in seconds. InvalidArgument names the nearest where there is none.
STAROPE_API StudySpec builtin_study(std::string_view name, const BuiltinStudyOptions& options = {});

// A study as people write it. Keys of the whole study:
//
//   name = "mine"                     # default: the name of the file
//   seed = 1                          # default 0
//   truth_episodes = 1_000_000
//   level = 0.95
//   trials = 50                       # trials, sizes and estimators: for all domains that have none of their own
//   sizes = [50, 500]
//   estimators = ["naive", "wpdis", "star(clusters=8|32,clip=1|2)"]
//
//   [[domain]]                        # simulated: domain; behavior, target, horizon, gamma, dynamics = FILE
//   domain = "cartpole"
//
//   [[data]]                          # own logs: file; name, truth, horizon, gamma
//   file = "logs.csv"
//   truth = 0.7
//
// File names are relative to the folder of the study's file. Unknown keys and wrong types are DataErrors that name the
// row.
STAROPE_API StudySpec parse_study_toml(std::string_view text, const std::string& file);
STAROPE_API StudySpec read_study_toml(const std::string& path);

// ---- Running it ----------------------------------------------------------------------------------------------------

// Part `index` of `count`, from 1.
class STAROPE_API Shard {
 public:
  Shard() = default;
  Shard(std::int64_t index, std::int64_t count);  // InvalidArgument unless 1 <= index <= count
  static Shard parse(std::string_view text);      // "2/8"
  std::int64_t index() const noexcept { return index_; }
  std::int64_t count() const noexcept { return count_; }
  friend bool operator==(const Shard&, const Shard&) = default;

 private:
  std::int64_t index_ = 1;
  std::int64_t count_ = 1;
};

struct StudyProgress {
  std::int64_t done = 0;      // cells, those of earlier runs included
  std::int64_t total = 0;     // cells of this shard
  std::int64_t failures = 0;  // results that are errors, in all cells so far
  double seconds = 0.0;       // since this run started
  double seconds_left = 0.0;  // as far as can be told
  std::string note{};         // what is going on besides cells: "true value of cartpole"
};

struct RunStudyOptions {
  std::string folder{};
  Shard shard{};
  bool resume = false;
  Threads threads = Threads::all();
  EstimatorFiles files{};                                // for estimators that name files
  std::function<void(const StudyProgress&)> progress{};  // called by one thread at a time
  std::function<bool()> stop{};                          // true: finish the cells in flight and return
};

// Runs what is left of the study and writes it to folder/results.jsonl; the specification is in folder/study.json.
// A folder that has a study is continued only with `resume`, and only if its specification is the same (InvalidArgument
// shows the differences). The results depend neither on threads nor on shards.
STAROPE_API StudyProgress run_study(const StudySpec& spec, const RunStudyOptions& options);

// What folder/study.json holds.
struct StoredStudy {
  StudySpec spec{};
  Shard shard{};
};
STAROPE_API StoredStudy read_study(const std::string& folder);
STAROPE_API void write_study(const std::string& folder, const StoredStudy& study);

// Joins the parts of a study, each a folder, into the folder `whole`, which must not hold a study yet. Parts of another
// study, and results that contradict each other, are refused. Returns how many cells of the study are there.
struct MergedStudy {
  std::int64_t parts = 0;
  std::int64_t cells = 0;  // joined
  std::int64_t total = 0;  // that the study has
};
STAROPE_API MergedStudy merge_studies(const std::vector<std::string>& parts, const std::string& whole);

// ---- What was answered ---------------------------------------------------------------------------------------------

// What the target policy of a domain earns in truth.
struct StudyTruth {
  std::string domain{};  // its name in the study
  double value = 0.0;
  double std_error = 0.0;     // 0: exact
  std::int64_t episodes = 0;  // simulated for it; 0: exact
  Seed seed{};
  friend bool operator==(const StudyTruth&, const StudyTruth&) = default;
};

struct StudyAnswer {
  double value = 0.0;
  std::optional<double> std_error{};
  std::optional<Interval> interval{};
  std::vector<std::string> findings{};  // their codes
};

// What one estimator answered on one data set.
struct StudyResult {
  std::string domain{};
  std::int64_t size = 0;
  std::int64_t trial = 0;
  std::string estimator{};
  std::variant<StudyAnswer, Failure> answer{};
  double seconds = 0.0;
};

// The first line of a file of results: which study they belong to.
struct StudyHeader {
  std::string study{};                 // its name
  std::vector<std::string> domains{};  // in its order
  std::string checksum{};              // of its specification
};

// The results of a study as its file holds them.
struct StudyResults {
  StudyHeader header{};
  std::map<std::string, StudyTruth> truths{};  // by domain
  std::vector<StudyResult> results{};          // in the order of the file
};

// Reads a file that a study wrote, one that was interrupted included: an unfinished last line is left out.
// FileError, or DataError for a line that is none.
STAROPE_API StudyResults read_results(const std::string& path);

// ---- What it says --------------------------------------------------------------------------------------------------

// Mean squared errors of the paper's Figure 3, read off its logarithmic axis (about 10 % off).
struct PaperReading {
  double star_best = 0.0;
  double star_median = 0.0;
  double baseline_best = 0.0;
  std::string baseline{};        // which one
  bool star_best_below = false;  // the bar ends below the axis: less than star_best
};

// How an estimator did in one case (domain and size), over its trials.
struct EstimatorSummary {
  std::string estimator{};
  std::int64_t trials = 0;    // with an answer
  std::int64_t failures = 0;  // without
  double mean = 0.0;          // of the answers
  double variance = 0.0;      // mean squared deviation from that mean, so that MSE = bias^2 + variance
  // Against the true value; absent where that is not known or no trial has an answer.
  std::optional<double> mse{}, mse_std_error{}, bias{};
  std::optional<double> coverage{};  // share of the intervals that hold the true value
  double seconds = 0.0;              // mean of the trials
};

// The estimators that differ in `clusters` and `clip` only: a grid of the paper.
struct FamilySummary {
  std::string family{};                // "star(horizon=none)"
  std::vector<std::size_t> members{};  // of the case's estimators, best first; an unfinished or failing one is last
  std::size_t best = 0, median = 0;    // of the case's estimators; the lower one of an even number
};

struct CaseSummary {
  std::string domain{};
  std::int64_t size = 0;
  std::optional<StudyTruth> truth{};
  std::vector<EstimatorSummary> estimators{};  // in the order of the study
  std::vector<FamilySummary> families{};
  // Positions of the smallest MSEs: of all, of those that are neither a `star` nor `auto`, and of `auto`.
  // Who failed in a trial does not win.
  std::optional<std::size_t> winner{}, best_baseline{}, automatic{};
  // Without naive, which corrects nothing: the paper does not compare with it.
  std::optional<std::size_t> best_correcting_baseline{};
  std::optional<PaperReading> paper{};
};

struct StudySummary {
  std::string study{};
  std::vector<CaseSummary> cases{};  // domains in the order of the file, sizes ascending
  std::int64_t results = 0;
  std::int64_t failures = 0;
};

STAROPE_API StudySummary summarize(const StudyResults& results);

// As one JSON object, schema "starope.study-summary/1".
STAROPE_API std::string summary_json(const StudySummary& summary);

}  // namespace starope
