#include "starope/neural/network.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "starope/base/assert.hpp"
#include "starope/parallel/stop.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

using Matrix = Eigen::MatrixXf;  // one example per column
using Vector = Eigen::VectorXf;

struct Layer {
  Matrix weight;  // outputs x inputs
  Vector bias;
};

// What an optimizer step changes: weights and biases, or their gradients, or their moments.
struct Parameters {
  std::array<Layer, 3> layer;

  static Parameters zeros_like(const Parameters& other) {
    Parameters zeros = other;
    for (Layer& l : zeros.layer) {
      l.weight.setZero();
      l.bias.setZero();
    }
    return zeros;
  }
};

struct Activations {
  std::array<Matrix, 2> hidden;
  Matrix output;
};

template <class Array>
void adam(Array& x, Array& gradient, Array& mean, Array& square, float rate, float first, float second) {
  constexpr float b1 = 0.9F, b2 = 0.999F, tiny = 1e-7F;
  mean = b1 * mean + (1.0F - b1) * gradient;
  square.array() = b2 * square.array() + (1.0F - b2) * gradient.array().square();
  x.array() -= rate * (mean.array() / first) / ((square.array() / second).sqrt() + tiny);
}

}  // namespace

void SparseInputs::add(std::span<const float> row) {
  add_hot(row, -1);
}

void SparseInputs::add_hot(std::span<const float> row, std::int64_t hot) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] == 0.0F) continue;
    index.push_back(static_cast<std::uint32_t>(k));
    value.push_back(row[k]);
  }
  if (hot >= 0) {
    index.push_back(static_cast<std::uint32_t>(hot));
    value.push_back(1.0F);
  }
  offsets.push_back(index.size());
}

struct Network::Impl {
  NetworkOptions options;
  Parameters x, mean, square;
  std::int64_t steps = 0;     // of Adam
  std::uint64_t batches = 0;  // trainings so far: each shuffles anew

  Impl(std::int64_t inputs, std::int64_t outputs, const NetworkOptions& o) : options(o) {
    const std::int64_t size[4] = {inputs, o.hidden, o.hidden, outputs};
    for (std::size_t k = 0; k < 3; ++k) {
      Layer& layer = x.layer[k];
      layer.weight.resize(size[k + 1], size[k]);
      layer.bias = Vector::Zero(size[k + 1]);
      // He initialization; outputs start small, so that a first prediction says next to nothing.
      const double scale = std::sqrt(2.0 / static_cast<double>(size[k])) * (k == 2 ? 0.1 : 1.0);
      Random random(o.seed, Stream::network_weights, k);
      for (Eigen::Index i = 0; i < layer.weight.size(); ++i)
        layer.weight.data()[i] = static_cast<float>(scale * random.normal());
    }
    mean = Parameters::zeros_like(x);
    square = mean;
  }

  void forward(const SparseInputs& inputs, std::span<const std::int64_t> rows, Activations& a) const {
    const auto count = static_cast<Eigen::Index>(rows.size());
    a.hidden[0] = x.layer[0].bias.replicate(1, count);
    for (Eigen::Index j = 0; j < count; ++j) {
      const auto row = static_cast<std::size_t>(rows[j]);
      for (std::size_t e = inputs.offsets[row]; e < inputs.offsets[row + 1]; ++e)
        a.hidden[0].col(j) += inputs.value[e] * x.layer[0].weight.col(inputs.index[e]);
    }
    a.hidden[0] = a.hidden[0].cwiseMax(0.0F);
    a.hidden[1].noalias() = x.layer[1].weight * a.hidden[0];
    a.hidden[1].colwise() += x.layer[1].bias;
    a.hidden[1] = a.hidden[1].cwiseMax(0.0F);
    a.output.noalias() = x.layer[2].weight * a.hidden[1];
    a.output.colwise() += x.layer[2].bias;
  }

  void backward(const SparseInputs& inputs, std::span<const std::int64_t> rows, const Activations& a, Matrix& delta,
                Parameters& gradient) const {
    for (std::size_t k = 2; k > 0; --k) {
      gradient.layer[k].weight.noalias() = delta * a.hidden[k - 1].transpose();
      gradient.layer[k].bias = delta.rowwise().sum();
      Matrix before = x.layer[k].weight.transpose() * delta;
      delta = (a.hidden[k - 1].array() > 0.0F).select(before, 0.0F);
    }
    gradient.layer[0].weight.setZero();
    for (Eigen::Index j = 0; j < delta.cols(); ++j) {
      const auto row = static_cast<std::size_t>(rows[j]);
      for (std::size_t e = inputs.offsets[row]; e < inputs.offsets[row + 1]; ++e)
        gradient.layer[0].weight.col(inputs.index[e]) += inputs.value[e] * delta.col(j);
    }
    gradient.layer[0].bias = delta.rowwise().sum();
  }

