#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "starope/base/types.hpp"
#include "starope/evaluate/estimator_text.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/spec.hpp"

namespace starope {

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
StudyProgress run_study(const StudySpec& spec, const RunStudyOptions& options);

// What folder/study.json holds.
struct StoredStudy {
  StudySpec spec{};
  Shard shard{};
};
StoredStudy read_study(const std::string& folder);
void write_study(const std::string& folder, const StoredStudy& study);

// Joins the parts of a study, each a folder, into the folder `whole`, which must not hold a study yet. Parts of another
// study, and results that contradict each other, are refused. Returns how many cells of the study are there.
struct MergedStudy {
  std::int64_t parts = 0;
  std::int64_t cells = 0;  // joined
  std::int64_t total = 0;  // that the study has
};
MergedStudy merge_studies(const std::vector<std::string>& parts, const std::string& whole);

}  // namespace starope
