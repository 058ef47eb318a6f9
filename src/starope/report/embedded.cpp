#include "starope/report/embedded.hpp"

#include "starope/error.hpp"
#include "starope/report.hpp"

// The bytes between two labels of the generated assembly (CMakeLists.txt).
#define STAROPE_EMBEDDED(name)                                                                \
  extern "C" const char starope_##name[];                                                     \
  extern "C" const char starope_##name##_end[];                                               \
  static std::string_view name() {                                                            \
    return {starope_##name, static_cast<std::size_t>(starope_##name##_end - starope_##name)}; \
  }

STAROPE_EMBEDDED(style)
STAROPE_EMBEDDED(script)
STAROPE_EMBEDDED(charts)
#if STAROPE_HAS_VEGA
STAROPE_EMBEDDED(license)
STAROPE_EMBEDDED(vega)
STAROPE_EMBEDDED(vega_lite)
STAROPE_EMBEDDED(vega_embed)
#endif

namespace starope {

std::string_view page_style() {
  return style();
}

std::string_view page_script() {
  return script();
}

std::string_view chart_files() {
  return charts();
}

#if STAROPE_HAS_VEGA
bool has_chart_runtime() noexcept {
  return true;
}

ChartRuntime chart_runtime() {
  return {.license = license(), .vega = vega(), .vega_lite = vega_lite(), .vega_embed = vega_embed()};
}
#else
bool has_chart_runtime() noexcept {
  return false;
}

ChartRuntime chart_runtime() {
  throw FileError(
      "this starope was built without the chart runtime, so it cannot write reports. Run tools/install_dependencies.sh "
      "web and build it again");
}
#endif

}  // namespace starope
