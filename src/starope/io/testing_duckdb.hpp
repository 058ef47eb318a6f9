#pragma once

// Tests of what DuckDB reads: they run where its library is (tools/install_dependencies.sh duckdb brings it).

#include <gtest/gtest.h>

#include "starope/error.hpp"
#include "starope/io/duckdb.hpp"

namespace starope::testing {

class DuckDbTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      io::DuckDb({});
    } catch (const FileError& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

}  // namespace starope::testing
