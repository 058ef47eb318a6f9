#include "starope/base/types.hpp"
#include "starope/everything.hpp"
