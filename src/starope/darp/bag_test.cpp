#include "starope/darp/bag.hpp"

#include <gtest/gtest.h>
