#include "starope/base/types.hpp"
#  include <starope/estimators/estimate.hpp>
