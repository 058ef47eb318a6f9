#include "starope/darp/slow_features.hpp"

#include <gtest/gtest.h>
