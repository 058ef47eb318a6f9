// Specifications of studies.
#include "fuzz.hpp"
#include "starope/study.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  starope::fuzz::tried([&] { starope::parse_study_toml(starope::fuzz::text_of(data, size), "a.toml"); });
  return 0;
}
