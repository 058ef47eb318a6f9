#include "starope/everything.hpp"
#include "starope/types.hpp"
