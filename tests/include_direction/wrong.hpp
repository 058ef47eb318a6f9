#include <starope/estimators/estimate.hpp>
#include "starope/base/types.hpp"
