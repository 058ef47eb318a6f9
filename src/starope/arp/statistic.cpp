#include "starope/statistic.hpp"

#include <utility>

#include "starope/arp/arp_model.hpp"
#include "starope/arp/arp_statistic.hpp"
#include "starope/arp/solve.hpp"
#include "starope/error.hpp"
#include "starope/fold/fold.hpp"

namespace starope {
namespace {

ArpBlockFold recipe_of(const ArpCount& count) {
  return {.phi = count.phi, .options = count.options, .whole = count.whole, .question = count.question};
}

Statistic value_of(ArpStatistic sums) {
  return Statistic(std::make_shared<const ArpStatistic>(std::move(sums)));
}

}  // namespace

const ArpRecipe& Statistic::recipe() const noexcept {
  return sums_->recipe;
}

double Statistic::episodes() const noexcept {
  return sums_->episodes;
}

Statistic& Statistic::operator+=(const Statistic& other) {
  ArpStatistic total = *sums_;
  total += *other.sums_;
  *this = value_of(std::move(total));
  return *this;
}

bool operator==(const Statistic& a, const Statistic& b) {
  return a.sums_ == b.sums_ || *a.sums_ == *b.sums_;
}

Bytes Statistic::to_bytes() const {
  return sums_->to_bytes();
}

Statistic Statistic::from_bytes(std::span<const std::byte> bytes) {
  return value_of(ArpStatistic::from_bytes(bytes));
}

Survey survey(const Source& logs, const ProblemOptions& question, Threads threads) {
  Survey all;
  for_each_block(
      logs, question, threads, [](const Problem& block) { return block.survey(); },
      [&](const Survey& part) { all += part; });
  return all;
}

Statistic fold(const ArpCount& count, const Source& part, Threads threads) {
  return value_of(fold(recipe_of(count), part, count.question, threads));
}

ArpValue finish(const ArpCount& count, const Statistic& total) {
  ArpStatistic all = recipe_of(count).identity();
  all += total.sums();  // refuses sums of another recipe
  // A time-indexed process ends by itself: its cells know how far the horizon is.
  const bool pooled = count.options.time == TimeModel::pooled;
  ArpSolution solution =
      solve(make_model(all), count.question.discount, pooled ? count.question.horizon : std::nullopt);
  return {.value = solution.value,
          .values = std::move(solution.values),
          .visits = std::move(solution.visits),
          .unsupported = solution.unsupported,
          .unsupported_cells = std::move(solution.unsupported_cells)};
}

}  // namespace starope
