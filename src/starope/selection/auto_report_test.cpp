#include "starope/selection/auto_report.hpp"

#include <gtest/gtest.h>
