// The check must see includes in any spelling.
// clang-format off
#include "starope/types.hpp"
#  include <starope/estimators/estimate.hpp>
