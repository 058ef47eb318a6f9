#include "starope/arp/rollout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "starope/base/work.hpp"
#include "starope/error.hpp"
#include "starope/parallel/ordered_merge.hpp"
#include "starope/rng/random.hpp"

namespace starope {
namespace {

constexpr std::int64_t rollouts_per_block = 1024;

// Running sums of the start distribution and of every row of P: a draw is one binary search.
class Sampler {
 public:
  explicit Sampler(const ArpModel& model) : model_(model), start_(running_sums(model.start)) {
    for (std::int64_t z = 0; z < model.cells; ++z) {
      double sum = 0.0;
      for (const double p : model.transition.values_of(z)) rows_.push_back(sum += p);
    }
  }

  double return_of(Random& random, double g, std::int64_t most_steps, bool must_end) const {
    const double u = random.uniform() * start_.back();
    auto z = static_cast<std::size_t>(std::upper_bound(start_.begin(), start_.end(), u) - start_.begin());
    double total = 0.0, discount = 1.0;
    for (std::int64_t t = 0; t < most_steps; ++t) {
      total += discount * model_.reward[z];
      discount *= g;
      const auto first = rows_.begin() + model_.transition.offsets[z];
      const auto last = rows_.begin() + model_.transition.offsets[z + 1];
      const auto to = std::upper_bound(first, last, random.uniform());  // what is left of the unit interval is the exit
      if (to == last || discount == 0.0) return total;
      z = model_.transition.column[to - rows_.begin()];
    }
    if (must_end) {
      throw DegenerateModel(fmt::format(
          "a rollout of the model did not end within {} steps: exits are too rare; give a horizon", most_steps));
    }
    return total;
  }

 private:
  static std::vector<double> running_sums(const std::vector<double>& p) {
    std::vector<double> sums;
    sums.reserve(p.size());
    double sum = 0.0;
    for (const double x : p) sums.push_back(sum += x);
    return sums;
  }

  const ArpModel& model_;
  std::vector<double> start_, rows_;
};

}  // namespace

Moments roll_out(const ArpModel& model, Discount discount, std::optional<Horizon> horizon,
                 const RolloutOptions& options) {
  refuse_absurd({.what = fmt::format("{} rollouts", options.rollouts),
                 .operations = 20.0 * static_cast<double>(options.rollouts),  // of a step each, at least
                 .bytes = 0.0,
                 .remedy = "Ask for fewer"});
  const Sampler sampler(model);
  const std::int64_t blocks = (options.rollouts + rollouts_per_block - 1) / rollouts_per_block;
  Moments total;
  ordered_merge(
      blocks, options.threads,
      [&](std::int64_t b) {
        Moments part;
        const std::int64_t last = std::min(options.rollouts, (b + 1) * rollouts_per_block);
        for (std::int64_t i = b * rollouts_per_block; i < last; ++i) {
          Random random(options.seed, Stream::rollout, static_cast<std::uint64_t>(i));
          part.add(
              sampler.return_of(random, discount.gamma(), horizon ? horizon->steps() : options.most_steps, !horizon));
        }
        return part;
      },
      [&](const Moments& part) { total += part; });
  return total;
}

}  // namespace starope
