#include "starope/darp/pooled_tables.hpp"

#include <gtest/gtest.h>
