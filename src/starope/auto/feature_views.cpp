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
  if (history) return history->apply(seen, data);
  return seen;
}

const BagFeatures& FeatureView::look(const BagFeatures& states, const Dataset& data, BagFeatures& own) const {
  if (metric.size() == 0 && !history) return states;
  own = apply(states, data);
  return own;
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
             Threads threads, const KnownFeatures* known) {
  const auto is_known = [&](const Eigen::MatrixXd& metric) {
    return known != nullptr && metric.rows() == known->metric.rows() && metric.cols() == known->metric.cols() &&
           metric == known->metric;
  };
  Bag bag;
  for (const ViewOfSeeds& v : views) {
    const BagOptions how{.ladder = options.ladder, .seeds = v.seeds, .seed = options.seed, .which = v.which};
    BagFeatures own;
    const bool begun = is_known(v.view.metric);
    const FeatureView rest = begun ? FeatureView{.history = v.view.history} : v.view;
    const BagFeatures& seen = rest.look(begun ? known->features : states, problem.data(), own);
    append(bag, make_bag(seen, problem, how, threads));
  }
  return bag;
}

Bag label(const Bag& fitted, const Views& views, const BagFeatures& states, const Dataset& data, Threads threads) {
  STAROPE_ASSERT(fitted.rules.size() == fitted.seeds * fitted.levels());
  Bag bag;
  std::size_t first = 0;
  for (const ViewOfSeeds& v : views) {
    const std::size_t count = static_cast<std::size_t>(v.seeds) * fitted.levels();
    BagFeatures own;
    append(bag, label(fitted, first, count, v.view.look(states, data, own), threads));
    first += count;
  }
  return bag;
}

}  // namespace starope
