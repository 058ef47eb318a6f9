#pragma once

#include <string>
#include <string_view>

#include "starope/study/spec.hpp"

namespace starope {

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
StudySpec parse_study_toml(std::string_view text, const std::string& file);
StudySpec read_study_toml(const std::string& path);

}  // namespace starope
