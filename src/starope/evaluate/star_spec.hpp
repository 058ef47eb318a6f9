#pragma once

#include <vector>

#include "starope/evaluate/estimator_call.hpp"
#include "starope/evaluate/spec.hpp"

namespace starope {

// star(...), with all its abstractions.
EstimatorSpec star_spec();

// The options of star; or those that say which cells, without what only a reward process has: clip, rollouts and
// phi=value.
enum class StarOptions { all, cells };
std::vector<OptionSpec> star_options(StarOptions which);
Estimator make_star(const EstimatorSource& from, StarOptions which);

// The options of a star that say which cells, as text: those of its abstraction, of cuts, horizons and time.
void add_star_options(const Star& star, CallText& call);

}  // namespace starope
