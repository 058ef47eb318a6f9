#include "starope/darp/bag_features.hpp"

#include <gtest/gtest.h>
