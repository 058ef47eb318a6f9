#pragma once

namespace starope {

double normal_quantile(double probability);                                // probability in (0, 1)
double student_t_quantile(double probability, double degrees_of_freedom);  // degrees_of_freedom > 0

// P(T <= t) of Student's distribution; t may be infinite.
double student_t_probability(double t, double degrees_of_freedom);

}  // namespace starope
