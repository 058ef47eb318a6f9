#include "starope/stats/quantile.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace starope {

double normal_quantile(double probability) {
  return quantile(boost::math::normal{}, probability);
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  return quantile(boost::math::students_t{degrees_of_freedom}, probability);
}

}  // namespace starope
