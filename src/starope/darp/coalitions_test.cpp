#include "starope/darp/coalitions.hpp"

#include <gtest/gtest.h>
