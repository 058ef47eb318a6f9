#pragma once

namespace starope::detail {
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;
}

// For our own mistakes only: never for what a user can cause. Active in development, test and sanitizer builds.
#if defined(STAROPE_ASSERTS) && STAROPE_ASSERTS
#define STAROPE_ASSERT(condition) \
  (static_cast<bool>(condition) ? void(0) : ::starope::detail::assertion_failed(#condition, __FILE__, __LINE__))
#else
#define STAROPE_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
