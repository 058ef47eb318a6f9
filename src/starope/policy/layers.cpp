#include "starope/policy/layers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "starope/base/assert.hpp"

namespace starope {

double activated(Activation activation, double x) {
  switch (activation) {
    case Activation::identity:
      return x;
    case Activation::relu:
      return x > 0.0 ? x : 0.0;
    case Activation::leaky_relu:
      return x > 0.0 ? x : 0.01 * x;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Activation::elu:
      return x > 0.0 ? x : std::expm1(x);
    case Activation::silu:
      return x / (1.0 + std::exp(-x));
    case Activation::gelu:
      return 0.5 * x * (1.0 + std::erf(x / std::numbers::sqrt2));
    case Activation::softplus:
      return x > 30.0 ? x : std::log1p(std::exp(x));
  }
  return x;
}

void apply(const PolicyLayer& layer, std::span<const float> x, std::span<float> y) {
  const auto inputs = static_cast<std::size_t>(layer.inputs), outputs = static_cast<std::size_t>(layer.outputs);
  STAROPE_ASSERT(x.size() == inputs * rows_together && y.size() == outputs * rows_together);
  for (std::size_t o = 0; o < outputs; ++o) {
    std::array<float, rows_together> sum;
    sum.fill(layer.bias[o]);
    const float* const weights = layer.weights.data() + o * inputs;
    for (std::size_t i = 0; i < inputs; ++i) {
      const float w = weights[i];
      const float* const feature = x.data() + i * rows_together;
      for (std::size_t r = 0; r < rows_together; ++r) sum[r] += w * feature[r];
    }
    float* const out = y.data() + o * rows_together;
    if (layer.activation == Activation::identity) {
      std::copy(sum.begin(), sum.end(), out);
    } else if (layer.activation == Activation::relu) {
      for (std::size_t r = 0; r < rows_together; ++r) out[r] = sum[r] > 0.0F ? sum[r] : 0.0F;
    } else {
      for (std::size_t r = 0; r < rows_together; ++r)
        out[r] = static_cast<float>(activated(layer.activation, static_cast<double>(sum[r])));
    }
  }
}

void to_probabilities(const LayeredRule& rule, std::span<const double> scores, std::span<double> probabilities) {
  const std::array<double, 2> two{0.0, scores[0]};
  if (scores.size() == 1) scores = two;
  const auto highest = std::max_element(scores.begin(), scores.end());
  if (rule.output == PolicyOutput::greedy) {
    std::fill(probabilities.begin(), probabilities.end(), 0.0);
    probabilities[highest - scores.begin()] = 1.0;
  } else {
    double sum = 0.0;
    for (std::size_t a = 0; a < scores.size(); ++a)
      sum += probabilities[a] = std::exp((scores[a] - *highest) / rule.temperature);
    for (double& p : probabilities) p /= sum;
  }
  if (rule.epsilon == 0.0) return;
  const double any = rule.epsilon / static_cast<double>(probabilities.size());
  for (double& p : probabilities) p = (1.0 - rule.epsilon) * p + any;
}

}  // namespace starope
