#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "starope/study/spec.hpp"

namespace starope {

// "paper", "paper-cartpole", "paper-icu-sepsis", "paper-asterix", "smoke".
std::vector<std::string> builtin_study_names();

struct BuiltinStudyOptions {
  // The file of ICU-Sepsis's tables, which are not part of the program; studies that need it and have none throw
  // InvalidArgument.
  std::string dynamics{};
  bool neural = false;  // also the estimators that train networks: far slower than all others together
};

// The experiments of the paper: its domains, sizes, 200 trials, its grids of STAR configurations (k-means as its text
// says, random centroids as its code does), and the estimators it compares with, as far as this build has them. `smoke`
// shows every part of a study in seconds. InvalidArgument names the nearest where there is none.
StudySpec builtin_study(std::string_view name, const BuiltinStudyOptions& options = {});

}  // namespace starope
