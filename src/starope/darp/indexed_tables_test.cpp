#include "starope/darp/indexed_tables.hpp"

#include <gtest/gtest.h>
