#pragma once

// Behind <hwy/highway.h> and HWY_EXPORT(name) in starope::detail: the function of that name for this machine, called
// from namespace starope. Where Highway compiles for one instruction set only, as for a browser, it puts the namespace
// of that set before the name it is given, and a name with a namespace of its own would not be found.
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define STAROPE_DISPATCH(name) detail::HWY_STATIC_DISPATCH(name)
#else
#define STAROPE_DISPATCH(name) HWY_DYNAMIC_DISPATCH(detail::name)
#endif
