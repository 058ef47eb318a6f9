#include "starope/base/model_findings.hpp"

#include <gtest/gtest.h>

namespace starope {
namespace {

TEST(ModelFindings, AreInTheCatalog) {
  for (const FindingKind& kind : model_findings) {
    const FindingKind* const found = find_kind(kind.code);
    ASSERT_NE(found, nullptr) << kind.code;
    EXPECT_EQ(found->sentence, kind.sentence);
  }
}

}  // namespace
}  // namespace starope
