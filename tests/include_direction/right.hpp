#include <vector>

#include "starope/data.hpp"
#include "starope/types.hpp"
