#include "starope/stats/jackknife.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "starope/rng/random.hpp"
#include "starope/stats/moments.hpp"

namespace starope {
namespace {

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

// Of a mean with one observation per group it is the textbook standard error.
TEST(Jackknife, OfAMeanIsItsStandardError) {
  const std::vector<double> x{3, 1, 4, 1, 5, 9, 2, 6};
  std::vector<double> left_out;
  for (std::size_t g = 0; g < x.size(); ++g) left_out.push_back((mean_of(x) * 8.0 - x[g]) / 7.0);
  const JackknifeError error = jackknife(mean_of(x), left_out, std::vector<double>(8, 1.0));
  EXPECT_NEAR(error.std_error, moments(x).standard_error(), 1e-14);
  for (std::size_t g = 0; g < x.size(); ++g) EXPECT_NEAR(error.scores[g], x[g] - mean_of(x), 1e-12);
}

// Groups of very different sizes: on the average over many samples the variance is right.
TEST(Jackknife, GroupsOfDifferentSizesGiveTheRightVariance) {
  const std::vector<double> size{1, 2, 3, 5, 8, 13, 21, 34, 55, 58};  // 200 observations
  Moments variances;
  for (std::uint64_t sample = 0; sample < 2000; ++sample) {
    Random random(Seed{5}, Stream::study_sample, sample);
    std::vector<double> sums;
    double all = 0.0;
    for (const double m : size) {
      double sum = 0.0;
      for (int i = 0; i < static_cast<int>(m); ++i) sum += random.uniform();
      sums.push_back(sum);
      all += sum;
    }
    std::vector<double> left_out;
    for (std::size_t g = 0; g < size.size(); ++g) left_out.push_back((all - sums[g]) / (200.0 - size[g]));
    const double error = jackknife(all / 200.0, left_out, size).std_error;
    variances.add(error * error);
  }
  const double truth = 1.0 / 12.0 / 200.0;
  EXPECT_NEAR(variances.mean(), truth, 4.0 * variances.standard_error() + 0.02 * truth);
}

}  // namespace
}  // namespace starope
