// clang-format off: the check must see includes in any spelling.
#include "starope/base/types.hpp"
#  include <starope/estimators/estimate.hpp>
