#include <vector>

#include "starope/base/types.hpp"
#include "starope/data/dataset.hpp"
