#pragma once

#include "starope/domains/named_domain.hpp"
#include "starope/study/spec.hpp"

namespace starope {

// The simulated world of a study's domain: one of starope/domains by name, "random-mdp(states=100,...)" included; its
// file is where the tables of ICU-Sepsis come from. InvalidArgument for an unknown name. A file is read when the world
// is first used.
envs::NamedDomain study_world(const StudyDomain& domain);

}  // namespace starope
