#pragma once

#include "starope/evaluate/spec.hpp"

namespace starope {

// star(...), with all its abstractions.
EstimatorSpec star_spec();

// The options of a star that say which cells, as text: those of its abstraction, of cuts, horizons and time.
void add_star_options(const Star& star, CallText& call);

}  // namespace starope
