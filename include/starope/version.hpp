#pragma once

// Which starope this is; the build compares it with its own number.
#define STAROPE_VERSION_MAJOR 0
#define STAROPE_VERSION_MINOR 2
#define STAROPE_VERSION_PATCH 0
#define STAROPE_VERSION "0.2.0"

// What a shared library shows to those who link it; everything else stays inside.
#if defined(__GNUC__)
#define STAROPE_API __attribute__((visibility("default")))
#else
#define STAROPE_API
#endif
