#include "starope/study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/base/text.hpp"
#include "starope/error.hpp"
#include "starope/evaluate.hpp"
#include "starope/evaluate/json.hpp"
#include "starope/io/atomic_file.hpp"
#include "starope/io/text_file.hpp"
#include "starope/parallel/parallel_for.hpp"
#include "starope/study/case_data.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/results.hpp"
#include "starope/study/results_file.hpp"
#include "starope/study/spec.hpp"

namespace starope {
namespace {

namespace fs = std::filesystem;

// Not where the system cannot say it: reading or writing it then fails, and says why.
bool is_there(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

std::string spec_file(const std::string& folder) {
  return (fs::path(folder) / "study.json").string();
}
std::string results_path(const std::string& folder) {
  return (fs::path(folder) / "results.jsonl").string();
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(fmt::format("{}: the folder cannot be made: {}", folder, error.message()));
}

void refuse_if_changed(const std::string& folder, const StudySpec& stored, const StudySpec& given) {
  std::vector<std::string> lines = study_differences(stored, given);
  if (lines.empty()) return;
  constexpr std::size_t most = 12;
  const std::size_t more = lines.size() > most ? lines.size() - most : 0;
  lines.resize(lines.size() - more);
  if (more > 0) lines.push_back(fmt::format("and {} more", more));
  throw InvalidArgument(
      fmt::format("{} holds a study with another specification, and results of two must not be mixed. Use another "
                  "folder, or the specification it was started with. What differs:\n  {}",
                  folder, fmt::join(lines, "\n  ")));
}

// Prepares the folder: a new study is written down, an old one must be the same.
void claim_folder(const StudySpec& spec, const RunStudyOptions& options) {
  if (!is_there(spec_file(options.folder))) {
    if (is_there(results_path(options.folder))) {
      throw InvalidArgument(fmt::format("{} has results but no study.json. Use another folder", options.folder));
    }
    make_folder(options.folder);
    write_study(options.folder, {.spec = spec, .shard = options.shard});
    return;
  }
  const StoredStudy stored = read_study(options.folder);
  refuse_if_changed(options.folder, stored.spec, spec);
  if (stored.shard != options.shard) {
    throw InvalidArgument(fmt::format(
        "{} holds shard {}/{} of the study, not {}/{}. Every shard needs a folder of its "
        "own",
        options.folder, stored.shard.index(), stored.shard.count(), options.shard.index(), options.shard.count()));
  }
  if (!options.resume) {
    throw InvalidArgument(
        fmt::format("{} already holds this study. Add --resume to continue it, or use another folder", options.folder));
  }
}

std::vector<StudyResult> run_cell(const StudySpec& spec, const StudyCell& cell, const StudyData& data,
                                  const EstimatorFiles& files) {
  const StudyDomain& domain = spec.domains[cell.domain];
  std::vector<Answer> answers;
  try {
    std::vector<NamedEstimator> estimators;
    for (const std::string& text : domain.estimators) {
      estimators.push_back(parse_estimator(text, files, cell_seed(spec, cell)));
    }
    // Cells run beside each other, so each has one thread.
    answers = evaluate(data.problem(cell), estimators,
                       {.level = spec.level,
                        .interval_findings = false,
                        .checks = false,
                        .decision = false,
                        .seconds = true,
                        .threads = Threads{1}})
                  .estimates;
  } catch (const FileError&) {
    throw;  // of the study, not of the cell: every other cell would fail too
  } catch (const Error& error) {
    answers.assign(domain.estimators.size(), {.result = Failure{error.code(), error.what()}});
  } catch (const std::bad_alloc&) {
    answers.assign(domain.estimators.size(),
                   {.result = Failure{"out_of_memory", "there is not enough memory for this data set"}});
  }
  std::vector<StudyResult> results;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    results.push_back(make_result(domain, cell, domain.estimators[i], std::move(answers[i])));
  }
  return results;
}

// Whatever cannot work is found before the first trial: files that estimators name, logs, their sizes.
StudyData checked_data(CompletedStudy study, const EstimatorFiles& files) {
  const StudySpec& spec = study.spec;
  for (const StudyDomain& domain : spec.domains) {
    for (const std::string& text : domain.estimators) parse_estimator(text, files, spec.seed);
  }
  StudyData data(spec, std::move(study.logs));
  for (std::size_t d = 0; d < spec.domains.size(); ++d) {
    const StudyDomain& domain = spec.domains[d];
    const auto episodes = data.logged_episodes(d);
    for (const std::int64_t size : domain.sizes) {
      if (!episodes || size <= *episodes) continue;
      throw InvalidArgument(fmt::format("study '{}': domain '{}': a size of {} is more than the {} of {}", spec.name,
                                        domain.name, with_thousands(size), counted(*episodes, "episode"), domain.file));
    }
  }
  return data;
}

class Run {
 public:
  Run(const StudySpec& spec, const RunStudyOptions& options, const StudyData& data)
      : spec_(spec), options_(options), data_(data), file_(results_path(options.folder), spec) {
    for (const StudyCell& cell : plan_study(spec, options.shard)) {
      (file_.finished().count(cell) != 0 ? progress_.done : left_) += 1;
      if (file_.finished().count(cell) == 0) cells_.push_back(cell);
    }
    progress_.total = progress_.done + left_;
    progress_.failures = file_.failures();
  }

