#include "starope/selection/automatic.hpp"

#include <gtest/gtest.h>
