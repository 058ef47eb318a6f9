#include "starope/auto/feature_views.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "starope/auto/value_metric.hpp"
#include "starope/base/assert.hpp"
#include "starope/error.hpp"

namespace starope {
namespace {

void append(Bag& bag, Bag&& more) {
  if (bag.seeds == 0) {
    bag = std::move(more);
    return;
  }
  bag.seeds += more.seeds;
  for (Labels& member : more.members) bag.members.push_back(std::move(member));
  for (MemberRule& rule : more.rules) bag.rules.push_back(std::move(rule));
  bag.point_of_row.clear();  // the same state may be another point there
  bag.points = 0;
}

}  // namespace

BagFeatures FeatureView::apply(const BagFeatures& states, const Dataset& data) const {
  if (metric.size() == 0) return history ? history->apply(states, data) : states;
  if (metric.cols() != states.dimension)
    throw InvalidArgument("the metric of the features was fitted to states with another number of features");
  BagFeatures seen = transformed(states, metric);
  return history ? history->apply(seen, data) : seen;
}

void FeatureView::write(ByteWriter& to) const {
  to.number(static_cast<std::int64_t>(metric.rows()));
  to.number(static_cast<std::int64_t>(metric.cols()));
  to.numbers(std::span(metric.data(), static_cast<std::size_t>(metric.size())));
  to.flag(history.has_value());
  if (history) history->write(to);
}

FeatureView FeatureView::read(ByteReader& from) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  FeatureView view;
  const std::int64_t rows = from.number_within(0, most), columns = from.number_within(0, most);
  const std::vector<double> numbers = from.finites();
  if (static_cast<std::int64_t>(numbers.size()) != rows * columns) from.fail("the size of a metric does not fit");
  view.metric = Eigen::Map<const Eigen::MatrixXd>(numbers.data(), rows, columns);
  if (from.flag()) view.history = HistoryMap::read(from);
  return view;
}

Bag make_bag(const Views& views, const BagFeatures& states, const Problem& problem, const BagOptions& options,
             Threads threads) {
  Bag bag;
  for (const ViewOfSeeds& v : views) {
    const BagOptions own{.ladder = options.ladder, .seeds = v.seeds, .seed = options.seed, .which = v.which};
    const bool as_they_are = v.view.metric.size() == 0 && !v.view.history;
    append(bag, as_they_are ? make_bag(states, problem, own, threads)
                            : make_bag(v.view.apply(states, problem.data()), problem, own, threads));
  }
  return bag;
}

Bag label(const Bag& fitted, const Views& views, const BagFeatures& states, const Dataset& data, Threads threads) {
  STAROPE_ASSERT(fitted.rules.size() == fitted.seeds * fitted.levels());
  Bag bag;
  std::size_t first = 0;
  for (const ViewOfSeeds& v : views) {
    const std::size_t count = static_cast<std::size_t>(v.seeds) * fitted.levels();
    append(bag, label(fitted, first, count, v.view.apply(states, data), threads));
    first += count;
  }
  return bag;
}

}  // namespace starope
