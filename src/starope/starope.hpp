#pragma once

// Everything that is needed to evaluate logs: one include, one library (starope::starope). Simulated domains, studies
// and reports have libraries and headers of their own.

#include "starope/base/error.hpp"
#include "starope/base/finding.hpp"
#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
#include "starope/data/problem.hpp"
#include "starope/data/source.hpp"
#include "starope/evaluate/advice.hpp"
#include "starope/evaluate/estimator.hpp"
#include "starope/evaluate/estimator_list.hpp"
#include "starope/evaluate/estimator_text.hpp"
#include "starope/evaluate/evaluate.hpp"
#include "starope/evaluate/evaluation.hpp"
#include "starope/evaluate/evaluation_json.hpp"
#include "starope/evaluate/inspection.hpp"
#include "starope/evaluate/inspection_json.hpp"
#include "starope/io/read.hpp"
#include "starope/phi/abstraction.hpp"
#include "starope/phi/phi.hpp"
