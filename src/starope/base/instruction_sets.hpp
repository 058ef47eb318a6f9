#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace starope::testing {

// Runs the body once with every instruction set that this machine has and the library was compiled for.
template <class Body>
void for_each_instruction_set(const Body& body) {
#if defined(HWY_COMPILE_ONLY_STATIC)  // for a browser: there is one
  body();
#else
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
#endif
}

}  // namespace starope::testing
