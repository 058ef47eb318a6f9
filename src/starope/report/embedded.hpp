#pragma once

#include <string>
#include <string_view>

namespace starope {

// Files that the build has put into the program, so that a report needs nothing but itself.
std::string_view page_style();   // CSS
std::string_view page_script();  // draws the charts, offers downloads
std::string_view chart_files();  // charts/*.vl.json by name, and base.json, as one JSON object

// Vega, Vega-Lite and Vega-Embed as one script, with their license. FileError where the build did not have them.
struct ChartRuntime {
  std::string_view license{};
  std::string_view vega{}, vega_lite{}, vega_embed{};
};
ChartRuntime chart_runtime();

// Of the scripts of a page, as the script-src of a content security policy: "'sha256-...' 'sha256-...'".
std::string script_hashes();

}  // namespace starope
