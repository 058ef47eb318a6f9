#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "starope/types.hpp"

namespace starope {

// Rows of inputs without their zeros: pixels and one-hot actions cost what is set in them, not what there is.
struct SparseInputs {
  std::int64_t width = 0;
  std::vector<std::size_t> offsets{0};  // row i has the entries offsets[i] .. offsets[i+1]
  std::vector<std::uint32_t> index{};
  std::vector<float> value{};

  std::int64_t rows() const noexcept { return static_cast<std::int64_t>(offsets.size()) - 1; }
  void add(std::span<const float> row);                        // width numbers
  void add_hot(std::span<const float> row, std::int64_t hot);  // and a 1 at place `hot`, behind or among them
};

struct NetworkOptions {
  std::int64_t hidden = 32;  // units in each of two hidden layers
  std::int64_t batch = 256;
  double rate = 3e-3;  // of Adam; falls to a tenth of it over a training
  Seed seed{};
  friend bool operator==(const NetworkOptions&, const NetworkOptions&) = default;
};

struct TrainingPlan {
  std::int64_t updates = 100;     // at most
  std::int64_t check_every = 25;  // updates between two looks at the held-out examples
  std::int64_t patience = 4;      // stop after so many looks without improvement
  std::span<const std::int64_t> examples{};
  std::span<const std::int64_t> held_out{};  // empty: no early stopping
};

struct TrainingReport {
  std::int64_t updates = 0;
  double loss = 0.0;  // mean over the held-out examples (else over the last batches), of the weights that are kept
};

// The loss of an example as a function of the network's outputs; writes its gradient. Called with examples in any
// order.
using OutputLoss =
    std::function<double(std::int64_t example, std::span<const float> output, std::span<float> gradient)>;

// A multilayer perceptron with two hidden layers of rectified units, trained by Adam on minibatches. Single precision
// and single thread: the same bits everywhere, every random number a function of the seed.
class Network {
 public:
  Network(std::int64_t inputs, std::int64_t outputs, const NetworkOptions& options);
  ~Network();
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;

  std::int64_t outputs() const noexcept { return outputs_; }

  // Outputs of these rows of the inputs: rows x outputs.
  std::vector<float> predict(const SparseInputs& inputs, std::span<const std::int64_t> rows) const;

  // Goes on from the present weights and moments. Example e has the inputs of row row_of[e]. Keeps the weights that
  // were best on the held-out examples.
  TrainingReport train(const SparseInputs& inputs, std::span<const std::int64_t> row_of, const TrainingPlan& plan,
                       const OutputLoss& loss);

 private:
  struct Impl;
  std::int64_t outputs_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace starope
