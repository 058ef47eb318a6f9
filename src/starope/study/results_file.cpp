#include "starope/study/results_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "starope/base/data_location.hpp"
#include "starope/error.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"
#include "starope/study/results.hpp"
#include "starope/study/spec.hpp"

namespace starope {
namespace {

// Calls use(line, row, first byte) for every line that ends with a newline; returns the number of bytes they have.
// One line at a time: the results of a large study need not fit into memory.
std::int64_t for_each_line(const std::string& path,
                           const std::function<void(const std::string&, std::int64_t, std::int64_t)>& use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(fmt::format("{}: {}", path, std::strerror(errno)));
  std::string line;
  std::int64_t row = 0, at = 0;
  while (std::getline(file, line)) {
    if (file.eof()) break;  // no newline behind it: whoever wrote it did not finish
    use(line, ++row, at);
    at += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (file.bad()) throw FileError(fmt::format("{}: cannot be read", path));
  return at;
}

DataError stranger(const std::string& path, const std::string& rule, const std::string& remedy) {
  return DataError({.code = "other_study", .at = in_file(path), .value = {}, .rule = rule, .remedy = remedy});
}

// Follows a file cell by cell. The lines of a cell stand together, because one write has written them.
class CellCounter {
 public:
  CellCounter(const StudySpec& spec, const std::string& path) : spec_(spec), path_(path) {
    for (std::size_t d = 0; d < spec.domains.size(); ++d) domains_.emplace(spec.domains[d].name, d);
  }

  void add(const StudyResult& result, std::int64_t at) {
    const StudyDomain& domain = spec_.domains[domain_of(result.domain)];
    const StudyCell cell{.domain = domain_of(result.domain), .size = result.size, .trial = result.trial};
    if (!open_ || *open_ != cell) begin(cell, at);
    if (result.estimator != domain.estimators[lines_]) {
      throw stranger(path_,
                     fmt::format("the results of {} have '{}' where the study has '{}'", name(cell), result.estimator,
                                 domain.estimators[lines_]),
                     "Remove the lines of this data set; --resume computes them again");
    }
    ++lines_;
    const auto* failure = std::get_if<Failure>(&result.answer);
    failures_ += failure != nullptr ? 1 : 0;
    later_ = later_ || (failure != nullptr && may_succeed_later(*failure));
    if (lines_ == domain.estimators.size()) {
      (later_ ? again_ : finished_)[cell] = failures_;
      open_.reset();
    }
  }

  void add(const StudyTruth& truth) const {
    const StudyDomain& domain = spec_.domains[domain_of(truth.domain)];
    if (!domain.truth || *domain.truth == truth.value) return;
    throw stranger(
        path_,
        fmt::format("has {} for the true value of '{}', and the study has {}", truth.value, domain.name, *domain.truth),
        "Use another folder");
  }

  // Where the lines of an unfinished last cell begin.
  std::optional<std::int64_t> unfinished() const { return open_ ? std::optional(open_at_) : std::nullopt; }
  // Those whose failures are final; the others are to be computed again.
  std::set<StudyCell> finished() const {
    std::set<StudyCell> cells;
    for (const auto& [cell, failures] : finished_) cells.insert(cell);
    return cells;
  }
  std::int64_t failures() const {
    std::int64_t all = 0;
    for (const auto& [cell, failures] : finished_) all += failures;
    return all;
  }

 private:
  std::size_t domain_of(const std::string& domain) const {
    const auto found = domains_.find(domain);
    if (found == domains_.end()) {
      throw stranger(path_, fmt::format("has results of '{}', which the study does not know", domain),
                     "Use the folder of one study only");
    }
    return found->second;
  }

  std::string name(const StudyCell& which) const {
    return fmt::format("{} with {} episodes, trial {}", spec_.domains[which.domain].name, which.size, which.trial);
  }

  void begin(const StudyCell& cell, std::int64_t at) {
    const StudyDomain& domain = spec_.domains[cell.domain];
    const bool planned = std::find(domain.sizes.begin(), domain.sizes.end(), cell.size) != domain.sizes.end() &&
                         cell.trial >= 0 && cell.trial < domain.trials;
    if (!planned) {
      throw stranger(path_, fmt::format("has results of {}, which the study does not have", name(cell)),
                     "Remove their lines");
    }
    if (open_) {
      throw stranger(path_, fmt::format("the results of {} are not complete although others follow", name(*open_)),
                     "Remove their lines; --resume computes them again");
    }
    if (finished_.count(cell) != 0) {
      throw stranger(path_, fmt::format("has the results of {} twice", name(cell)), "Remove one of them");
    }
    again_.erase(cell);  // this is the second attempt
    open_ = cell;
    open_at_ = at;
    lines_ = 0;
    failures_ = 0;
    later_ = false;
  }

  const StudySpec& spec_;
  const std::string& path_;
  std::map<std::string, std::size_t> domains_;
  std::map<StudyCell, std::int64_t> finished_, again_;  // with the number of their failures
  std::optional<StudyCell> open_;
  std::int64_t open_at_ = 0;
  std::size_t lines_ = 0;
  std::int64_t failures_ = 0;
  bool later_ = false;
};

using CellName = std::tuple<std::string, std::int64_t, std::int64_t>;

CellName name_of(const StudyResult& result) {
  return {result.domain, result.size, result.trial};
}

void keep_last_attempts(const std::set<CellName>& attempted, std::vector<StudyResult>& results) {
  if (attempted.empty()) return;
  std::set<std::pair<CellName, std::string>> seen;
  std::vector<StudyResult> kept;
  for (std::size_t i = results.size(); i-- > 0;) {
    const CellName cell = name_of(results[i]);
    if (attempted.count(cell) == 0 || seen.emplace(cell, results[i].estimator).second) {
      kept.push_back(std::move(results[i]));
    }
  }
  std::reverse(kept.begin(), kept.end());
  results = std::move(kept);
}

}  // namespace

StudyResults read_results(const std::string& path) {
  StudyResults all;
  bool checked = false;
  std::set<CellName> attempted;  // without memory: a later attempt may follow
  for_each_line(path, [&](const std::string& text, std::int64_t row, std::int64_t) {
    checked = checked || (row == 1 && has_check(text));
    StudyLine line = parse_result_line(text, path, row, checked);
    if (auto* header = std::get_if<StudyHeader>(&line)) {
      all.header = std::move(*header);
    } else if (auto* truth = std::get_if<StudyTruth>(&line)) {
      all.truths[truth->domain] = *truth;
    } else {
      auto& result = std::get<StudyResult>(line);
      const auto* failure = std::get_if<Failure>(&result.answer);
      if (failure != nullptr && may_succeed_later(*failure)) attempted.insert(name_of(result));
      all.results.push_back(std::move(result));
    }
  });
  keep_last_attempts(attempted, all.results);
  return all;
}

ResultsFile::ResultsFile(const std::string& path, const StudySpec& spec) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    throw FileError(error == EWOULDBLOCK
                        ? fmt::format("{}: another process is working on this study. Wait for it, or use another "
                                      "folder and a shard of the study",
                                      path)
                        : fmt::format("{}: cannot be locked: {}", path, std::strerror(error)));
  }
  try {
    load(spec);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ResultsFile::~ResultsFile() {
  if (unsynced_) static_cast<void>(::fdatasync(descriptor_));
  ::close(descriptor_);  // and with it the lock
}

void ResultsFile::load(const StudySpec& spec) {
  const std::string checksum = study_checksum(spec);
  CellCounter cells(spec, path_);
  bool known = false, checked = false;
  std::int64_t end = for_each_line(path_, [&](const std::string& text, std::int64_t row, std::int64_t at) {
    checked = checked || (row == 1 && has_check(text));
    StudyLine line = parse_result_line(text, path_, row, checked);
    if (const auto* header = std::get_if<StudyHeader>(&line)) {
      if (header->checksum != checksum) {
        throw stranger(path_, "the results belong to another study", "Use another folder");
      }
      known = true;
    } else if (const auto* truth = std::get_if<StudyTruth>(&line)) {
      cells.add(*truth);
      truths_[truth->domain] = *truth;
    } else {
      cells.add(std::get<StudyResult>(line), at);
    }
  });
  if (!known && end > 0) throw stranger(path_, "the first line of the study is missing", "Use an empty folder");
  end = cells.unfinished().value_or(end);
  if (::ftruncate(descriptor_, end) != 0) {
    throw FileError(fmt::format("{}: cannot be cut to its finished part: {}", path_, std::strerror(errno)));
  }
  finished_ = cells.finished();
  failures_ = cells.failures();
  if (known) return;
  StudyHeader header{.study = spec.name, .checksum = checksum};
  for (const StudyDomain& domain : spec.domains) header.domains.push_back(domain.name);
  write(result_line(header));
}

void ResultsFile::append(const StudyTruth& truth) {
  write(result_line(truth));
  truths_[truth.domain] = truth;
}

void ResultsFile::append(const StudyCell& cell, const std::vector<StudyResult>& results) {
  std::string lines;
  for (const StudyResult& result : results) {
    lines += result_line(result);
    failures_ += std::holds_alternative<Failure>(result.answer) ? 1 : 0;
  }
  write(lines);
  finished_.insert(cell);
}

void ResultsFile::write(std::string_view bytes) {
  // The kernel may take less than it is given (a full disk, a signal); the rest follows or the write has failed.
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw FileError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // What the system has not brought to the disk is lost if the machine stops. Once a second is often enough; cells may
  // take far less.
  unsynced_ = true;
  const auto now = std::chrono::steady_clock::now();
  if (synced_ && now - *synced_ < std::chrono::seconds(1)) return;
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) {  // invalid: a file system that knows no such thing
    throw FileError(fmt::format("{}: cannot be brought to the disk: {}", path_, std::strerror(errno)));
  }
  synced_ = now;
  unsynced_ = false;
}

}  // namespace starope
