#include "starope/study.hpp"
#include "starope/types.hpp"