  StudyProgress all() {
    find_truths();
    at_start_ = progress_.done;
    started_ = Clock::now();
    report();
    parallel_for(static_cast<std::int64_t>(cells_.size()), options_.threads, [&](std::int64_t i) {
      if (stopped()) return;
      const StudyCell& cell = cells_[i];
      const std::vector<StudyResult> results = run_cell(spec_, cell, data_, options_.files);
      const std::scoped_lock lock(mutex_);
      file_.append(cell, results);
      ++progress_.done;
      progress_.failures = file_.failures();
      report();
    });
    return progress_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool stopped() const { return options_.stop && options_.stop(); }

  // One domain after the other, each with all threads.
  void find_truths() {
    for (std::size_t d = 0; d < spec_.domains.size() && !stopped(); ++d) {
      const std::string& name = spec_.domains[d].name;
      if (file_.truths().count(name) != 0) continue;
      progress_.note = fmt::format("true value of {}", name);
      report();
      if (const auto truth = data_.truth(d, options_.threads)) file_.append(*truth);
    }
    progress_.note.clear();
  }

  void report() {
    progress_.seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const auto now_done = static_cast<double>(progress_.done - at_start_);
    progress_.seconds_left =
        now_done > 0 ? progress_.seconds / now_done * static_cast<double>(progress_.total - progress_.done) : 0.0;
    if (options_.progress) options_.progress(progress_);
  }

  const StudySpec& spec_;
  const RunStudyOptions& options_;
  const StudyData& data_;
  ResultsFile file_;
  std::vector<StudyCell> cells_;
  std::int64_t left_ = 0, at_start_ = 0;
  StudyProgress progress_;
  Clock::time_point started_ = Clock::now();
  std::mutex mutex_;
};

std::size_t estimators_of(const StudySpec& spec, const std::string& domain) {
  for (const StudyDomain& each : spec.domains) {
    if (each.name == domain) return each.estimators.size();
  }
  return 0;
}

bool failed_for_now(const std::vector<StudyResult>& results) {
  return std::any_of(results.begin(), results.end(), [](const StudyResult& result) {
    const auto* failure = std::get_if<Failure>(&result.answer);
    return failure != nullptr && may_succeed_later(*failure);
  });
}

}  // namespace

StoredStudy read_study(const std::string& folder) {
  const std::string path = spec_file(folder);
  if (!is_there(path)) throw FileError(fmt::format("{}: there is no such file, so the folder holds no study", path));
  const std::string text = io::read_text(path);
  StoredStudy stored{.spec = parse_study_json(text, path)};
  const Json json = Json::parse(text);
  if (!json.contains("shard")) return stored;
  const DataError::Problem no_shard{.code = "bad_study",
                                    .at = in_file(path),
                                    .value = json.at("shard").dump(),
                                    .rule = "is no shard; a study has \"shard\": \"2/8\", or none",
                                    .remedy = "Start the study again in an empty folder"};
  if (!json.at("shard").is_string()) throw DataError(no_shard);
  try {
    stored.shard = Shard::parse(json.at("shard").get<std::string>());
  } catch (const InvalidArgument&) {
    throw DataError(no_shard);
  }
  return stored;
}

void write_study(const std::string& folder, const StoredStudy& study) {
  Json json = Json::parse(study_json(study.spec));
  if (study.shard != Shard{}) json["shard"] = fmt::format("{}/{}", study.shard.index(), study.shard.count());
  io::AtomicFile file(spec_file(folder));
  file.write(json.dump(2) + '\n');
  file.commit();
}

StudyProgress run_study(const StudySpec& given, const RunStudyOptions& options) {
  CompletedStudy study = complete(given);
  const StudySpec spec = study.spec;
  const StudyData data = checked_data(std::move(study), options.files);
  claim_folder(spec, options);
  return Run(spec, options, data).all();
}

MergedStudy merge_studies(const std::vector<std::string>& parts, const std::string& whole) {
  if (parts.empty()) throw InvalidArgument("there is nothing to merge");
  if (is_there(spec_file(whole)) || is_there(results_path(whole))) {
    throw InvalidArgument(fmt::format("{} already holds a study. Merge into a new folder", whole));
  }
  const StudySpec spec = read_study(parts.front()).spec;
  using CellName = std::tuple<std::string, std::int64_t, std::int64_t>;
  std::map<CellName, std::vector<StudyResult>> cells;
  std::map<std::string, StudyTruth> truths;
  const auto same = [](StudyResult a, StudyResult b) {
    a.seconds = b.seconds = 0.0;
    return result_line(a) == result_line(b);
  };
  for (const std::string& part : parts) {
    refuse_if_changed(part, read_study(part).spec, spec);
    const StudyResults found = read_results(results_path(part));
    if (found.header.checksum != study_checksum(spec)) {
      throw InvalidArgument(fmt::format("{}: the results belong to another study", part));
    }
    for (const auto& [name, truth] : found.truths) {
      if (!truths.emplace(name, truth).second && !(truths.at(name) == truth)) {
        throw InvalidArgument(fmt::format("{}: the true value of {} differs from that of another part", part, name));
      }
    }
    std::map<CellName, std::vector<StudyResult>> of_part;
    for (const StudyResult& result : found.results) {
      of_part[{result.domain, result.size, result.trial}].push_back(result);
    }
    for (auto& [name, results] : of_part) {
      if (results.size() != estimators_of(spec, std::get<0>(name))) continue;  // unfinished
      const auto [at, is_new] = cells.emplace(name, results);
      std::vector<StudyResult>& known = at->second;
      if (!is_new && failed_for_now(known)) known = results;
      if (!is_new && !failed_for_now(results) &&
          !std::equal(known.begin(), known.end(), results.begin(), results.end(), same)) {
        throw InvalidArgument(
            fmt::format("{}: the results of {} with {} episodes, trial {}, differ from those of another part", part,
                        std::get<0>(name), std::get<1>(name), std::get<2>(name)));
      }
    }
  }

  make_folder(whole);
  write_study(whole, {.spec = spec});
  ResultsFile file(results_path(whole), spec);
  for (const StudyDomain& domain : spec.domains) {
    if (truths.count(domain.name) != 0) file.append(truths.at(domain.name));
  }
  MergedStudy merged{.parts = static_cast<std::int64_t>(parts.size())};
  for (const StudyCell& cell : plan_study(spec)) {
    ++merged.total;
    const StudyDomain& domain = spec.domains[cell.domain];
    const auto found = cells.find({domain.name, cell.size, cell.trial});
    if (found == cells.end() || found->second.size() != domain.estimators.size()) continue;
    file.append(cell, found->second);
    ++merged.cells;
  }
  return merged;
}

}  // namespace starope
