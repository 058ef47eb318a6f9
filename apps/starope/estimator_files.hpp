#pragma once

#include "starope/evaluate/estimator_text.hpp"

namespace starope::cli {

// Reads the files that estimator strings name: centroids=FILE.csv, lookup=FILE.csv and q=FILE.csv.
EstimatorFiles estimator_files();

}  // namespace starope::cli
