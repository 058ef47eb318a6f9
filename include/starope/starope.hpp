#pragma once

// Everything that is needed to evaluate logs: one include, one library (starope::starope). Simulated domains, studies
// and reports have libraries and headers of their own.

#include "starope/behavior.hpp"
#include "starope/compare.hpp"
#include "starope/data.hpp"
#include "starope/error.hpp"
#include "starope/estimators.hpp"
#include "starope/evaluate.hpp"
#include "starope/finding.hpp"
#include "starope/inspect.hpp"
#include "starope/interval.hpp"
#include "starope/io.hpp"
#include "starope/phi.hpp"
#include "starope/policy.hpp"
#include "starope/problem.hpp"
#include "starope/risk.hpp"
#include "starope/shards.hpp"
#include "starope/statistic.hpp"
#include "starope/text.hpp"
#include "starope/types.hpp"
#include "starope/version.hpp"
