#include "starope/interval.hpp"

namespace starope {

std::string name(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::influence:
      return "influence";
    case IntervalMethod::t:
      return "t";
    case IntervalMethod::bootstrap_percentile:
      return "bootstrap-percentile";
    case IntervalMethod::bootstrap_bca:
      return "bootstrap-bca";
    case IntervalMethod::bootstrap_studentized:
      return "bootstrap-studentized";
    case IntervalMethod::hoeffding:
      return "hoeffding";
    case IntervalMethod::empirical_bernstein:
      return "empirical-bernstein";
    case IntervalMethod::anderson:
      return "anderson";
  }
  return {};
}

}  // namespace starope
