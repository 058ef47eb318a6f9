// Lists of estimators, and what they are called when they are written down again.
#include <cstdlib>

#include "fuzz.hpp"
#include "starope/estimators.hpp"

namespace starope {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::tried([&] {
    for (const NamedEstimator& named : parse_estimators(fuzz::text_of(data, size))) {
      const std::string text = starope::text(named.estimator);
      if (starope::text(parse_estimator(text).estimator) != text) std::abort();
    }
  });
  return 0;
}

}  // namespace starope
