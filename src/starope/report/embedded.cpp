#include "starope/report/embedded.hpp"

#include <algorithm>
#include <string>

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

namespace {

// A hash in hexadecimal digits, as a content security policy writes it: in base 64.
std::string in_policy(std::string_view hexadecimal) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::string text = "'sha256-";
  for (std::size_t i = 0; i < hexadecimal.size(); i += 6) {  // three bytes are four digits
    unsigned bits = 0;
    for (std::size_t k = 0; k < 6; ++k)
      bits = bits << 4U | (i + k < hexadecimal.size() ? value(hexadecimal[i + k]) : 0U);
    const std::size_t bytes = std::min<std::size_t>(3, (hexadecimal.size() - i) / 2);
    for (std::size_t k = 0; k < 4; ++k) text += k <= bytes ? digits[bits >> (18U - 6U * k) & 63U] : '=';
  }
  return text + "'";
}

}  // namespace

#if STAROPE_HAS_VEGA
bool has_chart_runtime() noexcept {
  return true;
}

ChartRuntime chart_runtime() {
  return {.license = license(), .vega = vega(), .vega_lite = vega_lite(), .vega_embed = vega_embed()};
}

std::string script_hashes() {
  std::string all;
  for (const char* hash :
       {STAROPE_SHA256_vega, STAROPE_SHA256_vega_lite, STAROPE_SHA256_vega_embed, STAROPE_SHA256_script}) {
    all += (all.empty() ? "" : " ") + in_policy(hash);
  }
  return all;
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

std::string script_hashes() {
  return in_policy(STAROPE_SHA256_script);
}
#endif

}  // namespace starope
