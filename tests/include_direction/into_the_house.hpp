#include "starope/data/take_rows.hpp"
#include "starope/types.hpp"
