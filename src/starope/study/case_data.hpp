#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "starope/data.hpp"
#include "starope/problem.hpp"
#include "starope/study.hpp"
#include "starope/study/plan.hpp"
#include "starope/types.hpp"

namespace starope {

// Where the data sets of a study come from. Reads a domain's file once, when it is first needed; safe to use from
// several threads.
//
// A simulated domain gives `size` fresh episodes in every trial. Own logs are resampled: a trial has `size` different
// episodes of the file, drawn without replacement; a size of all episodes or more is the file itself.
class StudyData {
 public:
  // `read`: logs that are there already, by domain.
  explicit StudyData(const StudySpec& spec, std::vector<std::optional<Dataset>> read = {});
  ~StudyData();
  StudyData(StudyData&&) noexcept;
  StudyData& operator=(StudyData&&) noexcept;

  Problem problem(const StudyCell& cell) const;
  // Of own logs, which are read for it; empty for simulated domains.
  std::optional<std::int64_t> logged_episodes(std::size_t domain) const;
  // Empty for own logs whose true value nobody has given.
  std::optional<StudyTruth> truth(std::size_t index, Threads threads) const;

 private:
  struct Source;
  StudySpec spec_;
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace starope