  void update(Parameters& gradient, double rate) {
    ++steps;
    const auto first = static_cast<float>(1.0 - std::pow(0.9, static_cast<double>(steps)));
    const auto second = static_cast<float>(1.0 - std::pow(0.999, static_cast<double>(steps)));
    for (std::size_t k = 0; k < 3; ++k) {
      adam(x.layer[k].weight, gradient.layer[k].weight, mean.layer[k].weight, square.layer[k].weight,
           static_cast<float>(rate), first, second);
      adam(x.layer[k].bias, gradient.layer[k].bias, mean.layer[k].bias, square.layer[k].bias, static_cast<float>(rate),
           first, second);
    }
  }

  double mean_loss(const SparseInputs& inputs, std::span<const std::int64_t> row_of,
                   std::span<const std::int64_t> examples, const OutputLoss& loss) const {
    double sum = 0.0;
    Activations a;
    std::vector<std::int64_t> rows;
    std::vector<float> ignored(x.layer[2].bias.size());
    for (std::size_t first = 0; first < examples.size(); first += 512) {
      const auto part = examples.subspan(first, std::min<std::size_t>(512, examples.size() - first));
      rows.clear();
      for (const std::int64_t e : part) rows.push_back(row_of[e]);
      forward(inputs, rows, a);
      for (std::size_t j = 0; j < part.size(); ++j)
        sum += loss(part[j], std::span(a.output.col(static_cast<Eigen::Index>(j)).data(), ignored.size()), ignored);
    }
    return sum / static_cast<double>(examples.size());
  }
};

Network::Network(std::int64_t inputs, std::int64_t outputs, const NetworkOptions& options)
    : outputs_(outputs), impl_(std::make_unique<Impl>(inputs, outputs, options)) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;

std::vector<float> Network::predict(const SparseInputs& inputs, std::span<const std::int64_t> rows) const {
  const auto width = static_cast<std::size_t>(outputs_);
  std::vector<float> result(rows.size() * width);
  Activations a;
  for (std::size_t first = 0; first < rows.size(); first += 512) {
    const auto part = rows.subspan(first, std::min<std::size_t>(512, rows.size() - first));
    impl_->forward(inputs, part, a);
    std::copy_n(a.output.data(), part.size() * width, result.data() + first * width);
  }
  return result;
}

TrainingReport Network::train(const SparseInputs& inputs, std::span<const std::int64_t> row_of,
                              const TrainingPlan& plan, const OutputLoss& loss) {
  STAROPE_ASSERT(!plan.examples.empty());
  Impl& m = *impl_;
  const auto width = static_cast<std::size_t>(outputs_);
  const auto batch = std::min(static_cast<std::size_t>(m.options.batch), plan.examples.size());
  Random random(m.options.seed, Stream::network_batches, m.batches++);
  std::vector<std::int64_t> order(plan.examples.begin(), plan.examples.end()), rows(batch);
  std::size_t at = order.size();  // the first batch shuffles
  Activations a;
  Parameters gradient = Parameters::zeros_like(m.x), best = m.x;
  Matrix delta(static_cast<Eigen::Index>(width), static_cast<Eigen::Index>(batch));
  TrainingReport report;
  double least = plan.held_out.empty() ? 0.0 : m.mean_loss(inputs, row_of, plan.held_out, loss);
  double recent = 0.0;
  std::int64_t worse = 0;
  for (; report.updates < plan.updates && worse < plan.patience; ++report.updates) {
    stop_if_asked();
    if (at + batch > order.size()) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      at = 0;
    }
    const std::span<const std::int64_t> part(order.data() + at, batch);
    at += batch;
    for (std::size_t j = 0; j < batch; ++j) rows[j] = row_of[part[j]];
    m.forward(inputs, rows, a);
    double sum = 0.0;
    for (std::size_t j = 0; j < batch; ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      sum += loss(part[j], std::span(a.output.col(column).data(), width), std::span(delta.col(column).data(), width));
    }
    recent = sum / static_cast<double>(batch);
    delta /= static_cast<float>(batch);
    m.backward(inputs, rows, a, delta, gradient);
    delta.resize(static_cast<Eigen::Index>(width), static_cast<Eigen::Index>(batch));
    const double done = static_cast<double>(report.updates) / static_cast<double>(plan.updates);
    m.update(gradient, m.options.rate * (1.0 - 0.9 * done));
    if (plan.held_out.empty() || (report.updates + 1) % plan.check_every != 0) continue;
    const double now = m.mean_loss(inputs, row_of, plan.held_out, loss);
    if (now < least) {
      least = now;
      best = m.x;
      worse = 0;
    } else {
      ++worse;
    }
  }
  if (!plan.held_out.empty()) m.x = best;
  report.loss = plan.held_out.empty() ? recent : least;
  return report;
}

}  // namespace starope
